import type { RecordedInbound } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MakeOutboxEntries, StoredEvent } from '../../core/kernel/outbox.js'
import { apply, type EntriesFixture, eventsOf, newEvent, nodeOf, NOON, opened, record, storedData } from './entries-fixture.js'
import { done, holds, lookDuring, same } from './expect.js'
import { newName, newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import { minted, MINTED_AT } from './key-fixture.js'
import type { Law } from './law.js'

/** The order of the stored events of writes, and which of them are stored. */
export const storedEntriesLaws: ReadonlyArray<Law<EntriesFixture>> = [
  {
    name: 'a write without events stores none',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const id = await opened(fixture, workspace, currency)
      await done('a change', fixture.messageLog.apply(workspace, id, { state: 'accepted', at: NOON }))
      await apply(fixture, workspace, id, { state: 'sent', at: NOON }, () => [])
      await done('an inbound message', fixture.windowClock.recordInbound(workspace, { phoneNumber: newPhoneNumber() }, NOON))
      await done('a fact', fixture.customers.learn(workspace, newPhoneNumber(), { _tag: 'Paired', other: newUserId(), at: NOON }))
      await done('a top-up', fixture.ledger.topUp({ workspace, micros: 1n, reference: newName(), at: NOON }))
      const key = await minted(fixture, workspace)
      const successor = await done('its successor', fixture.keyStore.rotate(key.id, { at: MINTED_AT, overlapMs: 1 }))
      await done('its end', fixture.keyStore.revoke(successor.id, MINTED_AT))
      same('nothing is stored', await storedData(fixture, workspace), [])
    },
  },
  {
    name: 'the events of one write are stored as they were made, side by side and in their order',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const events = times(5, (index) => newEvent(workspace, { index, text: 'Grüße 🙂 "\\', nested: { list: [1, null, true] } }, {
        type: index % 2 === 0 ? 'message.received' : 'window.opened', at: NOON + index, subject: `subject ${index}`,
        ...(index === 2 && { content: { content: { body: 'Hallo' }, context: null } }),
      }))
      await Promise.all(
        times(10, (index) => record(nodeOf(fixture, index), workspace, newPhoneNumber(), NOON, index === 5 ? () => events : undefined)),
      )
      const stored = await eventsOf(fixture, workspace)
      const first = stored.findIndex(({ id }) => id === events[0]?.id)
      same('all are stored', stored.length, 14)
      same('in their order', stored.slice(first, first + 5).map(({ position: _position, ...event }) => event), events)
    },
  },
  {
    name: 'an event whose key the workspace has already is left out, and its write is made all the same',
    check: async (fixture) => {
      const [{ workspace }, other] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const customer = newPhoneNumber()
      const keyed = (of: WorkspaceId, index: number, key: string): MakeOutboxEntries<RecordedInbound> => () =>
        [newEvent(of, { index }, { key }), newEvent(of, { index, other: true })]
      await record(fixture, workspace, customer, NOON, keyed(workspace, 0, 'received:1'))
      await record(fixture, workspace, customer, NOON + 1, keyed(workspace, 1, 'received:1'))
      await record(fixture, workspace, customer, NOON + 2, keyed(workspace, 2, 'received:2'))
      await record(fixture, other.workspace, customer, NOON, keyed(other.workspace, 3, 'received:1'))
      same('what is stored', await storedData(fixture, workspace), [
        { index: 0 }, { index: 0, other: true }, { index: 1, other: true }, { index: 2 }, { index: 2, other: true },
      ])
      same('another workspace', await storedData(fixture, other.workspace), [{ index: 3 }, { index: 3, other: true }])
      const last = await done('the last inbound message', fixture.windowClock.lastInbound(workspace, customer))
      same('the window', last._tag === 'Some' ? last.value : undefined, NOON + 2)
    },
  },
  {
    name: 'of concurrent writes that report the same, one event is stored',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await Promise.all(times(20, (index) =>
        record(nodeOf(fixture, index), workspace, customer, NOON, () =>
          [newEvent(workspace, { index: index % 5 }, { key: `received:${index % 5}` })])))
      same('one of each', (await storedData(fixture, workspace)).map(({ index }) => Number(index)).sort((a, b) => a - b), [0, 1, 2, 3, 4])
    },
  },
  {
    name: 'a workspace has only its own events',
    check: async (fixture) => {
      const workspaces = await Promise.all(times(3, () => fixture.openWorkspace()))
      await Promise.all(times(30, (index) => {
        const { workspace } = workspaces[index % 3] ?? { workspace: newWorkspaceId() }
        return record(nodeOf(fixture, index), workspace, newPhoneNumber(), NOON, () => [newEvent(workspace, { workspace })])
      }))
      for (const { workspace } of workspaces) same('a workspace', await storedData(fixture, workspace), times(10, () => ({ workspace })))
    },
  },
  {
    name: 'positions grow, and a reader who follows them misses no event while many write at once',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const ids = await Promise.all(times(60, () => opened(fixture, workspace, currency)))
      const writes = ids.map(async (id, index) => {
        const node = nodeOf(fixture, index)
        await apply(node, workspace, id, { state: 'accepted', at: NOON })
        await record(node, workspace, newPhoneNumber(), NOON)
        await apply(nodeOf(fixture, index + 1), workspace, id, { state: 'delivered', at: NOON })
      })
      const seen: StoredEvent[] = []
      const readOn = async (limit: number): Promise<void> => {
        seen.push(...await eventsOf(fixture, workspace, seen.at(-1)?.position ?? 0, limit))
      }
      await lookDuring(writes, () => readOn(7))
      await readOn(10_000)
      holds(
        'positions grow', seen.every(({ position }, index) => position > (seen[index - 1]?.position ?? 0)),
        seen.map(({ position }) => position),
      )
      same('every event is seen once', seen.length, 180)
      same('as they are stored', seen.map(({ id }) => id), (await eventsOf(fixture, workspace)).map(({ id }) => id))
      for (const id of ids) {
        same(
          'the moves of a message in their order', seen.filter(({ data }) => data['id'] === id).map(({ data }) => data['state']),
          ['accepted', 'delivered'],
        )
      }
    },
  },
]
