import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { type KnexStorage, storageOver } from '../../../adapters/knex/storage.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS } from '../../../core/kernel/time.js'
import type { Draft } from '../../../core/messages/message-log.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { CUSTOMER_COUNTS_MS, portfolioIdOf, type PortfolioTaking } from '../../../core/messages/portfolio-budget.js'
import { fundedWorkspace } from '../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { rightOf } from '../../support/right-of.js'
import { countRoundTrips, type RoundTrips } from '../../support/round-trips.js'

const NOON = Date.UTC(2026, 10, 28, 12)
const CUSTOMER = '4915123456789' as PhoneNumber
const PRICE = { micros: 1n, currency: 'USD' as Currency, category: 'marketing' } as const

await describeEachDatabase('The customers of portfolios', (server) => {
  let testDatabase: TestDatabase
  let opened: Database
  let watched: RoundTrips
  let storage: KnexStorage
  let workspace: WorkspaceId
  let portfolio = portfolioIdOf('')
  let now = NOON

  before(async () => {
    testDatabase = await server.createMigrated()
    opened = openDatabase(testDatabase.url)
    watched = countRoundTrips(opened)
    storage = storageOver(watched.database, { url: testDatabase.url, secret: 'a secret for tests, long enough for anyone', now: () => now })
  })
  beforeEach(async () => {
    now = NOON
    workspace = await fundedWorkspace(storage, 1_000n)
    portfolio = portfolioIdOf(`account ${randomUUID()}`)
  })
  after(async () => {
    await storage.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const taking = (more: Partial<PortfolioTaking> = {}): PortfolioTaking =>
    ({ workspace, message: messageIdOf(randomUUID()), portfolio, customer: CUSTOMER, at: NOON, limit: 3, ...more })
  const customer = (index: number): PhoneNumber => `49151234567${10 + index}` as PhoneNumber
  const reserve = (more: Partial<PortfolioTaking> = {}) => {
    const counting = taking(more)
    const draft: Draft = {
      id: counting.message, workspace, price: PRICE, at: counting.at,
      message: { _tag: 'Template', to: CUSTOMER, name: 'sale', language: 'en', components: [] },
    }
    const reserving = storage.messageMoney.reservingOver?.(storage) ?? assert.fail('there is no such step')
    return reserving(draft, undefined, undefined, undefined, { portfolio: counting })
  }
  const rowsOf = async (table: string): Promise<ReadonlyArray<string>> =>
    (await select(opened.db, `SELECT customer FROM ${table} WHERE portfolio = ? ORDER BY customer`, [portfolio]))
      .map((row) => String(row['customer']))
  const counted = async (): Promise<number> => {
    const [row] = await select(opened.db, 'SELECT customers FROM portfolio_counts WHERE portfolio = ?', [portfolio])
    return Number(row?.['customers'])
  }

  it('are counted in the transaction that opens the message, and together with those of others', async () => {
    watched.reset()
    rightOf(await reserve())
    assert.equal(watched.transactions(), 1)
    watched.reset()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => reserve({ customer: customer(index), limit: 100 })))
    for (const answer of answers) rightOf(answer)
    assert.equal(watched.transactions(), 1)
    assert.equal(await counted(), 21)
    assert.lengthOf(await rowsOf('portfolio_customers'), 21)
  })

  it('above the limit cost one more transaction, and none more as long as the caller goes on', async () => {
    for (const index of [0, 1, 2]) rightOf(await reserve({ customer: customer(index) }))
    watched.reset()
    assert.isTrue(E.isLeft(await reserve()))
    assert.equal(watched.transactions(), 2)
    watched.reset()
    assert.isTrue(E.isLeft(await reserve()))
    assert.equal(watched.transactions(), 1)
  })

  it('are given back by no transaction if the message has counted none', async () => {
    watched.reset()
    rightOf(await storage.portfolioBudget.giveBack(taking()))
    assert.equal(watched.transactions(), 0)
  })

  it('are given back together in one transaction, those of several portfolios too', async () => {
    const other = portfolioIdOf(`account ${randomUUID()}`)
    const takings = Array.from({ length: 20 }, (_, index) =>
      taking({ customer: customer(index >> 1), limit: 100, portfolio: index < 4 ? other : portfolio }))
    for (const of of takings) rightOf(await storage.portfolioBudget.take(of))
    assert.equal(await counted(), 8)
    watched.reset()
    const some = takings.filter((_, index) => index % 2 === 0 || index === 1 || index === 19)
    for (const answer of await Promise.all(some.map((of) => storage.portfolioBudget.giveBack(of)))) rightOf(answer)
    assert.equal(watched.transactions(), 1)
    assert.equal(await counted(), 7, 'a customer whom another message counts still counts')
    assert.equal(rightOf(await storage.portfolioBudget.counted(other, NOON)), 1)
  })

  it('make room when they no longer count, without a job', async () => {
    for (const day of [0, 1, 2]) {
      const at = NOON + day * CUSTOMER_COUNTS_MS
      const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => reserve({ customer: customer(10 * day + index), at })))
      assert.lengthOf(answers.filter(E.isRight), 3)
    }
    assert.equal(await counted(), 3)
    assert.lengthOf(await rowsOf('portfolio_customers'), 3)
  })

  it('are named by digests, and are removed once they no longer count, and their messages a day later', async () => {
    for (const index of [0, 1]) {
      rightOf(await storage.portfolioBudget.take(taking({ customer: customer(index), at: NOON + index * HOUR_MS })))
    }
    const names = [...await rowsOf('portfolio_customers'), ...await rowsOf('portfolio_messages')]
    assert.lengthOf(names, 4)
    for (const name of names) assert.match(name, /^[0-9a-f]{64}$/)
    now = NOON + CUSTOMER_COUNTS_MS
    await storage.removeExpiredClaims()
    assert.lengthOf(await rowsOf('portfolio_customers'), 1)
    assert.equal(await counted(), 1)
    now = NOON + 3 * DAY_MS
    await storage.removeExpiredClaims()
    assert.isEmpty(await rowsOf('portfolio_customers'))
    assert.isEmpty(await rowsOf('portfolio_messages'))
    assert.equal(await counted(), 0)
    rightOf(await storage.portfolioBudget.take(taking({ at: now })))
  })

  it('have no digest of a person who was erased, and keep the place', async () => {
    const of = taking()
    rightOf(await storage.portfolioBudget.take(of))
    const before = await rowsOf('portfolio_customers')
    rightOf(await storage.personalData.erase(workspace, [{ phoneNumber: CUSTOMER }]))
    const after = await rowsOf('portfolio_customers')
    assert.deepEqual([before.length, after.length, await counted()], [1, 1, 1])
    assert.notDeepEqual(after, before)
    assert.deepEqual(await rowsOf('portfolio_messages'), after)
    rightOf(await storage.portfolioBudget.giveBack(of))
    assert.equal(await counted(), 0)
  })

  it('of a portfolio whose row was removed are counted in a new row', async () => {
    rightOf(await reserve())
    for (const table of ['portfolio_counts', 'portfolio_customers']) {
      await execute(opened.db, `DELETE FROM ${table} WHERE portfolio = ?`, [portfolio])
    }
    rightOf(await reserve())
    assert.equal(await counted(), 1)
  })
})
