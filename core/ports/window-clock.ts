import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export type { PhoneNumber } from '../phone-number.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The time, and when each customer last wrote to a workspace. */
export interface WindowClock {
  /** The present moment, in whole milliseconds. */
  readonly now: () => Instant
  /** When a customer last wrote to a workspace; none if the customer never did. */
  readonly lastInbound: (workspace: WorkspaceId, customer: PhoneNumber) => TaskEither<PortFailure, Option<Instant>>
  /**
   * Records that a customer wrote at a moment, to the millisecond.
   *
   * The latest moment is kept, even of concurrent calls: an earlier one, or the same again, changes nothing.
   *
   * `statedAt` is given for a message whose own date is later than its arrival; `at` is then the arrival. The message counts once:
   * nothing changes if its date is not later than the latest date given before, or if it comes again without `statedAt` after its date.
   */
  readonly recordInbound: (workspace: WorkspaceId, customer: PhoneNumber, at: Instant, statedAt?: Instant) => TaskEither<PortFailure, void>
}
