import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Event, EventId, EventPosition, StoredEvent } from '../event.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export type { Along, Event, EventId, EventPosition, EventType, StoredEvent } from '../event.js'
export type { JsonObject } from '../json.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * The events of all workspaces, in the order in which they became durable.
 *
 * Most events are written by the other ports, together with the write that they describe (`Along`).
 */
export interface EventOutbox {
  /**
   * Whether anything listens to a workspace: an enabled endpoint, a broker, or an application that asked for events within `PULL_LISTENS_MS`.
   *
   * A use case makes events only where something does. A change through this adapter counts at once, one by another process within two seconds.
   */
  readonly listens: (workspace: WorkspaceId, at: Instant) => TaskEither<PortFailure, boolean>
  /** Stores events of one workspace that belong to no other write: all of them or none. One with a `key` that is stored already is left out. */
  readonly append: (workspace: WorkspaceId, events: ReadonlyArray<Event>) => TaskEither<PortFailure, void>
  /**
   * A workspace's events after a position, at most `limit`, in order; from the oldest with 0.
   *
   * Once an event was listed, none ever appears before it: positions are in the order of the commits, also where several gateways write at once.
   */
  readonly after: (workspace: WorkspaceId, position: EventPosition, limit: number) => TaskEither<PortFailure, ReadonlyArray<StoredEvent>>
  /** One event of a workspace; none if the workspace has no such event, or no longer. */
  readonly find: (workspace: WorkspaceId, id: EventId) => TaskEither<PortFailure, Option<StoredEvent>>
  /** Notes that the workspace's application asks for events, so that they are kept for it. Exact to an hour. */
  readonly notePull: (workspace: WorkspaceId, at: Instant) => TaskEither<PortFailure, void>
  /**
   * Deletes the content of events that every endpoint and the broker have got, unless an application asks for events, and whole events and attempts
   * that are older than `before`. Right: how many of them it deleted; it deletes at most some thousands at a time.
   */
  readonly removeOld: (before: Instant, at: Instant) => TaskEither<PortFailure, number>
  /** How many events wait for an endpoint or the broker, and the workspaces with the oldest of them, oldest first. */
  readonly backlog: (limit: number) => TaskEither<PortFailure, EventBacklog>
}

/** How long after an application asked for events they are kept for it: a week. */
export const PULL_LISTENS_MS = 7 * 24 * 3_600_000

/** What waits to be delivered. */
export type EventBacklog = {
  /** How many events are stored, delivered or not. */
  readonly stored: number
  readonly oldest: ReadonlyArray<{ readonly workspace: WorkspaceId; readonly at: Instant }>
}
