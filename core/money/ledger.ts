import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PairLimitReached, PairLimits, PairTaking } from '../customers/pair-limit.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import { csvLine } from '../kernel/csv.js'
import type { JsonObject } from '../kernel/json.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type Balance, balanceView, type Currency, formatMicros } from '../kernel/money.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import { type Instant, iso } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { Claimed, Draft, MessageLog, MovedMessage } from '../messages/message-log.js'
import {
  type MessageId, type MessageRecord, type MessageState, moneyMove, type NoSuchMessage, type NotUnconfirmed, pendingSince, type StateChange,
} from '../messages/message.js'
import { errorCodeOf, withOwnCode } from '../messages/own-errors.js'
import type { PortfolioBudget, PortfolioLimitReached, PortfolioTaking } from '../messages/portfolio-budget.js'
import type { SenderBudget, SenderLimitReached, SenderSlot, SlotTaking } from '../senders/sender-budget.js'
import type { SenderId } from '../senders/sender.js'
import type {
  BalanceOutOfRange, EntryKind, FreeMessages, FreeTaking, HoldState, InsufficientBalance, NewHold, Spending, SpendingLimitReached, TakenBy,
  Wallet, WalletAlert,
} from './wallet.js'

/** The reference was already used with another amount: `credited`, in micros, is the amount that was added under it. */
export type ReferenceReused = { readonly _tag: 'ReferenceReused'; readonly credited: bigint }

/** One movement of a wallet as JSON. */
export type EntryView = {
  readonly id: string
  readonly kind: EntryKind
  readonly amount: string
  readonly message_id: string | null
  readonly sender: string | null
  readonly reference: string | null
  readonly error: JsonObject | null
  readonly created_at: string
}

/** Shows one movement of a wallet. */
export const entryView = ({ id, kind, micros, message, sender, reference, error, at }: Entry): EntryView => ({
  id, kind, amount: formatMicros(micros), message_id: message ?? null, sender: sender ?? null, reference: reference ?? null,
  error: withOwnCode(error) ?? null, created_at: iso(at),
})

/** Money was added to a wallet. */
export const walletToppedUp = ({ workspace, micros, reference }: Omit<Credit, 'at'>) => (balance: Balance): ReadonlyArray<NewEvent> =>
  [{ type: 'wallet.topped_up', workspace, subject: workspace, data: { ...balanceView(balance), amount: formatMicros(micros), reference } }]

/** The wallets as operators use them: top-ups, corrections, statements and the audit. */
export interface Ledger {
  /**
   * Adds money to a wallet. The same reference with the same amount credits a workspace once. References are any texts and
   * compare exactly: letter case, accents and spaces at the end count.
   *
   * Right: the new balance. `ReferenceReused`: the reference was credited with another amount before; nothing was
   * added. `UnknownWorkspace`, `BalanceOutOfRange` (`isAmount` and `addToBalance` are the rules): nothing was added, and the reference is free.
   *
   * If money was added, `outboxEntries` is called with the new balance, and its entries are stored in the same step. If the storage has
   * `WalletAlerts`, this clears them, and so does `adjust` with an amount above zero.
   */
  readonly topUp: (
    credit: Credit, outboxEntries?: MakeOutboxEntries<Balance>,
  ) => Promise<E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>>
  /**
   * Corrects a wallet by an amount of either sign, and keeps a note of the reason.
   *
   * References work like those of top-ups, but are separate from them: the same reference with the same amount adjusts once, and the
   * first note is kept. A negative amount never takes `available` below zero. The lefts and the use of `outboxEntries` are the same as for
   * `topUp`.
   */
  readonly adjust: (
    adjustment: Adjustment, outboxEntries?: MakeOutboxEntries<Balance>,
  ) => Promise<E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange | PortFailure, Balance>>
  /** The balance of a workspace's wallet; none if the workspace does not exist. */
  readonly balance: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<Balance>>>
  /**
   * A workspace's entries, newest first. A cursor continues where its page ended, even if entries were written since. The last page
   * has no next, even if it is full. A cursor is compared like the id of an entry, so an unknown cursor, or a cursor of another list, never fails.
   *
   * Each entry of a message contains the sender of the message, and the entries `release` and `refund` contain its error, if the message log of the same storage now
   * has them.
   *
   * A capture of a part is followed by a `release` of the rest; the entry `hold` keeps the first amount. A shared hold has an entry `hold` and, once it is released, an
   * entry `release`; the reference of both is the id of its batch. A part that a message takes is an entry `hold` of the message with the same reference. So the
   * first amount of a shared hold is the sum of its parts and its release.
   */
  readonly statement: (workspace: WorkspaceId, query: PageQuery) => Promise<E.Either<PortFailure, Page<Entry>>>
  /**
   * The movements of a period that change the balance, oldest first: top-ups, adjustments, captures and refunds. Those of an amount of zero are listed only
   * `withFree`. A cursor continues after the id of the last entry of its page; it is compared like an id, so an unknown cursor never fails.
   */
  readonly movements: (workspace: WorkspaceId, query: MovementsQuery) => Promise<E.Either<PortFailure, Page<Entry>>>
  /**
   * The sums of the same movements by UTC day and kind, and the balance at the end of the period, all read at the same time; none if the workspace does not
   * exist. A movement belongs to the day in its id.
   */
  readonly days: (workspace: WorkspaceId, period: LedgerPeriod) => Promise<E.Either<PortFailure, Option<LedgerDays>>>
  /**
   * The spending of keys with a limit on the UTC day of a timestamp, in micros: the prices of their holds that are held or captured, by the ids under which their
   * spending is counted. The result contains each of the given ids, with 0 for an id without spending.
   */
  readonly keySpending: (
    workspace: WorkspaceId, keys: ReadonlyArray<string>, at: Instant,
  ) => Promise<E.Either<PortFailure, ReadonlyMap<string, bigint>>>
  /** The sums of the balances of all wallets: one balance for each currency, ordered by currency code. Archived workspaces are included. */
  readonly totals: () => Promise<E.Either<PortFailure, ReadonlyArray<Balance>>>
  /** The holds of a workspace that are still held, shared holds included, oldest first, at most `limit`. */
  readonly openHolds: (workspace: WorkspaceId, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<OpenHold>>>
  /** The wallet of a workspace with the sums of its entries and holds, all read at the same time; none if the workspace does not exist. */
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

/** A correction of a wallet; `micros` is not zero, and negative if money is removed. */
export type Adjustment = Credit & { readonly note: string }

/** The reserved price of a message, in micros, and since when it is reserved; or what is left of a shared hold, with its batch instead of a message. */
export type OpenHold = { readonly micros: bigint; readonly at: Instant } & (
  | { readonly message: MessageId; readonly batch?: undefined }
  | { readonly message?: undefined; readonly batch: BatchId }
)

/** One movement of a wallet; `micros` is its amount, negative only for an adjustment. */
export type Entry = {
  /** 32 lowercase hexadecimal digits of a UUIDv7, so that ids sort by time. */
  readonly id: string
  readonly kind: EntryKind
  readonly micros: bigint
  readonly message: MessageId | undefined
  /** The sender of the message; absent on other entries, and if the message was stored by an earlier version. */
  readonly sender?: SenderId
  /** The reference of a top-up or an adjustment, or the batch of a shared hold and of its parts. */
  readonly reference: string | undefined
  /** Why an operator adjusted the wallet or moved a hold by hand; absent on other entries. */
  readonly note?: string
  /** Why the message was refused or failed, so that its money was returned; absent on other entries. */
  readonly error?: JsonObject
  readonly at: Instant
}

/** The kinds of movements that change the balance, which is the available and the held money. */
export type MovementKind = Exclude<EntryKind, 'hold' | 'release'>

/** What an entry adds to the balance, in micros; a hold and its release add nothing. */
export const balanceChange = (kind: EntryKind, micros: bigint): bigint => {
  switch (kind) {
    case 'hold': case 'release': return 0n
    case 'capture': return -micros
    case 'top_up': case 'refund': case 'adjustment': return micros
  }
}

/** A period by the ids of its entries, from `from` to before `to`. Ids sort by time: `uuidPrefixOf` is the smallest id of a time. */
export type LedgerPeriod = { readonly from: string; readonly to: string }

/** The movements to list. */
export type MovementsQuery = PageQuery & LedgerPeriod & { readonly withFree: boolean }

/** The movements of a day of one kind: when the day begins, their number, how many of them have an amount of zero, and their sum in micros. */
export type DaySum = {
  readonly start: Instant; readonly kind: MovementKind; readonly entries: number; readonly free: number; readonly micros: bigint
}

/** The sums of a period, oldest first; `closing` is the balance at its end, in micros, and `held` the money that is on hold now. */
export type LedgerDays = {
  readonly closing: bigint
  readonly held: bigint
  readonly days: ReadonlyArray<DaySum>
  /** The top-ups and adjustments of the period, oldest first; of more than `MAX_PAID` at least the oldest. */
  readonly paid: ReadonlyArray<Entry>
}

/** The number of top-ups and adjustments from which the days of a period need not list more. */
export const MAX_PAID = 500

/** How many workspaces were audited, and a finding for each fault in their books. */
export type Audit = { readonly workspaces: number; readonly broken: ReadonlyArray<Finding> }

/** One fault in a workspace's books, as a sentence. */
export type Finding = { readonly workspace: WorkspaceId; readonly fault: string }

/** The first line of a CSV file of a wallet's movements, with its line end. */
export const STATEMENT_CSV_HEADER = csvLine(['id', 'at', 'kind', 'amount', 'currency', 'message', 'reference', 'note', 'error'])

/** One line of a CSV file of a wallet's movements, with its line end. The timestamp is in UTC (ISO 8601), and the error is its code. */
export const statementCsvLine = ({ id, at, kind, micros, message, reference = '', note = '', error }: Entry, currency: Currency): string =>
  csvLine([
    id, new Date(at).toISOString(), kind, formatMicros(micros), currency, message ?? '', reference, note, String(errorCodeOf(error) ?? ''),
  ])

/** A wallet with the sums of its entries by kind and of its holds by state; an absent sum is zero. */
export type WalletTotals = {
  readonly available: bigint
  readonly held: bigint
  readonly entries: { readonly [Kind in EntryKind]?: bigint }
  readonly holds: { readonly [State in HoldState]?: bigint }
}

/**
 * One sentence for each difference between a wallet and its entries and holds; empty if its books are exact.
 *
 * Money is conserved: `available + held + captured − refunded = topped up ± adjusted`. The held money is the sum of the open holds, which includes what is left
 * of shared holds. The money that was captured and not refunded is the sum of the captured holds, each at the amount that was captured.
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

/** The messages and their holds together: the changes that need one step, and whether both agree. It writes the same records as `MessageLog` and `Wallet`. */
export interface MessageMoney {
  /**
   * Returns the step that opens a message and reserves its price in one transaction, if the message log, the wallet, the count of free messages and the
   * limits of pairs, senders and portfolios are ports of this storage. Returns `undefined` for other ports, such as an app's own, of which it knows nothing. Without this method or its result, a send does both
   * steps one after the other. A backup taken between them reports a message that was sent after it as never sent.
   */
  readonly reservingOver?: (ports: {
    readonly messageLog: Pick<MessageLog, 'open'>
    readonly wallet: Pick<Wallet, 'hold'>
    /** Where free messages are counted; if absent, none is offered. */
    readonly freeMessages?: Pick<FreeMessages, 'take'> | undefined
    /** Where the slots of pairs are counted; if absent, none is taken. */
    readonly pairLimits?: Pick<PairLimits, 'take'> | undefined
    /** Where the slots of senders are counted; if absent, none is taken. */
    readonly senderBudget?: Pick<SenderBudget, 'take'> | undefined
    /** Where the customers of portfolios are counted; if absent, none is. */
    readonly portfolioBudget?: Pick<PortfolioBudget, 'take'> | undefined
  }) => Reserving | undefined
  /**
   * Resolves a message of unknown outcome by hand: its state, its hold and the wallet change in one step. `checkResolution` is the rule, `MessageLog.apply`
   * defines the change of the message, and the movement of the hold contains the note.
   *
   * Right: the message in its new state. A message that already has this outcome is returned unchanged. Left `NoSuchMessage`, `NotUnconfirmed`: nothing was changed.
   * Of concurrent resolutions one changes the message; the others are checked against the result of that one. After a `PortFailure` either everything was done, or
   * nothing. `outboxEntries` is called if the message changed, and its entries are stored in the same step.
   */
  readonly resolve: (
    resolution: Resolution, outboxEntries?: MakeOutboxEntries<MovedMessage>,
  ) => Promise<E.Either<NoSuchMessage | NotUnconfirmed | PortFailure, MessageRecord>>
  /**
   * Checks `limit` holds of all workspaces and returns those that do not agree with their messages (`moneyAgrees`). So a page may have fewer items than
   * the limit, or none, and still a `next` at which the check continues. Each hold is checked once, and is read together with its message.
   */
  readonly mismatches: (query: PageQuery) => Promise<E.Either<PortFailure, Page<MoneyMismatch>>>
}

/**
 * Opens a message and reserves its price, in one step; `MessageLog.open` and `Wallet.hold` define each part and its result. If a free message is offered
 * (`free`), it is taken as by `FreeMessages.take`, and the message that gets one is opened and held at a price of zero. The slots in `limits`
 * are taken as by `PairLimits.take` and `SenderBudget.take`, and the customer is counted as by `PortfolioBudget.take`, all or none.
 *
 * Right `Opened`: everything was done. Right `Claimed`: the idempotency key guards another message, and nothing was written or taken. Left
 * `PairLimitReached`, `SenderLimitReached`, `PortfolioLimitReached`: nothing was written or taken, and the idempotency key stays free. Left `InsufficientBalance`,
 * `SpendingLimitReached`: the message is open, has its slots and counts its customer, and nothing was reserved. After a `PortFailure` either part may have been done, and each
 * alone is harmless. Of concurrent calls with one key exactly one is `Opened`, and only that call reserves money. If the hold raises an
 * alert, `outboxEntries` is called with it, as by `Wallet.hold`.
 */
export type Reserving = (
  draft: Draft, spending: Spending | undefined, outboxEntries?: MakeOutboxEntries<WalletAlert>, free?: FreeOffer,
  limits?: SendLimits,
) => Promise<E.Either<InsufficientBalance | SpendingLimitReached | LimitReached | PortFailure, Reserved>>

/** A limit of a send is reached. */
export type LimitReached = PairLimitReached | SenderLimitReached | PortfolioLimitReached

/** What a message has to take: the slots of its sender and customer, and of its sender, and a place of its customer in the portfolio. */
export type SendLimits = { readonly pair?: PairTaking; readonly slot?: SlotTaking; readonly portfolio?: PortfolioTaking }

/** The result of the step; `isFree`: the message has taken a free one; `slot`: the slot of its sender. */
export type Reserved = { readonly _tag: 'Opened'; readonly isFree?: true; readonly slot?: SenderSlot } | Claimed

/** The free messages of a sender in a month, from which a message may take one. */
export type FreeOffer = Omit<FreeTaking, keyof TakenBy>

/** The draft of a message that has taken a free one. */
export const freeDraft = (draft: Draft): Draft =>
  ({ ...draft, price: { ...draft.price, micros: 0n }, ...(draft.cost !== undefined && { cost: 0n }) })

/** The price of a message that is to be reserved. */
export const holdOfDraft = ({ workspace, id: message, price: amount, at }: Draft, spending: Spending | undefined): NewHold =>
  ({ workspace, message, amount, at, ...(spending !== undefined && { spending }) })

/** The outcome of a message as an operator states it, and why. */
export type Resolution = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly outcome: 'sent' | 'not_sent'
  readonly note: string
  readonly at: Instant
  /** The latest time at which a pending message must have been opened to count as one of unknown outcome. */
  readonly pendingBefore: Instant
}

/** A hold that does not agree with its message; `state` is `undefined` if there is no such message. */
export type MoneyMismatch = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly hold: HoldState
  readonly state: MessageState | undefined
}

/**
 * The change that a resolution makes; `undefined` if the message already has this outcome.
 *
 * A price that was captured or refunded proves the outcome of its message, even if the log does not show it yet. A message whose price was never
 * reserved was never sent.
 */
export const checkResolution = (
  message: Pick<MessageRecord, 'id' | 'state' | 'history'> | undefined, hold: HoldState | undefined,
  { message: id, outcome, at, pendingBefore }: Resolution,
): E.Either<NoSuchMessage | NotUnconfirmed, StateChange | undefined> => {
  if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
  const state = outcome === 'sent' ? 'accepted' : 'released'
  if (moneyMove(message.state) === moneyMove(state)) return E.right(undefined)
  const isUnconfirmed = message.state === 'unconfirmed' || (message.state === 'pending' && (pendingSince(message) ?? 0) < pendingBefore)
  if (!isUnconfirmed) return E.left({ _tag: 'NotUnconfirmed', id, state: message.state })
  const proven = hold === 'captured' ? 'accepted'
    : hold === 'refunded' ? 'failed'
    : hold === undefined && outcome === 'sent' ? 'refused'
    : state
  return proven === state ? E.right({ state, at }) : E.left({ _tag: 'NotUnconfirmed', id, state: proven })
}

/** Whether a hold is in the state that its message requires. The hold of a pending message may be in any state, because the outcome is still being written. */
export const moneyAgrees = (hold: HoldState, state: MessageState | undefined): boolean => {
  if (state === 'pending') return true
  switch (state === undefined ? 'release' : moneyMove(state)) {
    case 'keep': return hold === 'held'
    case 'capture': return hold === 'captured'
    case 'release': return hold === 'released'
    case 'refund': return hold === 'refunded'
  }
}
