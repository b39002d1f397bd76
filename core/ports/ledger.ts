import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { WalletTotals } from '../audit.js'
import type { BalanceOutOfRange, PortFailure, ReferenceReused, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { EntryKind } from '../hold.js'
import type { MessageId } from '../message.js'
import type { Balance } from '../money.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { Along, AlongEntry } from '../event.js'
export type { BalanceOutOfRange, PortFailure, ReferenceReused, UnknownWorkspace } from '../errors.js'
export { addToBalance, isAmount } from '../balance.js'
export { auditWallet } from '../audit.js'
export type { WalletTotals } from '../audit.js'
export type { EntryKind } from '../hold.js'
export type { MessageId } from '../message.js'
export type { Balance } from '../money.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The wallets for the operator: top-ups, corrections, statements and the audit. */
export interface Ledger {
  /**
   * Adds money to a wallet. The same reference with the same amount credits a workspace once. References are any texts and
   * compare exactly: letter case, accents and spaces at the end count.
   *
   * Right: the balance afterwards. `ReferenceReused`: the reference was credited with another amount before; nothing was
   * added. `UnknownWorkspace`, `BalanceOutOfRange` (`isAmount` and `addToBalance` are the rules): nothing was added, and the reference is free.
   *
   * `along` is called with the new balance where money was added, and its events are stored in the same step. Where there are `WalletAlerts`, it clears
   * them, and so does `adjust` with an amount above zero.
   */
  readonly topUp: (
    credit: Credit, along?: Along<Balance>,
  ) => TaskEither<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>
  /**
   * Corrects a wallet by an amount of either sign, and keeps a note of the reason.
   *
   * References work as those of top-ups, but are separate from them: the same reference with the same amount adjusts once, and the
   * first note is kept. A negative amount never takes `available` below zero. The lefts, and what happens with `along`, are those of `topUp`.
   */
  readonly adjust: (
    adjustment: Adjustment, along?: Along<Balance>,
  ) => TaskEither<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>
  /** The balance of a workspace's wallet; none if the workspace does not exist. */
  readonly balance: (workspace: WorkspaceId) => TaskEither<PortFailure, Option<Balance>>
  /**
   * A workspace's entries, newest first. A cursor continues where its page ended, even if entries were written since. The last page
   * has no next, even if it is full. A cursor is compared like the id of an entry, so an unknown one, or one of another list, never fails.
   */
  readonly statement: (workspace: WorkspaceId, query: PageQuery) => TaskEither<PortFailure, Page<Entry>>
  /**
   * What keys with a limit have spent on the day of a moment (UTC), in micros: the prices of their holds that are held or captured, by the ids for which their
   * spending counts. The answer has each of the given ids, with 0 for one that spent nothing.
   */
  readonly keySpending: (workspace: WorkspaceId, keys: ReadonlyArray<string>, at: Instant) => TaskEither<PortFailure, ReadonlyMap<string, bigint>>
  /** The balances of all wallets added up, a balance for each currency in the order of their codes; those of archived workspaces count, too. */
  readonly totals: () => TaskEither<PortFailure, ReadonlyArray<Balance>>
  /** The holds of a workspace that are still held, oldest first, at most `limit`. */
  readonly openHolds: (workspace: WorkspaceId, limit: number) => TaskEither<PortFailure, ReadonlyArray<OpenHold>>
  /** The wallet of a workspace with the sums of its entries and holds, all read at one moment; none if the workspace does not exist. */
  readonly books: (workspace: WorkspaceId) => TaskEither<PortFailure, Option<WalletTotals>>
  /** Adds up every workspace's entries and holds and compares them with its wallet; `auditWallet` is the rule. */
  readonly audit: () => TaskEither<PortFailure, Audit>
}

/** Money to be added; amounts in micros, more than zero. */
export type Credit = {
  readonly workspace: WorkspaceId
  readonly micros: bigint
  readonly reference: string
  readonly at: Instant
}

/** A correction of a wallet; `micros` is not zero, and negative where money is taken away. */
export type Adjustment = Credit & { readonly note: string }

/** The price of a message that is set aside, in micros, and since when. */
export type OpenHold = { readonly message: MessageId; readonly micros: bigint; readonly at: Instant }

/** One movement of a wallet; `micros` is its size, negative only for an adjustment. */
export type Entry = {
  /** 32 lowercase hexadecimal digits of a UUIDv7, so that ids sort by time. */
  readonly id: string
  readonly kind: EntryKind
  readonly micros: bigint
  readonly message: MessageId | undefined
  readonly reference: string | undefined
  /** Why an operator adjusted the wallet or moved a hold by hand; other entries have none. */
  readonly note?: string
  readonly at: Instant
}

/** How many workspaces were audited, and a finding for each fault in their books. */
export type Audit = { readonly workspaces: number; readonly broken: ReadonlyArray<Finding> }

/** One fault in a workspace's books, as a sentence. */
export type Finding = { readonly workspace: WorkspaceId; readonly fault: string }
