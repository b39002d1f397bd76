import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  PULL_LISTENS_MS, type Along, type Event, type EventBacklog, type EventId, type EventOutbox, type EventPosition, type EventType, type Instant,
  type JsonObject, type PortFailure, type StoredEvent, type WorkspaceId,
} from '../../../core/ports/event-outbox.js'

/** What is stored of an event, for a workspace that pulls. */
export const stored = (event: Event, position: EventPosition): StoredEvent => ({ ...event, position })

/** The event of a write without an outcome. */
export const alongOf = (id: EventId, type: EventType, workspace: WorkspaceId, data: JsonObject): Along<void> =>
  () => [{ id, type, workspace, at: 0, subject: workspace, data }]

export const eventOutbox = (events: Array<StoredEvent>, pulls: Map<WorkspaceId, Instant>): EventOutbox => ({
  listens: (workspace: WorkspaceId, at: Instant) => TE.right((pulls.get(workspace) ?? -Infinity) > at - PULL_LISTENS_MS),
  append: (_workspace, added): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => { for (const event of added) events.push(stored(event, events.length + 1)) }),
  after: (workspace, position, limit) =>
    TE.right(events.filter((event) => event.workspace === workspace && event.position > position).slice(0, limit)),
  find: (workspace, id) => TE.right(O.fromNullable(events.find((event) => event.workspace === workspace && event.id === id))),
  notePull: (workspace, at) => TE.fromIO(() => { pulls.set(workspace, at) }),
  removeOld: () => TE.right(0),
  backlog: (): TE.TaskEither<PortFailure, EventBacklog> => TE.right({ stored: events.length, oldest: [] }),
})
