import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type EventOutbox, PULL_LISTENS_MS, type StoredEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { type EndpointRecord, type EventState, type EventStream, storeEvents, streamOf } from './event-state.js'
import { infallible } from './task.js'

/** The events of all workspaces in memory. */
export const makeMemoryEventOutbox = (state: EventState): EventOutbox => ({
  listens: (workspace, at) =>
    infallible(() => state.hasBroker || isPulled(state.streams.get(workspace), at) || enabledOf(state, workspace).length > 0),
  append: (_workspace, events) => infallible(() => storeEvents(state, events)),
  after: (workspace, position, limit) =>
    infallible(() => eventsOf(state, workspace).filter((event) => event.position > position).slice(0, limit)),
  find: (workspace, id) => infallible(() => O.fromNullable(eventsOf(state, workspace).find((event) => event.id === id))),
  notePull: (workspace, at) =>
    infallible(() => {
      const stream = streamOf(state, workspace)
      stream.pulledAt = Math.max(at, stream.pulledAt ?? at)
    }),
  removeOld: (before, at) => infallible(() => removeEvents(state, before) + removeContents(state, at)),
  backlog: (limit) =>
    infallible(() => {
      const oldest = [...state.streams].flatMap(([workspace, stream]) => {
        const waiting = stream.events.find((event) => isAwaited(state, stream, event))
        return waiting === undefined ? [] : [{ workspace, at: waiting.at }]
      })
      const stored = [...state.streams.values()].reduce((count, { events }) => count + events.length, 0)
      return { stored, oldest: oldest.sort((a, b) => a.at - b.at).slice(0, limit) }
    }),
})

const eventsOf = ({ streams }: EventState, workspace: WorkspaceId): ReadonlyArray<StoredEvent> => streams.get(workspace)?.events ?? []

const isPulled = (stream: EventStream | undefined, at: Instant): boolean => stream?.pulledAt !== undefined && at - stream.pulledAt < PULL_LISTENS_MS

const enabledOf = ({ endpoints }: EventState, workspace: WorkspaceId): ReadonlyArray<EndpointRecord> =>
  [...endpoints.values()].filter(({ endpoint }) => endpoint.workspace === workspace && endpoint.status === 'enabled')

/** Whether an endpoint or the broker has not got an event yet. */
const isAwaited = (state: EventState, { brokerPosition }: EventStream, { id, workspace, position }: StoredEvent): boolean =>
  (state.hasBroker && position > brokerPosition) ||
  enabledOf(state, workspace).some((record) => position > record.position || record.retries.has(id))

const removeEvents = (state: EventState, before: Instant): number => {
  let removed = 0
  for (const stream of state.streams.values()) {
    const [kept, old] = [stream.events.filter(({ at }) => at >= before), stream.events.filter(({ at }) => at < before)]
    for (const { id } of old) for (const { retries } of state.endpoints.values()) retries.delete(id)
    removed += old.length
    stream.events = kept
  }
  for (const record of state.endpoints.values()) record.attempts = record.attempts.filter(({ at }) => at >= before)
  return removed
}

const removeContents = (state: EventState, at: Instant): number => {
  let removed = 0
  for (const stream of state.streams.values()) {
    if (isPulled(stream, at)) continue
    stream.events = stream.events.map((event) => {
      if (event.content === undefined || isAwaited(state, stream, event)) return event
      removed += 1
      const { content: _content, ...rest } = event
      return rest
    })
  }
  return removed
}
