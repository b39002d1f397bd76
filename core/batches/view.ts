import { WEEKDAYS } from '../customers/hours.js'
import { formatMicros } from '../kernel/money.js'
import { iso, isoOrNull, SECOND_MS } from '../kernel/time.js'
import { MESSAGE_STATES, type MessageState, type Metadata, type MoneyMove, moneyMove } from '../messages/message.js'
import type { Batch, BatchCounts, BatchState, Count, FailureCode, PauseReason, PricePart } from './batch.js'
import type { FoundProblem } from './check.js'
import type { BatchDay, BatchWarning } from './forecast.js'
import type { LineProblem } from './lines.js'
import type { ShownBatch } from './show.js'
import type { Added, Preflight } from './use-cases.js'

/** A batch in replies. Times are in ISO 8601, amounts are decimal strings. */
export type BatchView = {
  readonly id: string
  readonly name: string | null
  readonly state: BatchState
  readonly paused_because: PauseReason | null
  readonly template_name: string
  readonly language: string
  readonly sender: string
  readonly send_at: string | null
  readonly until: string | null
  readonly deliver_between: HoursView | null
  /** `wait` is in seconds. */
  readonly first_wave: { readonly recipients: number; readonly wait: number } | null
  readonly brake: { readonly share: number; readonly of: number }
  readonly metadata: Metadata | null
  /** What was confirmed: the sum of the prices, and how many lines are sent. */
  readonly total: string | null
  readonly currency: string | null
  readonly sendable: number | null
  readonly created_at: string
  readonly confirmed_at: string | null
  readonly ended_at: string | null
}

/** The hours in which a batch may be sent, in replies. */
export type HoursView = { readonly from: string; readonly to: string; readonly days: ReadonlyArray<string>; readonly timezone: string }

/** A batch for replies. */
export const batchView = (batch: Batch): BatchView => {
  const { timing: { sendAt, until, hours }, firstWave, brake: { share, of }, confirmed } = batch
  return {
    id: batch.id,
    name: batch.name ?? null,
    state: batch.state,
    paused_because: batch.pausedBecause ?? null,
    template_name: batch.templateName,
    language: batch.language,
    sender: batch.sender,
    send_at: isoOrNull(sendAt),
    until: isoOrNull(until),
    deliver_between: hours === undefined
      ? null
      : { from: hours.from, to: hours.to, days: hours.days ?? WEEKDAYS, timezone: hours.timezone ?? 'customer' },
    first_wave: firstWave === undefined ? null : { recipients: firstWave.recipients, wait: firstWave.waitMs / SECOND_MS },
    brake: { share, of },
    metadata: batch.metadata ?? null,
    total: confirmed === undefined ? null : formatMicros(confirmed.total),
    currency: confirmed?.currency ?? null,
    sendable: confirmed?.sendable ?? null,
    created_at: iso(batch.createdAt),
    confirmed_at: isoOrNull(confirmed?.at),
    ended_at: isoOrNull(batch.endedAt),
  }
}

/** How many lines of a batch have no message yet, are left out because of a problem, or have a message in each state. */
export type CountsView = Readonly<Record<'waiting' | 'left_out' | MessageState, number>>

/** A batch with what has happened to its lines. */
export type ShownBatchView = BatchView & {
  readonly recipients: number
  readonly counts: CountsView
  /** What was charged, and what is still reserved. */
  readonly price: string
  readonly held: string
  /** Messages a second. */
  readonly rate: number
  readonly expected_end: string | null
  /** The days that the messages that have not left take; null like `expected_end`. */
  readonly days: ReadonlyArray<DayView> | null
  /** The codes of failed and refused messages, the most frequent one first, at most `MAX_FAILURES`. */
  readonly failures: ReadonlyArray<FailureView>
  /** How near the brake is; null in a draft, and once the batch is over. */
  readonly brake_level: BrakeLevelView | null
}

/** How many messages failed with a code; `may_help_again`: whether it can help to send them again. */
export type FailureView = { readonly code: FailureCode; readonly count: number; readonly may_help_again: boolean }

/** Of the last `messages`, `failures` failed with the same `code`. With `pauses_at` of them the batch pauses; null if it never does. */
export type BrakeLevelView = {
  readonly code: FailureCode | null; readonly failures: number; readonly pauses_at: number | null; readonly messages: number
}

/** A day of 24 hours that a batch takes: when it begins, and how many recipients are sent to. */
export type DayView = { readonly from: string; readonly recipients: number }

/** The maximum number of codes of failures that are shown. */
const MAX_FAILURES = 20

/** A batch with its counts, for replies. */
export const shownBatchView = ({ batch, counts, rate, expectedEnd, days, failures, brakeLevel }: ShownBatch): ShownBatchView => ({
  ...batchView(batch),
  recipients: counts.lines,
  counts: countsView(counts),
  price: formatMicros(batchMoney({ batch, counts }).charged),
  held: formatMicros(batchMoney({ batch, counts }).held),
  rate,
  expected_end: isoOrNull(expectedEnd),
  days: days?.map(dayView) ?? null,
  failures: failures.slice(0, MAX_FAILURES).map(({ code, count, mayHelpAgain }) => ({ code, count, may_help_again: mayHelpAgain })),
  brake_level: brakeLevel === undefined
    ? null
    : {
        code: brakeLevel.code ?? null, failures: brakeLevel.failures, pauses_at: brakeLevel.pausesAt ?? null, messages: brakeLevel.messages,
      },
})

const dayView = ({ from, lines }: BatchDay): DayView => ({ from: iso(from), recipients: lines })

/** What was charged for a batch, and what is still reserved, in micros. */
export const batchMoney = (
  { batch, counts }: Pick<ShownBatch, 'batch' | 'counts'>,
): { readonly charged: bigint; readonly held: bigint } => ({
  charged: moneyIn(counts, 'capture'),
  held: moneyIn(counts, 'keep') + (batch.confirmed?.heldAt === undefined ? 0n : counts.unsent.micros),
})

/** How many lines of a batch are in each state, for replies. */
export const countsView = ({ lines, problems, states }: BatchCounts): CountsView => {
  const leftOut = [...problems.values()].reduce((sum, count) => sum + count, 0)
  const opened = [...states.values()].reduce((sum, count) => sum + count.lines, 0)
  const ofState = Object.fromEntries(MESSAGE_STATES.map((state) => [state, states.get(state)?.lines ?? 0]))
  return { waiting: lines - leftOut - opened, left_out: leftOut, ...ofState as Record<MessageState, number> }
}

/** The prices of the messages in states with the same move of their money, in micros. */
const moneyIn = ({ states }: BatchCounts, move: MoneyMove): bigint =>
  [...states].reduce((sum, [state, { micros }]) => (moneyMove(state) === move ? sum + micros : sum), 0n)

/** The lines of a batch after they were stored. */
export type AddedView = BatchView & {
  readonly recipients: number
  /** How many of them cannot be read. */
  readonly unreadable: number
  /** The first of those. */
  readonly problems: ReadonlyArray<LineProblemView>
}

/** What is wrong with a line of a file. The head of a CSV is line 1. */
export type LineProblemView = { readonly line: number; readonly column: string | null; readonly code: string; readonly message: string }

/** What is wrong with a line, for replies. */
export const lineProblemView = ({ line, column, code, message }: LineProblem): LineProblemView =>
  ({ line, column: column ?? null, code, message })

/** A draft whose lines were stored, for replies. */
export const addedView = ({ batch, recipients, unreadable, problems }: Added): AddedView =>
  ({ ...batchView(batch), recipients, unreadable, problems: problems.map(lineProblemView) })

/** What a check of a batch found, in replies. */
export type PreflightView = {
  readonly recipients: number
  readonly sendable: number
  readonly problems: ReadonlyArray<FoundProblem>
  readonly total: string
  readonly currency: string
  readonly by_category: ReadonlyArray<CategoryView>
  readonly by_market: ReadonlyArray<MarketView>
  /** What is available after the total was reserved; negative if the wallet cannot pay it. */
  readonly available_after: string
  readonly days_needed: number
  readonly earliest_end: string
  readonly days: ReadonlyArray<DayView>
  readonly warnings: ReadonlyArray<WarningView>
}

/** The lines of a category and the sum of their prices. */
export type CategoryView = { readonly category: string; readonly recipients: number; readonly price: string }

/** The lines of a market and the sum of their prices; null for lines with the price of no market. */
export type MarketView = { readonly market: string | null; readonly recipients: number; readonly price: string }

/** What a person should know before a batch is confirmed: a code, and the fields that belong to it. Prices are decimal strings. */
export type WarningView = {
  readonly code: BatchWarning['code']
  readonly market?: string
  readonly before?: string
  readonly now?: string
  readonly quality?: string
  readonly per_day?: number
  readonly used?: number
}

/** What a check found, for replies. */
export const preflightView = ({ parts, ...found }: Preflight): PreflightView => ({
  recipients: found.recipients,
  sendable: found.sendable,
  problems: found.problems,
  total: formatMicros(found.total),
  currency: found.currency,
  by_category: summed(parts, ({ category }) => category).map(([category, { lines, micros }]) =>
    ({ category, recipients: lines, price: formatMicros(micros) })),
  by_market: summed(parts, ({ market }) => market ?? null).map(([market, { lines, micros }]) =>
    ({ market, recipients: lines, price: formatMicros(micros) })),
  available_after: formatMicros(found.availableAfter),
  days_needed: found.daysNeeded,
  earliest_end: iso(found.earliestEnd),
  days: found.days.map(dayView),
  warnings: found.warnings.map(warningView),
})

/** The parts with the same key together, in the order of the parts. */
const summed = <Key>(parts: ReadonlyArray<PricePart>, keyOf: (part: PricePart) => Key): ReadonlyArray<readonly [Key, Count]> => {
  const sums = new Map<Key, Count>()
  for (const part of parts) {
    const { lines, micros } = sums.get(keyOf(part)) ?? { lines: 0, micros: 0n }
    sums.set(keyOf(part), { lines: lines + part.lines, micros: micros + part.micros })
  }
  return [...sums]
}

const warningView = (warning: BatchWarning): WarningView => {
  switch (warning.code) {
    case 'category_changed': return { code: warning.code, before: warning.before, now: warning.now }
    case 'price_changed':
      return { code: warning.code, market: warning.market, before: formatMicros(warning.before), now: formatMicros(warning.now) }
    case 'first_use': return { code: warning.code }
    case 'quality_not_green': return { code: warning.code, quality: warning.quality }
    case 'more_than_a_day': return { code: warning.code, per_day: warning.perDay, used: warning.used }
  }
}
