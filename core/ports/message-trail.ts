import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DeliveryAttempt } from '../delivery.js'
import type { PortFailure } from '../errors.js'
import type { EventId, EventType } from '../event.js'
import type { MessageId } from '../message.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { Entry } from './ledger.js'

export type { DeliveryAttempt } from '../delivery.js'
export type { PortFailure } from '../errors.js'
export type { EventId, EventType } from '../event.js'
export type { MessageId } from '../message.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'
export type { Entry } from './ledger.js'

/**
 * What is stored of a message besides its record: the moves of its money, and its events with their deliveries.
 *
 * No index need lead from a message to them, because it would cost every send. An adapter without one looks near the moments of the query, and at the newest
 * of the workspace: at `LOOKED_AT_NEAR` records each. So in a busy workspace something may be missing; what is given is always of the message.
 */
export interface MessageTrail {
  /** The entries of the workspace's wallet about the message, oldest first by their ids. The entry of its hold is never missing. */
  readonly entries: (query: TrailQuery) => TaskEither<PortFailure, ReadonlyArray<Entry>>
  /** The events about the message, oldest first, each with the attempts to deliver it to the workspace's endpoints, oldest first by their ids. */
  readonly events: (query: TrailQuery) => TaskEither<PortFailure, ReadonlyArray<TrailEvent>>
}

/** Which message, and the moments near which something happened to it: when it was opened, and those of its history. */
export type TrailQuery = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly near: ReadonlyArray<Instant> }

/** An event about a message, and the attempts to deliver it. */
export type TrailEvent = { readonly id: EventId; readonly type: EventType; readonly at: Instant; readonly attempts: ReadonlyArray<DeliveryAttempt> }

/** How many records an adapter without an index looks at near each moment. */
export const LOOKED_AT_NEAR = 5_000
