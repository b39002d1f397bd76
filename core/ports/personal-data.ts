import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CustomerId, CustomerIds } from '../customer.js'
import type { MessagesUnderWay, PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { CustomerDigest } from '../forgotten.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { FORGOTTEN_PLATFORM_ID } from '../forgotten.js'
export type { CustomerDigest } from '../forgotten.js'
export type { CustomerId, CustomerIds } from '../customer.js'
export type { MessagesUnderWay, PortFailure } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * Takes people out of what is stored. Money stays: no hold, entry, price or state changes.
 *
 * Of a message that is forgotten, the recipient becomes a digest, the platform's id becomes `FORGOTTEN_PLATFORM_ID`, and of its error only the code is
 * kept. A later report on it moves its state and its money, and brings nothing of the person back. The idempotency key that guards it, if there is one,
 * goes on guarding it, but no request is the same any more.
 */
export interface PersonalData {
  /**
   * What takes the place of an id: the same for every variant of one number, and another one in each workspace.
   *
   * Without the adapter's secret, an id cannot be found by trying all. Left: among others, where the adapter has no secret.
   */
  readonly digestOf: (workspace: WorkspaceId, id: CustomerId) => TaskEither<PortFailure, CustomerDigest>
  /**
   * Forgets messages that were opened before a moment, customers of whom nothing was reported and no message received since, and windows in which no
   * message was received since, of all workspaces. It looks at no more than `limit` of them and is atomic; `next` leads to the others.
   *
   * A message whose outcome is unknown is left as it is. Of a customer who stopped marketing messages, that choice is kept, with the ids. What is
   * forgotten already is not counted, so a pass that ended half way is begun again without harm. An unknown cursor begins at the beginning.
   */
  readonly forgetBefore: (query: ForgetQuery) => TaskEither<PortFailure, ForgetStep>
  /**
   * Forgets one person in a workspace: messages under every id and variant, deletes what is known of the ids and their windows, and deletes events about
   * the person with what waits to be delivered of them and the log of their deliveries. A repetition finishes what an earlier call left behind.
   *
   * Left `MessagesUnderWay`: the outcome of a message to the person is unknown. If that is so from the beginning, nothing was changed.
   *
   * `along` is called in any case, and its entries are stored in the last step, so they are there only if nothing of the person is left.
   */
  readonly erase: (workspace: WorkspaceId, ids: CustomerIds, along?: Along<Erased>) => TaskEither<MessagesUnderWay | PortFailure, Erased>
}

/** What to forget: everything before a moment, from a cursor on, at most `limit` records in one step. */
export type ForgetQuery = { readonly before: Instant; readonly limit: number; readonly cursor?: string }

/** How many records were forgotten. */
export type Forgotten = { readonly messages: number; readonly customers: number; readonly windows: number }

/** What came of a step; without `next` it was the last one. */
export type ForgetStep = { readonly forgotten: Forgotten; readonly next: string | undefined }

/** What was found of a person; a repetition finds nothing. `events` counts those that were deleted. */
export type Erased = Forgotten & { readonly events: number }
