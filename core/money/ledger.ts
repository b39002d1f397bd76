import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { csvLine, type JsonObject, type Page, type PageQuery } from '../kernel/json.js'
import { type Balance, balanceView, type Currency, formatMicros } from '../kernel/money.js'
import type { EntriesOf, NewEvent } from '../kernel/outbox.js'
import { type Instant, iso } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { Claimed, Draft, MessageLog, MovedMessage } from '../messages/message-log.js'
import {
  errorCodeOf, type MessageId, type MessageRecord, type MessageState, moneyMove, type NoSuchMessage, type NotUnconfirmed, type StateChange, withOwnCode,
} from '../messages/message.js'
import type {
  BalanceOutOfRange, EntryKind, FreeMessages, FreeTaking, HoldState, InsufficientBalance, NewHold, Spending, SpendingLimitReached, TakenBy, Wallet, WalletAlert,
} from './wallet.js'

/** A reference stands for another amount: `credited`, in micros, which is what was added under it. */
export type ReferenceReused = { readonly _tag: 'ReferenceReused'; readonly credited: bigint }

/** One movement of a wallet as JSON. */
export type EntryView = {
  readonly id: string
  readonly kind: EntryKind
  readonly amount: string
  readonly message_id: string | null
  readonly reference: string | null
  readonly error: JsonObject | null
  readonly created_at: string
}

/** Shows one movement of a wallet. */
export const entryView = ({ id, kind, micros, message, reference, error, at }: Entry): EntryView => ({
  id, kind, amount: formatMicros(micros), message_id: message ?? null, reference: reference ?? null, error: withOwnCode(error) ?? null, created_at: iso(at),
})

/** Money was added to a wallet. */
export const walletToppedUp = ({ workspace, micros, reference }: Omit<Credit, 'at'>) => (balance: Balance): ReadonlyArray<NewEvent> =>
  [{ type: 'wallet.topped_up', workspace, subject: workspace, data: { ...balanceView(balance), amount: formatMicros(micros), reference } }]

/** The wallets for the operator: top-ups, corrections, statements and the audit. */
export interface Ledger {
  /**
   * Adds money to a wallet. The same reference with the same amount credits a workspace once. References are any texts and
   * compare exactly: letter case, accents and spaces at the end count.
   *
   * Right: the balance afterwards. `ReferenceReused`: the reference was credited with another amount before; nothing was
   * added. `UnknownWorkspace`, `BalanceOutOfRange` (`isAmount` and `addToBalance` are the rules): nothing was added, and the reference is free.
   *
   * `entriesOf` is called with the new balance where money was added, and its events are stored in the same step. Where there are `WalletAlerts`, it clears
   * them, and so does `adjust` with an amount above zero.
   */
  readonly topUp: (
    credit: Credit, entriesOf?: EntriesOf<Balance>,
  ) => Promise<E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>>
  /**
   * Corrects a wallet by an amount of either sign, and keeps a note of the reason.
   *
   * References work as those of top-ups, but are separate from them: the same reference with the same amount adjusts once, and the
   * first note is kept. A negative amount never takes `available` below zero. The lefts, and what happens with `entriesOf`, are those of `topUp`.
   */
  readonly adjust: (
    adjustment: Adjustment, entriesOf?: EntriesOf<Balance>,
  ) => Promise<E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>>
  /** The balance of a workspace's wallet; none if the workspace does not exist. */
  readonly balance: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<Balance>>>
  /**
   * A workspace's entries, newest first. A cursor continues where its page ended, even if entries were written since. The last page
   * has no next, even if it is full. A cursor is compared like the id of an entry, so an unknown one, or one of another list, never fails.
   *
   * A `release` and a `refund` have the error of their message, if the message log of the same storage has one now.
   */
  readonly statement: (workspace: WorkspaceId, query: PageQuery) => Promise<E.Either<PortFailure, Page<Entry>>>
  /**
   * What keys with a limit have spent on the day of a moment (UTC), in micros: the prices of their holds that are held or captured, by the ids for which their
   * spending counts. The answer has each of the given ids, with 0 for one that spent nothing.
   */
  readonly keySpending: (workspace: WorkspaceId, keys: ReadonlyArray<string>, at: Instant) => Promise<E.Either<PortFailure, ReadonlyMap<string, bigint>>>
  /** The balances of all wallets added up, a balance for each currency in the order of their codes; those of archived workspaces count, too. */
  readonly totals: () => Promise<E.Either<PortFailure, ReadonlyArray<Balance>>>
  /** The holds of a workspace that are still held, oldest first, at most `limit`. */
  readonly openHolds: (workspace: WorkspaceId, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<OpenHold>>>
  /** The wallet of a workspace with the sums of its entries and holds, all read at one moment; none if the workspace does not exist. */
  readonly books: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<WalletTotals>>>
  /** Adds up every workspace's entries and holds and compares them with its wallet; `auditWallet` is the rule. */
  readonly audit: () => Promise<E.Either<PortFailure, Audit>>
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
  /** Why the message was refused or failed, so that its money came back; other entries have none. */
  readonly error?: JsonObject
  readonly at: Instant
}

/** How many workspaces were audited, and a finding for each fault in their books. */
export type Audit = { readonly workspaces: number; readonly broken: ReadonlyArray<Finding> }

/** One fault in a workspace's books, as a sentence. */
export type Finding = { readonly workspace: WorkspaceId; readonly fault: string }

/** The first line of a CSV file of a wallet's movements, with its line end. */
export const STATEMENT_CSV_HEADER = csvLine(['id', 'at', 'kind', 'amount', 'currency', 'message', 'reference', 'note', 'error'])

/** One line of a CSV file of a wallet's movements, with its line end. The moment is in UTC (ISO 8601), and the error is its code. */
export const statementCsvLine = ({ id, at, kind, micros, message, reference = '', note = '', error }: Entry, currency: Currency): string =>
  csvLine([id, new Date(at).toISOString(), kind, formatMicros(micros), currency, message ?? '', reference, note, String(errorCodeOf(error) ?? '')])

/** A wallet with the sums of its entries by kind and of its holds by state; a sum that is left out is zero. */
export type WalletTotals = {
  readonly available: bigint
  readonly held: bigint
  readonly entries: { readonly [Kind in EntryKind]?: bigint }
  readonly holds: { readonly [State in HoldState]?: bigint }
}

/**
 * One sentence for each way in which a wallet differs from its entries and holds; none where its books are exact.
 *
 * Money is conserved: `available + held + captured − refunded = topped up ± adjusted`. What is held is the sum of the open holds, and
 * what was captured and not refunded is the sum of the captured ones.
 */
export const auditWallet = ({ available, held, entries, holds }: WalletTotals): ReadonlyArray<string> => {
  const paidIn = (entries.top_up ?? 0n) + (entries.adjustment ?? 0n)
  const spent = (entries.capture ?? 0n) - (entries.refund ?? 0n)
  return [
    ...difference('available, held and spent money', available + held + spent, 'the money paid in', paidIn),
    ...difference('held money', held, 'the sum of the open holds', holds.held ?? 0n),
    ...difference('captured and not refunded money', spent, 'the sum of the captured holds', holds.captured ?? 0n),
  ]
}

const difference = (left: string, a: bigint, right: string, b: bigint): ReadonlyArray<string> =>
  a === b ? [] : [`${left} is ${formatMicros(a)}, but ${right} is ${formatMicros(b)}`]

/** The messages and their holds together: what must change in one step, and whether they agree. It writes what `MessageLog` and `Wallet` write. */
export interface MessageMoney {
  /**
   * The step that opens a message and sets its price aside at once, for a message log, a wallet and a count of free messages that are ports of this very storage; `undefined` for others, such
   * as an app's own, of which it knows nothing. Without this method, or without its answer, a send takes the two steps one after the other,
   * and a backup between them says of a message that has gone since that it was never sent.
   */
  readonly reservingOver?: (ports: {
    readonly messageLog: Pick<MessageLog, 'open'>
    readonly wallet: Pick<Wallet, 'hold'>
    /** Where free messages are counted; where absent, none is offered. */
    readonly freeMessages?: Pick<FreeMessages, 'take'> | undefined
  }) => Reserving | undefined
  /**
   * Resolves a message of unknown outcome by hand: its state, its hold and the wallet move in one step. `checkResolution` is the rule, `MessageLog.apply`
   * says what becomes of the message, and the move of the hold has the note.
   *
   * Right: the message afterwards. One that has such an outcome already is answered as it is. Left `NoSuchMessage`, `NotUnconfirmed`: nothing was changed.
   * Of concurrent resolutions one moves the message, and every other one is judged by what that one left. After a `PortFailure` all of it is done, or
   * nothing. `entriesOf` is called where the message moved, and its entries are stored in the same step.
   */
  readonly resolve: (resolution: Resolution, entriesOf?: EntriesOf<MovedMessage>) => Promise<E.Either<NoSuchMessage | NotUnconfirmed | PortFailure, MessageRecord>>
  /**
   * Looks at `limit` holds of all workspaces and answers those that do not agree with their messages (`moneyAgrees`). So a page may have fewer items than
   * the limit, or none, and still a `next`, where the look goes on. Each hold is looked at once, and is read together with its message.
   */
  readonly mismatches: (query: PageQuery) => Promise<E.Either<PortFailure, Page<MoneyMismatch>>>
}

/**
 * Opens a message and sets its price aside, in one step; `MessageLog.open` and `Wallet.hold` say what each of them does and answers. Where a free message is offered
 * (`free`), it is taken as by `FreeMessages.take`, and a message that has one is opened and held at the price of nothing.
 *
 * Right `Opened`: all of it is done. Right `Claimed`: the idempotency key guards another message, and nothing was written or taken. Left `InsufficientBalance`, `SpendingLimitReached`:
 * the message is open, and nothing was set aside. After a `PortFailure` either may be done, and each alone is harmless. Of concurrent calls with one key exactly one is `Opened`, and only that
 * one sets anything aside. `entriesOf` is called with an alert that the hold raises, as by `Wallet.hold`.
 */
export type Reserving = (
  draft: Draft, spending: Spending | undefined, entriesOf?: EntriesOf<WalletAlert>, free?: FreeOffer,
) => Promise<E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, Reserved>>

/** What came of the step; `isFree`: the message has taken a free one. */
export type Reserved = { readonly _tag: 'Opened'; readonly isFree?: true } | Claimed

/** The free messages of a sender in a month, of which a message may take one. */
export type FreeOffer = Omit<FreeTaking, keyof TakenBy>

/** The draft of a message that has taken a free one. */
export const freeDraft = (draft: Draft): Draft => ({ ...draft, price: { ...draft.price, micros: 0n } })

/** The price of a message, to be set aside. */
export const holdOfDraft = ({ workspace, id: message, price: amount, at }: Draft, spending: Spending | undefined): NewHold =>
  ({ workspace, message, amount, at, ...(spending !== undefined && { spending }) })

/** What an operator says became of a message, and why. */
export type Resolution = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly outcome: 'sent' | 'not_sent'
  readonly note: string
  readonly at: Instant
  /** When a pending message must have been opened, at the latest, to count as one of unknown outcome. */
  readonly pendingBefore: Instant
}

/** A hold that does not agree with its message; `state` is `undefined` where there is no such message. */
export type MoneyMismatch = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly hold: HoldState
  readonly state: MessageState | undefined
}

/**
 * The change that a resolution makes; `undefined` where the message has such an outcome already.
 *
 * A price that was captured or refunded proves what became of its message, even where the log does not say so yet; and a message whose price was never set
 * aside was never sent.
 */
export const checkResolution = (
  message: Pick<MessageRecord, 'id' | 'state' | 'createdAt'> | undefined, hold: HoldState | undefined, { message: id, outcome, at, pendingBefore }: Resolution,
): E.Either<NoSuchMessage | NotUnconfirmed, StateChange | undefined> => {
  if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
  const state = outcome === 'sent' ? 'accepted' : 'released'
  if (moneyMove(message.state) === moneyMove(state)) return E.right(undefined)
  const isUnconfirmed = message.state === 'unconfirmed' || (message.state === 'pending' && message.createdAt < pendingBefore)
  if (!isUnconfirmed) return E.left({ _tag: 'NotUnconfirmed', id, state: message.state })
  const proven = hold === 'captured' ? 'accepted' : hold === 'refunded' ? 'failed' : hold === undefined && outcome === 'sent' ? 'refused' : state
  return proven === state ? E.right({ state, at }) : E.left({ _tag: 'NotUnconfirmed', id, state: proven })
}

/** Whether a hold is where the state of its message requires it. A pending message may have any: its answer is being written. */
export const moneyAgrees = (hold: HoldState, state: MessageState | undefined): boolean => {
  if (state === 'pending') return true
  switch (state === undefined ? 'release' : moneyMove(state)) {
    case 'keep': return hold === 'held'
    case 'capture': return hold === 'captured'
    case 'release': return hold === 'released'
    case 'refund': return hold === 'refunded'
  }
}
