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
 * so capture, release and refund give the same books in whatever order they come and however often.
 */
export interface Wallet {
  /**
   * Sets the price of a message aside.
   *
   * Concurrent holds never overdraw. A balance equal to the price succeeds and leaves zero available. A zero price is
   * legal. Holding again for the same message changes nothing and succeeds, at whatever price, whatever is left to spend, and
   * once the hold is settled, too. `InsufficientBalance`: nothing was set aside, and the message may be held later. A price in
   * another currency than the wallet's, or a workspace without a wallet, is a `PortFailure`.
   */
  readonly hold: (hold: NewHold) => TaskEither<InsufficientBalance | PortFailure, void>
  /**
   * Spends a hold, even one that was given back, which may take `available` below zero. Spending it again changes nothing.
   * Right: the hold's state afterwards.
   */
  readonly capture: SettleHold
  /** Gives a hold back. Giving it back again, or once it is spent, changes nothing. Right: the hold's state afterwards. */
  readonly release: SettleHold
  /** Gives the price back for good, held or spent. Giving it back again changes nothing. Right: the hold's state afterwards. */
  readonly refund: SettleHold
  /**
   * Holds still held that were made before a moment, of all workspaces, in any order, part by part.
   *
   * Each is in exactly one part, also while those already listed are settled.
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

/** Moves one message's hold on; a message without a hold is left so, and answered `undefined`. */
export type SettleHold = (of: {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly at: Instant
}) => TaskEither<PortFailure, HoldState | undefined>

/** A hold nobody settled. */
export type StaleHold = { readonly workspace: WorkspaceId; readonly message: MessageId }
