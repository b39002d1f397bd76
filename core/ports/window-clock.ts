import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { CustomerId, CustomerIds } from '../customer.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { CustomerId, CustomerIds } from '../customer.js'
export type { PhoneNumber } from '../phone-number.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The time, and when each customer last wrote to a workspace. */
export interface WindowClock {
  /** The present moment, in whole milliseconds. */
  readonly now: () => Instant
  /** When a customer last wrote to a workspace under an id; none if no message was recorded for that id. */
  readonly lastInbound: (workspace: WorkspaceId, customer: CustomerId) => TaskEither<PortFailure, Option<Instant>>
  /**
   * Records that a customer wrote at a moment, to the millisecond, under the ids that the message names; at least one.
   *
   * The message counts for the user id if it names one, and else for the phone number: a number can pass to another person, a user id does not.
   *
   * The latest moment is kept, even of concurrent calls: an earlier one, or the same again, changes nothing.
   *
   * `statedAt` is given for a message whose own date is later than its arrival; `at` is then the arrival. The message counts once:
   * nothing changes if its date is not later than the latest date given before, or if it comes again without `statedAt` after its date.
   *
   * `along` is called in any case, and its events are stored in the same step.
   */
  readonly recordInbound: (
    workspace: WorkspaceId, customer: CustomerIds, at: Instant, statedAt?: Instant, along?: Along<RecordedInbound>,
  ) => TaskEither<PortFailure, void>
}

/** When the customer had last written under the id for which a message counts: before it was recorded, and now. */
export type RecordedInbound = { readonly before: Instant | undefined; readonly lastInbound: Instant }
