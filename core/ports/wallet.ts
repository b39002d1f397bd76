import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { InsufficientBalance, PortFailure, SpendingLimitReached } from '../errors.js'
import type { Along } from '../event.js'
import type { HoldState } from '../hold.js'
import type { MessageId } from '../message.js'
import type { Money } from '../money.js'
import type { Page, PageQuery } from '../page.js'
import type { Spending } from '../spending-limit.js'
import type { Instant } from '../time.js'
import type { WalletAlert } from '../wallet-alert.js'
import type { WorkspaceId } from '../workspace.js'

export type { Along, AlongEntry } from '../event.js'
export type { InsufficientBalance, PortFailure, SpendingLimitReached } from '../errors.js'
export { stepHold } from '../hold.js'
export type { EntryKind, HoldState, HoldStep } from '../hold.js'
export type { MessageId } from '../message.js'
export type { Currency, Money } from '../money.js'
export type { Page, PageQuery } from '../page.js'
export { checkSpending, spendingDay } from '../spending-limit.js'
export type { Spending, SpendingCheck } from '../spending-limit.js'
export type { Instant } from '../time.js'
export type { WalletAlert } from '../wallet-alert.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * A workspace's prepaid balance, as sends use it.
 *
 * A message has at most one hold. Its states are ranked held < released < captured < refunded (`stepHold` is the rule),
 * so capture, release and refund give the same books in any order and after any number of repetitions.
 */
export interface Wallet {
  /**
   * Sets the price of a message aside.
   *
   * Concurrent holds never overdraw. A balance equal to the price succeeds and leaves zero available. A zero price is
   * legal; like every price, it is refused while `available` is below zero. Holding again for the same message changes nothing
   * and succeeds, even at another price, in another currency, with too little money or after the hold was settled.
   * `InsufficientBalance`: `available` is less than the price; nothing was set aside, and the message may be held later. A first
   * hold in another currency than the wallet's, or in a workspace without a wallet, is a `PortFailure`.
   *
   * `SpendingLimitReached`: the balance covers the price, but the key would have spent more than its limit on the day of the hold (`checkSpending` is the
   * rule); nothing was set aside. Concurrent holds, of however many gateways, never pass a limit. What is released or refunded is given back to the day of
   * its hold; a hold that is captured after it was released counts again, even beyond the limit. Holds without `spending` count for no key.
   *
   * `along` is called with the alert that the hold raises, if it raises one, also where it answers `InsufficientBalance`, and its entries are stored in the
   * same step. `WalletAlerts` says which hold raises one; a wallet without `WalletAlerts` ignores `along`.
   */
  readonly hold: (hold: NewHold, along?: Along<WalletAlert>) => TaskEither<InsufficientBalance | SpendingLimitReached | PortFailure, void>
  /**
   * Spends a hold, even one that was given back. This may take `available` below zero. Spending it again changes nothing.
   * Right: the hold's state afterwards.
   */
  readonly capture: MoveHold
  /** Gives a hold back. Giving it back again, or after it was spent, changes nothing. Right: the hold's state afterwards. */
  readonly release: MoveHold
  /** Gives the price back for good, held or spent. Giving it back again changes nothing. Right: the hold's state afterwards. */
  readonly refund: MoveHold
  /** The state of a message's hold; `undefined` if it has none. After `hold` has answered, the very next call on every node sees the hold. */
  readonly holdOf: (of: StaleHold) => TaskEither<PortFailure, HoldState | undefined>
  /**
   * Holds of all workspaces that are still held and were made before a moment, in pages and in any order.
   *
   * Each is on exactly one page, even while listed ones are settled. The last page has no next, even if it is full. An unknown
   * cursor never fails.
   */
  readonly stale: (query: PageQuery & { readonly before: Instant }) => TaskEither<PortFailure, Page<StaleHold>>
}

/** The price of one message, about to be set aside. */
export type NewHold = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly amount: Money
  readonly at: Instant
  /** The limit that it counts for, on the UTC day of `at`. */
  readonly spending?: Spending
}

/**
 * Moves one message's hold. A message without a hold stays without one, and the answer is `undefined`.
 *
 * If the wallet also keeps a `Ledger`, an operator's note is stored in the entries of the move.
 */
export type MoveHold = (of: {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly at: Instant
  readonly note?: string
}) => TaskEither<PortFailure, HoldState | undefined>

/** The message of a hold. */
export type StaleHold = { readonly workspace: WorkspaceId; readonly message: MessageId }
