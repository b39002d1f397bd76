import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { type KnexStorage, openStorage } from '../../../adapters/knex/index.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { Claim, Draft } from '../../../core/messages/message-log.js'
import { type IdempotencyKey, messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { type Account, createAccount } from '../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { SECRET } from '../../support/gateway.js'
import { PRICE } from '../../support/load.js'
import { rightOf } from '../../support/right-of.js'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'

await describeEachDatabase('The writes of a send that is alone', (server) => {
  // A file has no round trips.
  if (server.name === 'SQLite') return

  let database: TestDatabase
  let proxy: TcpProxy
  let storage: KnexStorage
  let account: Account

  before(async () => {
    database = await server.createMigrated()
    proxy = await openTcpProxy(database.url)
    storage = openStorage({ url: proxy.url, secret: SECRET })
    account = await createAccount(storage, { micros: 10n * PRICE, phoneNumberId: '1000' })
  })
  after(async () => {
    await storage.close()
    await proxy.close()
    await database[Symbol.asyncDispose]()
  })

  /** How often the gateway waits for the database until some work is done. */
  const waitsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips()
    await work()
    return proxy.roundTrips() - before
  }

  for (const isKeyed of [false, true]) it(`wait for the database five times ${isKeyed ? 'with a new idempotency key' : 'without a key'}`, async () => {
    const { messageLog, wallet } = storage
    const id = messageIdOf(randomUUID())
    const at = Date.now()
    const price = { micros: PRICE, currency: 'USD' as Currency, category: 'marketing' as const }
    const claim: Claim = { key: randomUUID() as IdempotencyKey, request: 'hello' }
    const draft: Draft = {
      id, workspace: account.id, message: { _tag: 'Text', to: '15550100001' as CustomerId, text: 'hello' }, price, at,
      ...(isKeyed && { claim }),
    }
    const reserve = storage.messageMoney.reservingOver?.({ messageLog, wallet }) ?? assert.fail('it has no joint step')
    const open = async () => { assert.deepEqual(rightOf(await reserve(draft, undefined)), { _tag: 'Opened' }) }
    const settle = () => Promise.all([
      messageLog.apply(account.id, id, { state: 'accepted', at, platformId: `wamid.${id}` as PlatformId }),
      wallet.capture({ workspace: account.id, message: id, at }),
    ])
    assert.equal(await waitsOf(open), 3, 'BEGIN with what is read, what is written, COMMIT')
    assert.equal(await waitsOf(settle), 2, 'BEGIN with what is written, COMMIT')
    assert.equal(rightOf(await wallet.holdOf({ workspace: account.id, message: id })), 'captured')
  })
})
