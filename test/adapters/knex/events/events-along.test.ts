import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber, UserId } from '../../../../core/customers/customer.js'
import type { RecordedInbound } from '../../../../core/customers/window.js'
import { SCOPES } from '../../../../core/kernel/actor.js'
import { eventIdOf, type WorkspaceId } from '../../../../core/kernel/ids.js'
import type { JsonObject } from '../../../../core/kernel/json.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Event } from '../../../../core/kernel/outbox.js'
import type { MovedMessage } from '../../../../core/messages/message-log.js'
import { type MessageId, messageIdOf, type PlatformId, type StateChange } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { eventually } from '../../../support/eventually.js'
import { rightOf } from '../../../support/right-of.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)
const PHONE = '15550001' as PhoneNumber

await describeEachStorage('Writes with events over SQL', ({ storage, elsewhere }) => {
  let workspace: WorkspaceId

  beforeEach(async () => { workspace = await fundedWorkspace(storage(), 1_000n) })

  const eventOf = (data: JsonObject): Event => ({
    id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: AT, subject: 'a subject', data,
  })

  /** Calls that are spread over two gateways. */
  const concurrently = <Result>(
    count: number, call: (gateway: KnexStorage, index: number) => Promise<Result>,
  ): Promise<ReadonlyArray<Result>> =>
    Promise.all(Array.from({ length: count }, (_, index) => call(index % 2 === 0 ? storage() : elsewhere(), index)))

  const stored = async (): Promise<ReadonlyArray<JsonObject>> =>
    rightOf(await storage().eventOutbox.after(workspace, 0, 1_000)).map(({ data }) => data)

  const openMessage = async (): Promise<MessageId> => {
    const id = messageIdOf(randomUUID())
    rightOf(await storage().messageLog.open({
      id, workspace, at: AT, price: { micros: 5n, currency: USD, category: 'service' }, message: { _tag: 'Text', to: PHONE, text: 'hello' },
    }))
    return id
  }

  const moved = ({ from, message }: MovedMessage): ReadonlyArray<Event> =>
    [eventOf({ from, to: message.state, states: message.history.map(({ state }) => state) })]

  const inbound = ({ before, lastInbound }: RecordedInbound): ReadonlyArray<Event> => [eventOf({ before: before ?? null, lastInbound })]

  it('gives each change of a transaction the whole message as that change left it', async () => {
    const [one, other] = [await openMessage(), await openMessage()]
    const seen: Array<MovedMessage> = []
    const apply = (id: MessageId, state: StateChange['state'], seconds: number) => storage().messageLog.apply(
      workspace, id, { state, at: AT + seconds * 1_000, platformId: `wamid.${id}` as PlatformId }, (outcome) => {
        seen.push(outcome)
        return moved(outcome)
      },
    )
    // The first is written without reading first, the others after it.
    await apply(one, 'accepted', 1)
    assert.deepEqual(seen, [{ from: 'pending', message: O.toUndefined(rightOf(await storage().messageLog.find(workspace, { id: one }))) }])
    await Promise.all([apply(one, 'sent', 2), apply(one, 'delivered', 3), apply(one, 'sent', 2), apply(other, 'accepted', 4)])
    const [accepted, ...others] = await stored()
    assert.deepEqual(accepted, { from: 'pending', to: 'accepted', states: ['pending', 'accepted'] })
    assert.sameDeepMembers([...others], [
      { from: 'accepted', to: 'sent', states: ['pending', 'accepted', 'sent'] },
      { from: 'sent', to: 'delivered', states: ['pending', 'accepted', 'sent', 'delivered'] },
      { from: 'pending', to: 'accepted', states: ['pending', 'accepted'] },
    ])
  })

  it('opens a window once if the first messages of a user id reach two gateways at once', async () => {
    for (const ids of [{ userId: 'US.aB3x' as UserId, phoneNumber: PHONE }, { userId: 'US.cD4y' as UserId }]) {
      const earlier = (await stored()).length
      await concurrently(30, async ({ windowClock }, index) => {
        rightOf(await windowClock.recordInbound(workspace, ids, AT + index, undefined, inbound))
      })
      const outcomes = (await stored()).slice(earlier)
      assert.lengthOf(outcomes, 30)
      assert.deepEqual(outcomes.map(({ before }) => before), [null, ...outcomes.slice(0, -1).map(({ lastInbound }) => lastInbound)])
      assert.equal(outcomes.at(-1)?.['lastInbound'], AT + 29)
    }
  })

  it('reports that a number has not written before if only its user id has', async () => {
    const userId = 'US.eF5z' as UserId
    rightOf(await storage().windowClock.recordInbound(workspace, { userId, phoneNumber: PHONE }, AT))
    rightOf(await storage().windowClock.recordInbound(workspace, { phoneNumber: PHONE }, AT + 5, undefined, inbound))
    rightOf(await storage().windowClock.recordInbound(workspace, { userId, phoneNumber: PHONE }, AT + 7, undefined, inbound))
    assert.deepEqual(await stored(), [{ before: null, lastInbound: AT + 5 }, { before: AT, lastInbound: AT + 7 }])
  })

  it('writes neither a change nor its events if the events cannot be stored, and writes the others of the transaction', async () => {
    const ids = [await openMessage(), await openMessage(), await openMessage()]
    const notJson: unknown = 1n
    const outcomes = await Promise.all(ids.map((id, index) => storage().messageLog.apply(
      workspace, id, { state: 'accepted', at: AT }, (outcome) =>
        index === 1 ? [eventOf({ amount: notJson as string })] : moved(outcome),
    )))
    assert.deepEqual(outcomes.map(E.isRight), [true, false, true])
    assert.lengthOf(await stored(), 2)
    const found = rightOf(await storage().messageLog.find(workspace, { id: ids[1] as MessageId }))
    assert.equal(O.toUndefined(found)?.state, 'pending')
  })

  it('calls the listeners after a commit that stored events, and after no other', async () => {
    const heard: Array<number> = []
    const stop = storage().onEvents(() => { void stored().then((events) => heard.push(events.length)) })
    try {
      await storage().messageLog.apply(workspace, await openMessage(), { state: 'accepted', at: AT })
      await storage().messageLog.apply(workspace, await openMessage(), { state: 'accepted', at: AT }, moved)
      await eventually('the first call', () => heard[0])
      rightOf(await storage().keyStore.mint({ workspace, name: 'a key', at: AT, scopes: SCOPES }, () => [eventOf({})]))
      await eventually('the second call', () => heard[1])
    } finally {
      stop()
    }
    rightOf(await storage().eventOutbox.append(workspace, [eventOf({})]))
    assert.lengthOf(await stored(), 3)
    assert.deepEqual(heard, [1, 2])
  })
})
