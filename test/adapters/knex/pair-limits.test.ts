import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { type KnexStorage, storageOver } from '../../../adapters/knex/storage.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { PairTaking } from '../../../core/customers/pair-limit.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { HOUR_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { Draft } from '../../../core/messages/message-log.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { waitFor } from '../../../core/senders/sender-budget.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { fundedWorkspace } from '../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { countRoundTrips, type RoundTrips } from '../../support/round-trips.js'

const NOON = Date.UTC(2026, 10, 28, 12)
const CUSTOMER = '4915123456789' as PhoneNumber
const LIMIT = { intervalMs: 6 * SECOND_MS, burst: 3 }
const PRICE = { micros: 1n, currency: 'USD' as Currency, category: 'service' } as const

await describeEachDatabase('The slots of pairs and senders', (server) => {
  let testDatabase: TestDatabase
  let opened: Database
  let watched: RoundTrips
  let storage: KnexStorage
  let workspace: WorkspaceId
  let now = NOON

  before(async () => {
    testDatabase = await server.createMigrated()
    opened = openDatabase(testDatabase.url)
    watched = countRoundTrips(opened)
    storage = storageOver(watched.database, { url: testDatabase.url, secret: undefined, now: () => now })
  })
  beforeEach(async () => {
    now = NOON
    workspace = await fundedWorkspace(storage, 1_000n)
  })
  after(async () => {
    await storage.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const draftOf = (at = NOON): Draft =>
    ({ id: messageIdOf(randomUUID()), workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'hello' }, price: PRICE, at })
  const taking = (more: Partial<PairTaking> = {}): PairTaking =>
    ({ workspace, inbox: workspace, customer: CUSTOMER, at: NOON, limit: LIMIT, ...more })
  const reserve = (pair: PairTaking) => {
    const reserving = storage.messageMoney.reservingOver?.(storage) ?? assert.fail('there is no such step')
    return reserving(draftOf(pair.at), undefined, undefined, undefined, { pair })
  }
  const rows = () => select(opened.db, 'SELECT pair, in_hour FROM pair_slots WHERE workspace_id = ?', [workspace])

  it('are taken in the transaction that opens the message, and together with those of others', async () => {
    watched.reset()
    rightOf(await reserve(taking()))
    assert.equal(watched.transactions(), 1)
    watched.reset()
    const customers = Array.from({ length: 20 }, (_, index) => `49151234567${10 + index}` as PhoneNumber)
    for (const answer of await Promise.all(customers.map((customer) => reserve(taking({ customer }))))) rightOf(answer)
    assert.equal(watched.transactions(), 1)
  })

  it('above the limit cost one more transaction, and none more as long as the caller goes on', async () => {
    for (const _ of [1, 2, 3]) rightOf(await reserve(taking()))
    watched.reset()
    assert.isTrue(E.isLeft(await reserve(taking())))
    assert.equal(watched.transactions(), 2)
    watched.reset()
    assert.isTrue(E.isLeft(await reserve(taking())))
    assert.equal(watched.transactions(), 1)
  })

  it('are taken by one more message each interval of a caller who never stops', async () => {
    const answers: Array<boolean> = []
    for (let second = 0; second < 36; second += 2) answers.push(E.isRight(await reserve(taking({ at: NOON + second * SECOND_MS }))))
    assert.equal(answers.filter(Boolean).length, LIMIT.burst + 5)
  })

  it('name no customer, and are removed after some hours', async () => {
    rightOf(await storage.pairLimits.take(taking()))
    const [row] = await rows()
    assert.match(String(row?.['pair']), /^[0-9a-f]{64}$/)
    now = NOON + 2 * HOUR_MS
    await storage.removeExpiredClaims()
    assert.lengthOf(await rows(), 1)
    now = NOON + 3 * HOUR_MS
    await storage.removeExpiredClaims()
    assert.isEmpty(await rows())
    rightOf(await storage.pairLimits.take(taking({ at: now })))
  })

  it('of a sender whose row was removed are taken from a new row', async () => {
    const slot = { workspace, sender: senderIdOf(randomUUID()), perSecond: 80, maxWaitMs: 1_000 }
    for (const _ of [1, 2]) {
      rightOf(await storage.senderBudget.take(slot))
      await execute(opened.db, 'DELETE FROM sender_slots WHERE workspace_id = ?', [workspace])
    }
    rightOf(await storage.senderBudget.take(slot))
  })

  it('are moved by a message of a customer in the transaction that stores it, before a send in it takes one', async () => {
    const slot = { workspace, sender: senderIdOf(randomUUID()), perSecond: 0.001, maxWaitMs: 10_000_000 }
    const reserving = storage.messageMoney.reservingOver?.(storage) ?? assert.fail('there is no such step')
    const send = (maxWaitMs: number) => reserving(draftOf(), undefined, undefined, undefined, { slot: { ...slot, maxWaitMs } })
    const store = () => [
      storage.senderBudget.countInbound(slot), storage.windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER }, NOON),
    ]
    for (const answer of await Promise.all(store())) rightOf(answer)
    // A sender at its limit is read first.
    for (const isRead of [false, true]) {
      if (isRead) leftOf(await send(0))
      await execute(opened.db, 'UPDATE sender_slots SET next_slot = 0 WHERE workspace_id = ?', [workspace])
      watched.reset()
      const [sent, ...stored] = await Promise.all([send(slot.maxWaitMs), ...store()])
      for (const answer of stored) rightOf(answer)
      const taken = rightOf(sent)
      assert.equal(watched.transactions(), 1)
      const waitMs = '_tag' in taken && taken._tag === 'Opened' && taken.slot !== undefined ? waitFor(taken.slot) : 0
      assert.approximately(waitMs, 1_000_000, 1_000, 'its slot begins after that of the customer')
    }
  })
})
