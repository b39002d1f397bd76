import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { BalanceOutOfRange, LostMessageSettled, NoSuchLostMessage, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { LostMessage, LostStatus } from '../lost-message.js'
import type { MessageId, PlatformId } from '../message.js'
import type { Balance } from '../money.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { BalanceOutOfRange, LostMessageSettled, NoSuchLostMessage, PortFailure, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export { isDue, LOST_MESSAGES_KEPT, lostReference, noteLost } from '../lost-message.js'
export type { LostMessage, LostState, LostStatus } from '../lost-message.js'
export type { MessageId, PlatformId } from '../message.js'
export type { Balance } from '../money.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * The messages that the platform reports with our id and that the message log does not have, until an operator settles them.
 *
 * What is settled is not listed any more, and is kept until it is forgotten, so that a later status does not bring it back.
 */
export interface LostMessages {
  /**
   * Notes a status; `noteLost` is the rule. A repetition changes nothing, and neither does a status of a message that is settled, or that the log of
   * another workspace has, from which the number of the sender was taken.
   *
   * Once `LOST_MESSAGES_KEPT` messages of a workspace wait, a further one is not noted: the oldest are kept. Concurrent notes may pass that number by as
   * many as they are.
   */
  readonly note: (status: LostStatus) => TaskEither<PortFailure, void>
  /** The messages that `isDue` and that are not settled, of all workspaces, oldest first. A cursor continues where its page ended, and an unknown one never fails. */
  readonly list: (query: PageQuery) => TaskEither<PortFailure, Page<LostMessage>>
  /** How many messages of each workspace `list` lists, by workspace; a workspace without any is left out. */
  readonly counts: () => TaskEither<PortFailure, ReadonlyArray<LostCount>>
  /**
   * Settles a message: charges its wallet and takes the message from the list, in one step. An amount of zero charges nothing and leaves no entry. The entry
   * is an adjustment with the note and the reference `lost` and our id. Of concurrent calls one settles.
   *
   * Left `NoSuchLostMessage`: none of that id is noted, or it failed. `LostMessageSettled`: it was settled before. `BalanceOutOfRange`: `available` would be
   * below zero. With each left nothing is changed. `along` is called with the outcome, and its entries are stored in the same step.
   */
  readonly settle: (
    settlement: LostSettlement, along?: Along<SettledLost>,
  ) => TaskEither<NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace | PortFailure, SettledLost>
}

/** How many messages of a workspace are lost and not settled. */
export type LostCount = { readonly workspace: WorkspaceId; readonly messages: number }

/** What is charged for a lost message, zero or more micros, and why. `id` is the platform's id or ours. */
export type LostSettlement = {
  readonly workspace: WorkspaceId
  readonly id: PlatformId | MessageId
  readonly micros: bigint
  readonly note: string
  readonly at: Instant
}

/** The message that was settled, and the balance afterwards. */
export type SettledLost = { readonly message: LostMessage; readonly balance: Balance }
