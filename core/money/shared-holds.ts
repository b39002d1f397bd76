import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { MessageId } from '../messages/message.js'
import {
  checkPart, type ExceedsHold, type HoldState, type InsufficientBalance, type NewHold, type SpendingLimitReached, type WalletAlert,
} from './wallet.js'

/** A workspace has no shared hold of this id. */
export type NoSuchSharedHold = { readonly _tag: 'NoSuchSharedHold'; readonly hold: BatchId }

/** A shared hold was released, so that no message can take a part of it. */
export type SharedHoldReleased = { readonly _tag: 'SharedHoldReleased'; readonly hold: BatchId }

/**
 * The money of a shared hold, in micros: the amount that was reserved, and the amount that no message has taken. Once it is released, `left` is the amount that was given
 * back. The messages have taken `reserved - left`.
 */
export type SharedHold = {
  readonly state: Extract<HoldState, 'held' | 'released'>
  readonly reserved: bigint
  readonly left: bigint
}

/** Checks that a message can take a part of a shared hold. */
export const checkSplit = (
  shared: SharedHold | undefined, { hold, micros }: Pick<HoldPart, 'hold' | 'micros'>,
): E.Either<NoSuchSharedHold | SharedHoldReleased | ExceedsHold, void> => {
  if (shared === undefined) return E.left({ _tag: 'NoSuchSharedHold', hold })
  return shared.state === 'released' ? E.left({ _tag: 'SharedHoldReleased', hold }) : checkPart(micros, shared.left)
}

/**
 * Holds that several messages share: a batch reserves the price of all its messages in one step, and each message then takes its part.
 *
 * A part is the hold of its message from then on. `Wallet` captures, releases and refunds it like every other hold, and money that it gives back becomes available in the
 * wallet and does not return to the shared hold. So a shared hold only becomes smaller, until it is released. Reconciliation releases a part whose message was never opened only once its shared hold is
 * released. Requires a `Wallet` and a `Ledger` over the same storage.
 */
export interface SharedHolds {
  /**
   * Reserves money for the messages of a batch. It does and refuses what `Wallet.hold` does and refuses: concurrent holds, shared or not, never overdraw; holding
   * again under the same id changes nothing and succeeds; `spending` counts for the limit of a key, and the hold may raise an alert of the wallet.
   */
  readonly hold: (
    hold: NewSharedHold, outboxEntries?: MakeOutboxEntries<WalletAlert>,
  ) => Promise<E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void>>
  /**
   * Takes a part of a shared hold as the hold of a message, in one step. The balance of the wallet and the spending of a key stay as they are. A part of zero is legal.
   *
   * Concurrent splits, of any number of gateways, never take more than is left, and take all of it if enough is requested. A message that has a hold, of
   * whatever origin, keeps it: splitting again for it changes nothing and succeeds, even at another amount, from another shared hold, or after the release.
   * A part counts for the limit for which the shared hold counts, on the day of the shared hold.
   *
   * `NoSuchSharedHold`: the workspace has none of this id. `SharedHoldReleased`: it was released before. `ExceedsHold`: the part is less than zero or more than is
   * left (`checkSplit` is the rule). After each of these nothing was changed, and the message can be held later.
   */
  readonly split: (
    part: HoldPart,
  ) => Promise<E.Either<NoSuchSharedHold | SharedHoldReleased | ExceedsHold | PortFailure, void>>
  /**
   * Releases what no message has taken, in one step, after which no message can take a part. Concurrent splits either come before it, and keep their parts, or are
   * refused. Releasing again changes nothing. Right: the shared hold afterwards; `undefined` if the workspace has none of this id.
   */
  readonly release: (of: SharedHoldMove) => Promise<E.Either<PortFailure, SharedHold | undefined>>
  /** The shared hold of this id; `undefined` if the workspace has none. */
  readonly find: (of: SharedHoldRef) => Promise<E.Either<PortFailure, SharedHold | undefined>>
}

/** The money that is about to be reserved for a batch. */
export type NewSharedHold = Omit<NewHold, 'message'> & { readonly hold: BatchId }

/** The part of a shared hold that a message takes, in micros. */
export type HoldPart = SharedHoldRef & { readonly message: MessageId; readonly micros: bigint; readonly at: Instant }

/** A shared hold of a workspace. */
export type SharedHoldRef = { readonly workspace: WorkspaceId; readonly hold: BatchId }

/** A shared hold that is released. An operator's note is stored in the entry of the release. */
export type SharedHoldMove = SharedHoldRef & { readonly at: Instant; readonly note?: string }
