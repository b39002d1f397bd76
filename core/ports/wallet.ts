import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { InsufficientBalance, PortFailure } from '../errors.js'
import type { HoldState } from '../hold.js'
import type { MessageId } from '../message.js'
import type { Money } from '../money.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { InsufficientBalance, PortFailure } from '../errors.js'
export { stepHold } from '../hold.js'
export type { EntryKind, HoldState, HoldStep } from '../hold.js'
export type { MessageId } from '../message.js'
export type { Currency, Money } from '../money.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * A workspace's prepaid balance, as sends use it.
 *
 * A message has at most one hold. Its states are ranked held < released < captured < refunded (`stepHold` is the rule),
 * so capture, release and refund give the same books in any order and however often they are repeated.
 */
export interface Wallet {
  /**
   * Sets the price of a message aside.
   *
   * Concurrent holds never overdraw. A balance equal to the price succeeds and leaves zero available. A zero price is
   * legal; like every price, it is refused while `available` is below zero. Holding again for the same message changes nothing
   * and succeeds: at another price, in another currency, with too little left to spend, and once the hold is settled.
   * `InsufficientBalance`: `available` is less than the price; nothing was set aside, and the message may be held later. A first
   * hold in another currency than the wallet's, or in a workspace without a wallet, is a `PortFailure`.
   */
  readonly hold: (hold: NewHold) => TaskEither<InsufficientBalance | PortFailure, void>
  /**
   * Spends a hold, even one that was given back, which may take `available` below zero. Spending it again changes nothing.
   * Right: the hold's state afterwards.
   */
  readonly capture: MoveHold
  /** Gives a hold back. Giving it back again, or once it is spent, changes nothing. Right: the hold's state afterwards. */
  readonly release: MoveHold
  /** Gives the price back for good, held or spent. Giving it back again changes nothing. Right: the hold's state afterwards. */
  readonly refund: MoveHold
  /** The state of a message's hold; `undefined` where it has none. A hold that was answered is seen by the very next call, on every node. */
  readonly holdOf: (of: StaleHold) => TaskEither<PortFailure, HoldState | undefined>
  /**
   * Holds still held that were made before a moment, of all workspaces, in any order, part by part.
   *
   * Each is in exactly one part, also while those already listed are settled. The last part has no next, also where it is full.
   * A cursor that no part gave never fails.
   */
  readonly stale: (query: PageQuery & { readonly before: Instant }) => TaskEither<PortFailure, Page<StaleHold>>
}

/** The price of one message, about to be set aside. */
export type NewHold = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly amount: Money
  readonly at: Instant
}

/**
 * Moves one message's hold on; a message without a hold is left so, and answered `undefined`.
 *
 * A note of an operator stands in the entries that the move writes, where the wallet also keeps a `Ledger`.
 */
export type MoveHold = (of: {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly at: Instant
  readonly note?: string
}) => TaskEither<PortFailure, HoldState | undefined>

/** A message whose hold is still held, or asked for. */
export type StaleHold = { readonly workspace: WorkspaceId; readonly message: MessageId }
