import * as O from 'fp-ts/lib/Option.js'
import { PLATFORM_NOTIFICATION, PULL_LISTENS_MS } from '../../core/kernel/outbox.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { addedEndpoint, newEvent, NOON, openEndpoint } from './event-fixture.js'
import { after, append, eventIn, type EventOutboxFixture, listens, relays, withContent } from './event-outbox-fixture.js'
import { removalLaws } from './event-outbox-removal.js'
import { done, holds, lookDuring, same } from './expect.js'
import { LONG_NUMBERS, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { TRACE } from './message-fixture.js'

export type { EventOutboxFixture } from './event-outbox-fixture.js'
export { eventOutboxBrokerLaws } from './event-outbox-broker.js'

/** The promises of every `EventOutbox`. */
export const eventOutboxLaws: ReadonlyArray<Law<EventOutboxFixture>> = [
  {
    name: 'nothing listens to a workspace without an endpoint whose application never asked for events',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await append(fixture, workspace, [newEvent(workspace)])
      same('a workspace with an event', await listens(fixture, workspace), false)
      same('a workspace that does not exist', await listens(fixture, newWorkspaceId()), false)
    },
  },
  {
    name: 'something listens to a workspace as long as one of its endpoints is enabled',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await listens(fixture, workspace)
      const [first, second] = [await addedEndpoint(fixture, workspace), await addedEndpoint(fixture, workspace)]
      same('with endpoints', await listens(fixture, workspace), true)
      await done('an endpoint is disabled', fixture.eventEndpoints.change(first.id, { status: 'disabled' }, NOON))
      same('with one that is enabled', await listens(fixture, workspace), true)
      await done('the other is removed', fixture.eventEndpoints.remove(second.id))
      same('with one that is disabled', await listens(fixture, workspace), false)
      await done('it is enabled', fixture.eventEndpoints.change(first.id, { status: 'enabled' }, NOON))
      same('with one that is enabled again', await listens(fixture, workspace), true)
      same('another workspace', await listens(fixture, (await fixture.openWorkspace()).workspace), false)
    },
  },
  {
    name: "the platform's notifications are for a workspace with an enabled endpoint that gets them, which listens to nothing else",
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const other = await addedEndpoint(fixture, workspace)
      same('with an endpoint of events', await relays(fixture, workspace), false)
      const endpoint = await addedEndpoint(fixture, workspace, { types: [PLATFORM_NOTIFICATION] })
      same('with one of notifications, too', await relays(fixture, workspace), true)
      same('the events still have a listener', await listens(fixture, workspace), true)
      await done('the endpoint of events is removed', fixture.eventEndpoints.remove(other.id))
      same('the events have none without the other', await listens(fixture, workspace), false)
      same('the notifications have theirs', await relays(fixture, workspace), true)
      await done('it is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      same('with one that is disabled', await relays(fixture, workspace), false)
      same('another workspace', await relays(fixture, (await fixture.openWorkspace()).workspace), false)
    },
  },
  {
    name: 'something listens to a workspace for a week after its application asked for events',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await listens(fixture, workspace)
      await done('a pull is noted', fixture.eventOutbox.notePull(workspace, NOON))
      same('at once', await listens(fixture, workspace), true)
      same('nearly a week later', await listens(fixture, workspace, NOON + PULL_LISTENS_MS - 1), true)
      same('a week and an hour later', await listens(fixture, workspace, NOON + PULL_LISTENS_MS + HOUR_MS), false)
      await done('a later pull is noted', fixture.eventOutbox.notePull(workspace, NOON + 2 * HOUR_MS))
      await done('an earlier pull is noted', fixture.eventOutbox.notePull(workspace, NOON + HOUR_MS))
      same('a week after the later one', await listens(fixture, workspace, NOON + PULL_LISTENS_MS + HOUR_MS), true)
      same('another workspace', await listens(fixture, (await fixture.openWorkspace()).workspace), false)
    },
  },
  {
    name: 'events come back as they were stored, in their order',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const events = [
        newEvent(workspace, {
          data: { text: 'Grüße 🙂 "\\\u0001', nested: { list: [1.5, null, true, {}] }, ...LONG_NUMBERS }, subject: 'DE.aBc',
        }),
        withContent(workspace), newEvent(workspace, { type: 'wallet.topped_up', at: NOON + 1 }),
        withContent(workspace, { content: { content: LONG_NUMBERS, context: { id: 'wamid.0' } } }),
      ]
      await append(fixture, workspace, events)
      const stored = await after(fixture, workspace)
      same('what is stored', stored.map(eventIn), events)
      holds('positions are whole numbers above zero that grow', stored.every(({ position }, index) =>
        Number.isSafeInteger(position) && position > (stored[index - 1]?.position ?? 0)), stored.map(({ position }) => position))
      await append(fixture, workspace, [])
      same('after nothing was appended', (await after(fixture, workspace)).length, 4)
    },
  },
  {
    name: 'the trace context of an event is kept with it, whatever is stored beside it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const events = [
        newEvent(workspace), newEvent(workspace, { trace: TRACE }), withContent(workspace, { trace: TRACE }), newEvent(workspace),
      ]
      await append(fixture, workspace, events)
      same('what is stored', (await after(fixture, workspace)).map(eventIn), events)
    },
  },
  {
    name: 'a reader gets the events after a position, at most as many as it asks for',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const events = times(5, () => newEvent(workspace))
      for (const event of events) await append(fixture, workspace, [event])
      const all = await after(fixture, workspace)
      const [, second] = all
      same('the first two', await after(fixture, workspace, 0, 2), all.slice(0, 2))
      same('the next two', await after(fixture, workspace, second?.position, 2), all.slice(2, 4))
      same('the last', await after(fixture, workspace, all[3]?.position, 2), all.slice(4))
      same('after the last', await after(fixture, workspace, all[4]?.position, 2), [])
      same('far beyond', await after(fixture, workspace, Number.MAX_SAFE_INTEGER, 2), [])
      same('a workspace that does not exist', await after(fixture, newWorkspaceId()), [])
    },
  },
  {
    name: 'of the events of a workspace with one key the first is stored',
    check: async (fixture) => {
      const [{ workspace }, other] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const keyed = (key: string, of = workspace) => newEvent(of, { key, data: { key } })
      const keys = [
        'received:wamid.1', 'received:wamid.1', 'received:WAMID.1', 'received:wamid.1 ', 'x'.repeat(5_000), `${'x'.repeat(4_999)}y`,
      ]
      const events = keys.map((key) => keyed(key))
      await append(fixture, workspace, events)
      await append(fixture, workspace, [newEvent(workspace, { data: { key: null } }), keyed('received:wamid.1'), keyed('received:wamid.2')])
      await append(fixture, other.workspace, [keyed('received:wamid.1', other.workspace)])
      same('what is stored', (await after(fixture, workspace)).map(({ data }) => data['key']), [...keys.slice(1), null, 'received:wamid.2'])
      same('the first is kept', (await after(fixture, workspace))[0]?.id, events[0]?.id)
      same('another workspace', (await after(fixture, other.workspace)).length, 1)
    },
  },
  {
    name: 'a reader sees all events of an append or none',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const groups = times(20, (group) => times(5, () => newEvent(workspace, { subject: String(group) })))
      const nodes = [fixture, fixture.elsewhere ?? fixture] as const
      const counts: number[] = []
      const appends = groups.map((group, index) => append(nodes[index % 2] ?? fixture, workspace, group))
      await lookDuring(appends, async () => {
        const seen = await after(fixture, workspace)
        counts.push(...groups.map((_, index) => seen.filter(({ subject }) => subject === String(index)).length))
      })
      holds('each look sees whole appends', counts.every((count) => count === 0 || count === 5), counts)
      const stored = await after(fixture, workspace)
      for (const [index, group] of groups.entries()) {
        same(
          'the events of an append, in their order', stored.filter(({ subject }) => subject === String(index)).map(({ id }) => id),
          group.map(({ id }) => id),
        )
      }
    },
  },
  {
    name: 'an event is found by its id, and never from another workspace',
    check: async (fixture) => {
      const [{ workspace }, other] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const event = withContent(workspace)
      await append(fixture, workspace, [newEvent(workspace), event])
      const [, stored] = await after(fixture, workspace)
      const find = (of: typeof workspace, id: typeof event.id) => done('an event is looked for', fixture.eventOutbox.find(of, id))
      same('it is found', await find(workspace, event.id), O.fromNullable(stored))
      same('from another workspace', await find(other.workspace, event.id), O.none)
      same('an id that no event has', await find(workspace, newEvent(workspace).id), O.none)
      same('a workspace that does not exist', await find(newWorkspaceId(), event.id), O.none)
    },
  },
  {
    name: 'a workspace lists only its own events',
    check: async (fixture) => {
      const workspaces = await Promise.all(times(3, () => openEndpoint(fixture)))
      await Promise.all(times(12, (index) => {
        const { workspace } = workspaces[index % 3] ?? { workspace: newWorkspaceId() }
        return append(fixture, workspace, [newEvent(workspace, { subject: newName() })])
      }))
      for (const { workspace } of workspaces) {
        const own = await after(fixture, workspace)
        same('how many', own.length, 4)
        holds('all are its own', own.every((event) => event.workspace === workspace), own)
      }
    },
  },
  ...removalLaws,
]
