import type { EventOutbox, OutboxEntry } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { type DeliveryDeadlines, isOverdue, type SettledDeadlines } from '../../core/messages/deadlines.js'
import type { Draft } from '../../core/messages/message-log.js'
import { MESSAGE_STATES, type MessageRecord } from '../../core/messages/message.js'
import type { StoragePorts } from '../../core/ports.js'
import { eventsOf, newEvent } from './entries-fixture.js'
import { done, holds, same } from './expect.js'
import { longAgo, newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, newKey, openMessageWorkspace } from './message-fixture.js'

/** The deadlines and the ports over the same storage that write them, and see what they store. No other deadline may be added while a law runs. */
export type DeliveryDeadlinesFixture = MessageLogFixture & Pick<StoragePorts, 'messageMoney' | 'wallet' | 'freeMessages'> & {
  readonly deliveryDeadlines: DeliveryDeadlines
  readonly eventOutbox: EventOutbox
  /** The same deadlines as another node has them, if there are several nodes. */
  readonly elsewhere?: { readonly deliveryDeadlines: DeliveryDeadlines }
}

const MANY = 10_000
const DISTANT = Date.UTC(2100, 0, 1)

/** An event that contains the message and its state. */
const entriesOf = ({ workspace, id, state }: MessageRecord): ReadonlyArray<OutboxEntry> => [newEvent(workspace, { id, state })]

const settle = (
  { deliveryDeadlines }: Pick<DeliveryDeadlinesFixture, 'deliveryDeadlines'>, until: Instant, limit = MANY,
): Promise<SettledDeadlines> => done('due deadlines are settled', deliveryDeadlines.settle(until, limit, entriesOf))

/** A workspace, a time at which nothing else is due, and the events of overdue messages. Deadlines that other laws have left are removed first. */
const openAwaiting = async (fixture: DeliveryDeadlinesFixture): Promise<MessageWorkspace & {
  readonly due: Instant
  readonly events: () => Promise<ReadonlyArray<unknown>>
}> => {
  for (let left = MANY; left === MANY;) ({ removed: left } = await settle(fixture, DISTANT))
  const log = await openMessageWorkspace(fixture)
  return { ...log, due: longAgo(), events: async () => (await eventsOf(fixture, log.workspace)).map(({ data }) => data) }
}

const sent = (id: Draft['id']) => ({ id, state: 'sent' })

/** The promises of every `DeliveryDeadlines` over the same storage as its `MessageLog`. */
export const deliveryDeadlinesLaws: ReadonlyArray<Law<DeliveryDeadlinesFixture>> = [
  {
    name: 'a message that is not delivered at its deadline is overdue once, and its entries are stored',
    check: async (fixture) => {
      const [ours, theirs] = [await openAwaiting(fixture), await openMessageWorkspace(fixture)]
      const { due } = ours
      const [first, second] = [await ours.opened({ confirmBy: due }), await theirs.opened({ confirmBy: due })]
      for (const [log, { id }] of [[ours, first], [theirs, second]] as const) await log.apply(id, { state: 'sent', at: due - 1 })
      same('both are overdue', await settle(fixture, due), { removed: 2, overdue: 2 })
      same('again', await settle(fixture, due + 1), { removed: 0, overdue: 0 })
      same('the entry of one', await ours.events(), [sent(first.id)])
      same('the entry of the other', (await eventsOf(fixture, theirs.workspace)).map(({ data }) => data), [sent(second.id)])
    },
  },
  {
    name: 'a message is overdue in each state of isOverdue, and in no other',
    check: async (fixture) => {
      const log = await openAwaiting(fixture)
      // A message that is queued is opened in another way, and only such a message is canceled.
      for (const state of MESSAGE_STATES.filter((one) => one !== 'queued' && one !== 'canceled')) {
        const before = (await log.events()).length
        const { id } = await log.opened({ confirmBy: log.due })
        if (state !== 'pending') await log.apply(id, { state, at: log.due - 1, platformId: newPlatformId() })
        same(`${state}: its deadline is removed`, await settle(fixture, log.due), { removed: 1, overdue: isOverdue(state) ? 1 : 0 })
        same(`${state}: its entries`, (await log.events()).slice(before), isOverdue(state) ? [{ id, state }] : [])
      }
    },
  },
  {
    name: 'a deadline is left alone until its time, and a message without one is never overdue',
    check: async (fixture) => {
      const { opened, due, events } = await openAwaiting(fixture)
      await opened()
      const { id } = await opened({ confirmBy: due })
      same('before its time', await settle(fixture, due - 1), { removed: 0, overdue: 0, next: due })
      same('no entries', await events(), [])
      same('at its time', await settle(fixture, due), { removed: 1, overdue: 1 })
      same('its entries', await events(), [{ id, state: 'pending' }])
      same('long after', await settle(fixture, DISTANT), { removed: 0, overdue: 0 })
    },
  },
  {
    name: 'at most the given number of deadlines is removed, earliest first, and the earliest that is left is named',
    check: async (fixture) => {
      const { opened, due, events } = await openAwaiting(fixture)
      const ids = new Map<number, string>()
      for (const place of [2, 0, 4, 1, 3]) ids.set(place, (await opened({ confirmBy: due + place })).id)
      const at = (...places: ReadonlyArray<number>) => places.map((place) => ({ id: ids.get(place), state: 'pending' }))
      same('two of them', await settle(fixture, due + 3, 2), { removed: 2, overdue: 2, next: due + 2 })
      same('their entries', await events(), at(0, 1))
      same('the rest until then', await settle(fixture, due + 3, 2), { removed: 2, overdue: 2, next: due + 4 })
      same('all entries', await events(), at(0, 1, 2, 3))
    },
  },
  {
    name: 'of concurrent calls one removes a deadline',
    check: async (fixture) => {
      const { opened, due, events } = await openAwaiting(fixture)
      const drafts = [...await Promise.all(times(12, (index) => opened({ confirmBy: due + index })))]
      const nodes = times(6, (index) => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture))
      const settled = await Promise.all(nodes.map((node) => settle(node, due + drafts.length)))
      const last = await settle(fixture, due + drafts.length)
      const counts = [...settled, last]
      same('all are removed', counts.reduce((sum, { removed }) => sum + removed, 0), drafts.length)
      same('all are overdue', counts.reduce((sum, { overdue }) => sum + overdue, 0), drafts.length)
      const seen = (await events()).map((data) => (data as { readonly id: string }).id)
      same('each has its entries once', seen.toSorted(), drafts.map(({ id }) => id as string).toSorted())
    },
  },
  {
    name: 'a message that is delivered while deadlines are settled has no entries after its delivery',
    check: async (fixture) => {
      const { opened, workspace, due } = await openAwaiting(fixture)
      const drafts = await Promise.all(times(12, () => opened({ confirmBy: due })))
      const delivered = ({ id }: Draft) => done('a delivery is reported', fixture.messageLog.apply(
        workspace, id, { state: 'delivered', at: due }, ({ message }) => [newEvent(workspace, { id: message.id, state: 'delivered' })],
      ))
      await Promise.all([settle(fixture.elsewhere ?? fixture, due), ...drafts.map(delivered)])
      const states = new Map<string, ReadonlyArray<string>>()
      for (const { data } of await eventsOf(fixture, workspace)) {
        const { id, state } = data as { readonly id: string; readonly state: string }
        states.set(id, [...states.get(id) ?? [], state])
      }
      for (const { id } of drafts) holds('the delivery is the last', states.get(id)?.at(-1) === 'delivered', states.get(id))
    },
  },
  {
    name: 'a message that is opened together with its hold has its deadline, and one whose key guards another message has none',
    check: async (fixture) => {
      const { draft, due, events } = await openAwaiting(fixture)
      const reserving = fixture.messageMoney.reservingOver?.(fixture) ?? fixture.messageLog.open
      const claim = { key: newKey(), request: 'a' }
      const [first, again] = times(2, (index) => draft({ claim, confirmBy: due + index, price: { ...draft().price, micros: 0n } }))
      if (first === undefined || again === undefined) return
      for (const one of [first, again]) await done('a reservation', reserving(one, undefined))
      same('one deadline', await settle(fixture, due + 1), { removed: 1, overdue: 1 })
      same('its entries', await events(), [{ id: first.id, state: 'pending' }])
    },
  },
  {
    name: 'an overdue message stays as it is',
    check: async (fixture) => {
      const { opened, apply, found, due } = await openAwaiting(fixture)
      const { id } = await opened({ confirmBy: due })
      await apply(id, { state: 'accepted', at: due - 1, platformId: newPlatformId() })
      const before = await found(id)
      await settle(fixture, due)
      same('the message', await found(id), before)
      same('a later report', await apply(id, { state: 'delivered', at: due + 1 }), 'delivered')
    },
  },
]
