import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { BalanceOutOfRange, PortFailure, UnknownWorkspace } from '../errors.js'
import type { EntryKind } from '../hold.js'
import type { MessageId } from '../message.js'
import type { Balance } from '../money.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { BalanceOutOfRange, PortFailure, UnknownWorkspace } from '../errors.js'
export type { EntryKind } from '../hold.js'
export type { MessageId } from '../message.js'
export type { Balance } from '../money.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The operator's side of the wallets: money in, and what became of it. */
export interface Ledger {
  /**
   * Adds money to a wallet. The same reference credits a workspace once, whatever the amount of the repetition. References
   * are any texts and compare exactly: letter case, accents and spaces at the end count.
   *
   * Right: the balance afterwards. `UnknownWorkspace`, `BalanceOutOfRange`: nothing was added.
   */
  readonly topUp: (credit: Credit) => TaskEither<UnknownWorkspace | BalanceOutOfRange | PortFailure, Balance>
  /** The balance of a workspace's wallet; none where the workspace does not exist. */
  readonly balance: (workspace: WorkspaceId) => TaskEither<PortFailure, Option<Balance>>
  /** A workspace's entries, newest first. A page's cursor goes on where the page ended, whatever was written since. */
  readonly statement: (workspace: WorkspaceId, query: PageQuery) => TaskEither<PortFailure, Page<Entry>>
  /** Adds up every workspace's entries and compares: `available + held + captured − refunded = topped up ± adjusted`. */
  readonly audit: () => TaskEither<PortFailure, Audit>
}

/** Money to be added; amounts in micros, more than zero. */
export type Credit = {
  readonly workspace: WorkspaceId
  readonly micros: bigint
  readonly reference: string
  readonly at: Instant
}

/** One movement of a wallet; `micros` is its size, never negative but for an adjustment. */
export type Entry = {
  readonly id: string
  readonly kind: EntryKind
  readonly micros: bigint
  readonly message: MessageId | undefined
  readonly reference: string | undefined
  readonly at: Instant
}

/** How many workspaces were looked at, and a finding for each whose books are off. */
export type Audit = { readonly workspaces: number; readonly broken: ReadonlyArray<Finding> }

/** A workspace whose books are off, and one sentence on how. */
export type Finding = { readonly workspace: WorkspaceId; readonly fault: string }
