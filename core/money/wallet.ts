import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { ActDeps } from '../access/acting.js'
import { auditActorOf, SYSTEM } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import {
  type Balance, balanceView, type Currency, formatMicros, type InvalidAmount, MAX_MICROS, type Money, parseMicros,
} from '../kernel/money.js'
import type { MakeOutboxEntries, NewEvent, OutboxEntry } from '../kernel/outbox.js'
import { DAY_MS, type Instant, isoOrNull } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { MessageId, MoneyMove } from '../messages/message.js'
import type { SenderId } from '../senders/sender.js'

/** The wallet cannot cover a price. Amounts in micros; the shortfall is `required - available`. */
export type InsufficientBalance = {
  readonly _tag: 'InsufficientBalance'
  readonly required: bigint
  readonly available: bigint
  readonly held: bigint
  readonly currency: Currency
}

/**
 * An API key has reached its daily spending limit; only messages that cost nothing can be sent with it before `resetsAt`. Amounts in micros of the wallet's currency:
 * the price of the message, the limit, and the money that was spent or reserved today.
 */
export type SpendingLimitReached = {
  readonly _tag: 'SpendingLimitReached'
  readonly required: bigint
  readonly limit: bigint
  readonly spent: bigint
  readonly currency: Currency
  readonly resetsAt: Instant
}

/** A balance would exceed `MAX_MICROS`, or an adjustment would take it below zero. */
export type BalanceOutOfRange = { readonly _tag: 'BalanceOutOfRange' }

/** The threshold of a wallet and its alerts as JSON; null if absent. */
export type AlertsView = { readonly threshold: string | null; readonly low_since: string | null; readonly exhausted_since: string | null }

/** Shows the threshold of a wallet and its alerts. */
export const alertsView = ({ threshold, lowSince, exhaustedSince }: AlertState): AlertsView => ({
  threshold: threshold === undefined ? null : formatMicros(threshold), low_since: isoOrNull(lowSince),
  exhausted_since: isoOrNull(exhaustedSince),
})

/** The data of a wallet alert's event: amounts as decimal strings. */
export const alertData = (alert: WalletAlert) => ({
  ...balanceView(alert.balance),
  ...(alert._tag === 'WalletLow'
    ? { threshold: formatMicros(alert.threshold) }
    : { required: formatMicros(alert.required), shortfall: formatMicros(alert.required - alert.balance.available) }),
})

/** A wallet became low, or could not cover a price. */
export const walletAlerted = (alert: WalletAlert): NewEvent =>
  ({
    type: alert._tag === 'WalletLow' ? 'wallet.low' : 'wallet.exhausted', workspace: alert.workspace, subject: alert.workspace,
    data: alertData(alert),
  })

/** Whether micros, of either sign, are within the limit of one amount. */
export const isAmount = (micros: bigint): boolean => -MAX_MICROS <= micros && micros <= MAX_MICROS

/**
 * The balance after an operator adds an amount, or removes it if it is negative.
 *
 * `BalanceOutOfRange`: all money of the wallet, available and held, would exceed `MAX_MICROS`, or more would be removed than is available.
 */
export const addToBalance = (balance: Balance, micros: bigint): E.Either<BalanceOutOfRange, Balance> => {
  const available = balance.available + micros
  const isInRange = micros < 0n ? available >= 0n : available + balance.held <= MAX_MICROS
  return isInRange ? E.right({ ...balance, available }) : E.left({ _tag: 'BalanceOutOfRange' })
}

/** The states of a hold: reserved, released, spent, or refunded. */
export const HOLD_STATES = ['held', 'released', 'captured', 'refunded'] as const

/** The state of a hold. */
export type HoldState = (typeof HOLD_STATES)[number]

/** The kinds of movements in a wallet's statement. */
export const ENTRY_KINDS = ['top_up', 'hold', 'capture', 'release', 'refund', 'adjustment'] as const

/** The kind of a movement. */
export type EntryKind = (typeof ENTRY_KINDS)[number]

/**
 * One step of a hold: its new state, the entries it writes, and what it adds to the balance, in multiples of the amount.
 *
 * The entries are for a wallet that also implements a `Ledger`; a `Wallet` alone needs none.
 */
export type HoldStep = {
  readonly state: HoldState
  readonly entries: ReadonlyArray<'capture' | 'release' | 'refund'>
  readonly available: -1n | 0n | 1n
  readonly held: -1n | 0n
}

/**
 * The effect of a move on a hold in a given state; `undefined` if it changes nothing.
 *
 * held < released < captured < refunded, and no move leads back. So moves lead to the same books in any order and
 * any number of repetitions. A release assumes that nothing was sent, so a later proof that the message was sent still
 * captures the price (and may take `available` below zero). A refund is final.
 */
export const stepHold = (state: HoldState, move: Exclude<MoneyMove, 'keep'>): HoldStep | undefined => {
  switch (move) {
    case 'release':
      return state === 'held' ? { state: 'released', entries: ['release'], available: 1n, held: -1n } : undefined
    case 'capture':
      if (state === 'held') return { state: 'captured', entries: ['capture'], available: 0n, held: -1n }
      return state === 'released' ? { state: 'captured', entries: ['capture'], available: -1n, held: 0n } : undefined
    case 'refund':
      if (state === 'held') return { state: 'refunded', entries: ['release'], available: 1n, held: -1n }
      if (state === 'released') return { state: 'refunded', entries: [], available: 0n, held: 0n }
      return state === 'captured' ? { state: 'refunded', entries: ['refund'], available: 1n, held: 0n } : undefined
  }
}

/** The money of a hold: its state, and its amount in micros. */
export type HeldMoney = { readonly state: HoldState; readonly micros: bigint }

/** The effect of a move on a hold: its money after it, the entries that are written, with their amounts, and what is added to the balance. Amounts in micros. */
export type HoldChange = HeldMoney & {
  readonly entries: ReadonlyArray<{ readonly kind: HoldStep['entries'][number]; readonly micros: bigint }>
  readonly available: bigint
  readonly held: bigint
}

/** The effect of a move on a hold, for which `stepHold` is the rule; `undefined` if it changes nothing. */
export const changeHold = (hold: HeldMoney, move: Exclude<MoneyMove, 'keep'>): HoldChange | undefined => changeOf(hold, move, hold.micros)

/**
 * The effect of a capture of a part of a hold; `undefined` if it changes nothing, because the hold was captured or refunded before.
 *
 * It works as if the hold were two, one of the part and one of the rest: the part is captured and the rest is released. Afterwards the hold has the amount of the
 * part, so a refund gives back what was captured. `ExceedsHold`: `checkPart` is the rule.
 */
export const changeByPart = (hold: HeldMoney, part: bigint): E.Either<ExceedsHold, HoldChange | undefined> =>
  (stepHold(hold.state, 'capture') === undefined
    ? E.right(undefined)
    : E.map(() => changeOf(hold, 'capture', part))(checkPart(part, hold.micros)))

const changeOf = ({ state, micros }: HeldMoney, move: Exclude<MoneyMove, 'keep'>, part: bigint): HoldChange | undefined => {
  const step = stepHold(state, move)
  if (step === undefined) return undefined
  const rest = micros - part
  const restStep = rest === 0n ? undefined : stepHold(state, 'release')
  return {
    state: step.state, micros: part,
    entries: [
      ...step.entries.map((kind) => ({ kind, micros: part })), ...(restStep?.entries ?? []).map((kind) => ({ kind, micros: rest })),
    ],
    available: step.available * part + (restStep?.available ?? 0n) * rest,
    held: step.held * part + (restStep?.held ?? 0n) * rest,
  }
}

/** A part of a hold is less than zero, or more than the hold has. Amounts in micros. */
export type ExceedsHold = { readonly _tag: 'ExceedsHold'; readonly requested: bigint; readonly held: bigint }

/** Checks that a hold has a part. A part of zero, and the whole, are parts. */
export const checkPart = (requested: bigint, held: bigint): E.Either<ExceedsHold, void> =>
  (requested >= 0n && requested <= held ? E.right(undefined) : E.left({ _tag: 'ExceedsHold', requested, held }))

/** The limit that a hold counts for: the key that sends the message, or the first key of its rotations, and its maximum daily spending, in micros. */
export type Spending = { readonly key: string; readonly limit: bigint }

/**
 * The API key that sends a message, and its maximum daily spending, in micros; without a limit it may spend any amount. Keys with the same
 * `spendingId` share one limit; without it the key has the limit for itself.
 */
export type SendingKey = { readonly id: string; readonly spendingLimit?: bigint; readonly spendingId?: string }

/** The limit of a key; undefined if it has none. */
export const spendingOf = (key: SendingKey | undefined): Spending | undefined =>
  key?.spendingLimit === undefined ? undefined : { key: key.spendingId ?? key.id, limit: key.spendingLimit }

/** The calendar day of a timestamp in UTC, such as `2026-11-05`. */
export const spendingDay = (at: Instant): string => new Date(at).toISOString().slice(0, 10)

/** When the day of a timestamp ends, and the next day begins without any spending. */
export const spendingResetsAt = (at: Instant): Instant => (Math.floor(at / DAY_MS) + 1) * DAY_MS

/** A price that is to be reserved, and the spending of its key on that day: the prices, in micros, of its holds that are held or captured. */
export type SpendingCheck = Pick<Spending, 'limit'> & { readonly amount: Money; readonly spent: bigint; readonly at: Instant }

/** Checks that a price is within the daily limit. A price that takes the spending exactly to the limit is within it. */
export const checkSpending = ({
  amount: { micros: required, currency }, limit, spent, at,
}: SpendingCheck): E.Either<SpendingLimitReached, void> =>
  spent + required <= limit
    ? E.right(undefined)
    : E.left({ _tag: 'SpendingLimitReached', required, limit, spent, currency, resetsAt: spendingResetsAt(at) })

/** The amount below which a wallet is low, and since when it is low and exhausted; `undefined` if absent. */
export type AlertState = {
  readonly threshold: bigint | undefined
  readonly lowSince: Instant | undefined
  readonly exhaustedSince: Instant | undefined
}

/** A wallet without a threshold, in which no price was refused. */
export const NO_ALERTS: AlertState = { threshold: undefined, lowSince: undefined, exhaustedSince: undefined }

/** The alert that a hold raises; `balance` is the balance after the hold. */
export type WalletAlert = { readonly workspace: WorkspaceId; readonly balance: Balance; readonly at: Instant } & (
  /** Less than the threshold is available. */
  | { readonly _tag: 'WalletLow'; readonly threshold: bigint }
  /** The wallet could not cover a price. */
  | { readonly _tag: 'WalletExhausted'; readonly required: bigint }
)

/** Whether a hold that leaves this amount raises `WalletLow`: less than the threshold is left, and the wallet was not low before. */
export const becomesLow = ({ threshold, lowSince }: Pick<AlertState, 'threshold' | 'lowSince'>, available: bigint): boolean =>
  threshold !== undefined && lowSince === undefined && available < threshold

/** The alerts after money was added: a wallet is no longer low if it reaches its threshold, and no longer exhausted if any money is available. */
export const afterMoneyAdded = (state: AlertState, available: bigint): AlertState =>
  ({ ...withThreshold(state, state.threshold, available), exhaustedSince: available > 0n ? undefined : state.exhaustedSince })

/** The alerts with another threshold, or without one: a wallet that was low stays low only if it has less than the new threshold. */
export const withThreshold = (state: AlertState, threshold: bigint | undefined, available: bigint): AlertState =>
  ({ ...state, threshold, lowSince: threshold !== undefined && available < threshold ? state.lowSince : undefined })

/** Reads a threshold: a decimal string above zero. */
export const parseThreshold = (text: string): E.Either<InvalidAmount, bigint> => E.flatMap(parseMicros(text), checkThreshold)

/** Checks that a threshold is above zero and no more than a wallet can hold. */
export const checkThreshold = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  (micros > 0n && micros <= MAX_MICROS
    ? E.right(micros)
    : E.left({ _tag: 'InvalidAmount', reason: `a threshold must be more than zero and at most ${formatMicros(MAX_MICROS)}` }))

/**
 * A workspace's prepaid balance, as sends use it.
 *
 * A message has at most one hold. Its states are ranked held < released < captured < refunded (`stepHold` is the rule),
 * so capture, release and refund give the same books in any order and after any number of repetitions.
 */
export interface Wallet {
  /**
   * Reserves the price of a message.
   *
   * Concurrent holds never overdraw. A hold of the whole balance succeeds and leaves zero available. A zero price is
   * legal; like every price, it is refused while `available` is below zero. Holding again for the same message changes nothing
   * and succeeds, even at another price, in another currency, with too little money or after the hold was settled.
   * `InsufficientBalance`: `available` is less than the price; nothing was reserved, and the message may be held later. A first
   * hold in another currency than the wallet's, or in a workspace without a wallet, is a `PortFailure`.
   *
   * `SpendingLimitReached`: the balance covers the price, but the key would exceed its limit on the day of the hold (`checkSpending` is the
   * rule); nothing was reserved. Concurrent holds, of any number of gateways, never exceed a limit. Released or refunded money is added back to the limit of the day of
   * its hold. A hold that is captured after it was released counts again, even beyond the limit. Holds without `spending` count for no key.
   *
   * If the hold raises an alert, `outboxEntries` is called with it, even if the result is `InsufficientBalance`, and its entries are stored
   * in the same step. `WalletAlerts` defines which hold raises one; a wallet without `WalletAlerts` ignores `outboxEntries`.
   */
  readonly hold: (
    hold: NewHold, outboxEntries?: MakeOutboxEntries<WalletAlert>,
  ) => Promise<E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void>>
  /**
   * Spends a hold, even a released one. This may take `available` below zero. Spending it again changes nothing.
   * Right: the new state of the hold.
   */
  readonly capture: MoveHold
  /**
   * Spends a part of a hold and releases the rest, in one step. Right: the new state of the hold, or `undefined` if the message has none. A part of a released hold is
   * spent from `available`, like the whole by `capture`. A part of zero is legal, and a part of the whole is the same as `capture`.
   *
   * A hold is captured once: after a capture of a part or of the whole, another capture changes nothing, at any amount, and neither does a release. A refund gives back
   * what was spent. The rest is added back to the limit of a key, like released money.
   * `ExceedsHold`: the part is less than zero or more than the hold (`changeByPart` is the rule); nothing was changed.
   */
  readonly capturePart: CapturePart
  /** Releases a hold. Releasing it again, or after it was spent, changes nothing. Right: the new state of the hold. */
  readonly release: MoveHold
  /** Refunds the price, held or spent, permanently. Refunding it again changes nothing. Right: the new state of the hold. */
  readonly refund: MoveHold
  /** The state of a message's hold; `undefined` if it has none. After `hold` has returned, the very next call on every node sees the hold. */
  readonly holdOf: (of: Omit<StaleHold, 'batch'>) => Promise<E.Either<PortFailure, HoldState | undefined>>
  /**
   * Holds of all workspaces that are still held and were made before a given time, in pages and in any order.
   *
   * Each is on exactly one page, even if listed holds are settled meanwhile. The last page has no next, even if it is full. An unknown
   * cursor never fails.
   */
  readonly stale: (query: PageQuery & { readonly before: Instant }) => Promise<E.Either<PortFailure, Page<StaleHold>>>
}

/** The price of one message that is about to be reserved. */
export type NewHold = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly amount: Money
  readonly at: Instant
  /** The limit that it counts for, on the UTC day of `at`. */
  readonly spending?: Spending
}

/**
 * Moves one message's hold. A message without a hold stays without one, and the result is `undefined`.
 *
 * If the wallet also implements a `Ledger`, an operator's note is stored in the entries of the move.
 */
export type MoveHold = (of: {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly at: Instant
  readonly note?: string
}) => Promise<E.Either<PortFailure, HoldState | undefined>>

/** Captures a part of one message's hold: `micros`, in micros. */
export type CapturePart = (
  of: Parameters<MoveHold>[0] & { readonly micros: bigint },
) => Promise<E.Either<ExceedsHold | PortFailure, HoldState | undefined>>

/** The message of a hold, and, if it is a part of a shared hold, the batch of that one. */
export type StaleHold = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly batch?: BatchId }

/**
 * The alerts of the wallets: the amount below which a wallet is low, and the alerts that are raised. Requires a `Wallet` and a `Ledger` that handle them too.
 *
 * `Wallet.hold` raises an alert, once: `WalletLow` by the first hold that leaves less than the threshold (`becomesLow` is the rule), unless `raiseLow` did so before, `WalletExhausted` by the
 * first hold that the balance cannot cover. Concurrent holds, of any number of gateways, raise it once. Only added money clears it, by a top-up or an
 * adjustment (`afterMoneyAdded` is the rule); then it can be raised again. Released or refunded money clears nothing, so that a wallet around
 * its threshold raises one alert and not many.
 */
export interface WalletAlerts {
  /** The threshold of a workspace's wallet, and the alerts that are raised; none if the workspace does not exist. */
  readonly alertsOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<AlertState>>>
  /**
   * Sets the threshold, or removes it if it is `undefined`; `withThreshold` is the rule. It raises nothing by itself: if less than the new threshold is
   * available, the next hold raises `WalletLow`.
   *
   * Right: the new alerts, with which `outboxEntries` is called in the same step. `UnknownWorkspace`: nothing was changed.
   */
  readonly setThreshold: (
    workspace: WorkspaceId, threshold: bigint | undefined, outboxEntries?: MakeOutboxEntries<AlertState>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, AlertState>>
  /**
   * Raises `WalletLow` if less than the threshold would be left once a price was paid that is not reserved yet, as `Wallet.hold` does for a price that it reserves. Concurrent calls
   * and holds raise it once. The balance of the alert is the one without the price.
   *
   * Right: whether it raised the alert, with which `outboxEntries` is called in the same step.
   */
  readonly raiseLow: (
    due: UnheldPrice, outboxEntries?: MakeOutboxEntries<WalletAlert>,
  ) => Promise<E.Either<PortFailure, boolean>>
}

/** A price that a workspace has to pay soon and that is not reserved yet, in micros. */
export type UnheldPrice = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly at: Instant }

/** Counts the messages that a sender sends at no cost: the platform does not bill the first service messages of each month. */
export interface FreeMessages {
  /**
   * Takes one of the free messages of a sender in a month, if one is left. Right: whether the message is free.
   *
   * Of concurrent takes exactly as many are free as are left. A repeated take of one message takes only one, and is free again even if none is left. Each
   * sender and each month has its own count, which all workspaces of a sender share.
   */
  readonly take: (taking: FreeTaking) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Returns the free message that a message has taken, so that another message can take it.
   *
   * A call for a message that took none, or already returned it, returns nothing; so of concurrent calls for one message only one does.
   */
  readonly giveBack: (message: TakenBy) => Promise<E.Either<PortFailure, void>>
  /** How many free messages a sender has taken in a month and not returned. */
  readonly taken: (phoneNumberId: SenderId, month: string) => Promise<E.Either<PortFailure, number>>
}

/** The message that takes one, and its workspace. */
export type TakenBy = { readonly workspace: WorkspaceId; readonly message: MessageId }

/** A take: `limit` is the number of free messages of the sender in the month, which is in the form of `monthOf`, such as `2026-11`. */
export type FreeTaking = TakenBy & { readonly phoneNumberId: SenderId; readonly month: string; readonly limit: number }

/**
 * The entries that are stored with a hold if it raises an alert: an event and an audit entry.
 *
 * An alert is rare, and a send must not wait for a check whether anything listens. So the event is made in any case.
 */
export const entriesOfAlert = ({ audit, events }: ActDeps): MakeOutboxEntries<WalletAlert> => (alert): ReadonlyArray<OutboxEntry> => {
  const event = walletAlerted(alert)
  const { workspace, at } = alert
  return [
    ...(audit === undefined ? [] : [{
      id: audit.newAuditId(), at, by: auditActorOf(SYSTEM), act: event.type as 'wallet.low' | 'wallet.exhausted', outcome: 'done' as const,
      workspace, subject: workspace, details: alertData(alert),
    }]),
    ...(events === undefined ? [] : [{ id: events.newEventId(), at, ...event }]),
  ]
}
