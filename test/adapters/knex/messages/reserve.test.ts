import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { type KnexStorage, storageOver } from '../../../../adapters/knex/storage.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { parseHours } from '../../../../core/customers/hours.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Claim, Draft } from '../../../../core/messages/message-log.js'
import { type IdempotencyKey, messageIdOf } from '../../../../core/messages/message.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { SECRET } from '../../../support/gateway.js'
import { countRoundTrips, type RoundTrips } from '../../../support/round-trips.js'

const PRICE = { micros: 3n, currency: 'USD' as Currency, category: 'service' } as const

await describeEachDatabase('The write that opens a message and holds its price', (server) => {
  let testDatabase: TestDatabase
  let watched: RoundTrips
  let storage: KnexStorage
  let workspace: WorkspaceId

  const open = async (cohort?: number): Promise<void> => {
    watched = countRoundTrips(openDatabase(testDatabase.url))
    storage = storageOver(watched.database, { url: testDatabase.url, secret: SECRET, ...(cohort !== undefined && { cohort }) })
    workspace = await fundedWorkspace(storage, 100n)
    watched.reset()
  }
  before(async () => { testDatabase = await server.createMigrated() })
  afterEach(() => storage.close())
  after(() => testDatabase[Symbol.asyncDispose]())

  const draftOf = (claim?: Claim): Draft => ({
    id: messageIdOf(randomUUID()), workspace, message: { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' }, price: PRICE,
    at: Date.now(), ...(claim && { claim }),
  })
  const reserving = () => storage.messageMoney.reservingOver?.(storage) ?? assert.fail('there is no such step')

  it('is one write, even if no two writes may share a transaction', async () => {
    await open(1)
    const drafts = [draftOf(), draftOf({ key: randomUUID() as IdempotencyKey, request: 'a' })]
    await Promise.all(drafts.map(async (draft) => { assert.deepEqual(rightOf(await reserving()(draft, undefined)), { _tag: 'Opened' }) }))
    assert.equal(watched.transactions(), drafts.length)
  })

  it('answers repetitions in one transaction with the message as it was opened', async () => {
    await open()
    const claim = { key: randomUUID() as IdempotencyKey, request: 'a' }
    const [first, same, other] = [draftOf(claim), draftOf(claim), draftOf({ ...claim, request: 'b' })]
    const offer = { phoneNumberId: senderIdOf(randomUUID()), month: '2026-11', limit: 1 }
    const answers = (await Promise.all([first, same, other].map((draft) => reserving()(draft, undefined, undefined, offer)))).map(rightOf)
    assert.equal(watched.transactions(), 1)
    const [opened, ...repeated] = answers
    assert.deepEqual(opened, { _tag: 'Opened', isFree: true })
    assert.deepEqual(
      repeated.map((answer) => answer._tag === 'Claimed' && [answer.by.id, answer.by.price.micros, answer.sameRequest]),
      [[first.id, 0n, true], [first.id, 0n, false]],
    )
    assert.deepEqual<unknown>(rightOf(await storage.messageLog.claimed(workspace, claim, Date.now())), { _tag: 'Some', value: repeated[0] })
  })

  it('queues a message and holds its price once, and the hold follows it out of the queue', async () => {
    await open()
    const balance = async () => {
      const { available, held } = O.getOrElseW(() => assert.fail('there is no wallet'))(rightOf(await storage.ledger.balance(workspace)))
      return [available, held]
    }
    const hours = rightOf(parseHours({ from: '22:00', to: '06:00', days: ['mon'], timezone: 'Europe/Berlin' }))
    const draft: Draft = { ...draftOf(), sender: senderIdOf('1'), queue: { dueAt: 1, endsAt: Date.now() + DAY_MS, hours } }
    assert.deepEqual(rightOf(await reserving()(draft, undefined)), { _tag: 'Opened' })
    assert.deepEqual(await balance(), [97n, 3n])
    const due = rightOf(await storage.messageQueue.due({ workspace, sender: '1', at: Date.now(), limit: 10 }))
    assert.deepEqual(due.map(({ record, place }) => [record.id, record.state, place]), [[draft.id, 'queued', draft.queue]])
    const hold = { workspace, message: draft.id, amount: PRICE, at: Date.now() }
    rightOf(await storage.wallet.hold(hold))
    assert.deepEqual(await balance(), [97n, 3n])
    assert.isTrue(rightOf(await storage.messageQueue.claim({ workspace, message: draft.id }, Date.now())))
    rightOf(await storage.wallet.capture(hold))
    assert.deepEqual(await balance(), [97n, 0n])
  })
})
