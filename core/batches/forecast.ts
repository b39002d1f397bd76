import * as E from 'fp-ts/lib/Either.js'
import { DAY_MINUTES, type Hours, nextAllowed, parseHours } from '../customers/hours.js'
import type { Zone } from '../customers/time-zones.js'
import type { PortFailure } from '../kernel/failure.js'
import { generalCategory } from '../kernel/money.js'
import { DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import { CUSTOMER_COUNTS_MS, type PortfolioBudget, type PortfolioLimits, portfolioOf } from '../messages/portfolio-budget.js'
import type { NumberHealth } from '../senders/number-health.js'
import { PLATFORM_MESSAGES_PER_SECOND, type SenderLimit, type SenderRates } from '../senders/sender-budget.js'
import { requiredSender, type NoSender, type SenderDirectory } from '../senders/sender.js'
import type { Batch, BatchCounts, Batches, PricePart } from './batch.js'
import type { Checked } from './check.js'

/** How long a batch takes, and what a person should know before it is confirmed. */
export type Forecast = {
  /** How many days the limit of the customers in 24 hours demands; at least 1. */
  readonly daysNeeded: number
  /** The earliest time at which the last line can leave. Other messages of the sender, and failures, make it later. */
  readonly earliestEnd: Instant
  /** The days that it takes, with the lines of each; the first `MAX_DAYS` of them. */
  readonly days: ReadonlyArray<BatchDay>
  readonly warnings: ReadonlyArray<BatchWarning>
}

/** A day of 24 hours in which the portfolio of a sender may reach a number of customers: when its messages leave at the earliest, and how many lines they are. */
export type BatchDay = { readonly from: Instant; readonly lines: number }

/** The maximum number of days that are listed. */
const MAX_DAYS = 31

/**
 * What a person should know. `category_changed`, `price_changed`: the category of the template, or its price in a market, is another than in the last batch of it. `first_use`: no batch of
 * the template was confirmed before. `quality_not_green`: the platform reports another quality of the number. `more_than_a_day`: the tier does not let all customers be reached in a day.
 */
export type BatchWarning =
  | { readonly code: 'category_changed'; readonly before: string; readonly now: string }
  | { readonly code: 'price_changed'; readonly market: string; readonly before: bigint; readonly now: bigint }
  | { readonly code: 'first_use' }
  | { readonly code: 'quality_not_green'; readonly quality: string }
  | { readonly code: 'more_than_a_day'; readonly perDay: number; readonly used: number }

/** What a forecast needs; a limit of which nothing is known does not count. */
export type ForecastDeps = {
  readonly batches: Pick<Batches, 'list'>
  readonly windowClock: { readonly now: () => Instant }
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly portfolioLimits?: PortfolioLimits
  readonly portfolioBudget?: Pick<PortfolioBudget, 'counted'>
  readonly senderRates?: SenderRates
  readonly senderLimit?: Pick<SenderLimit, 'perSecond'>
  readonly numberHealth?: Pick<NumberHealth, 'of'>
}

/** Tells how long a checked batch takes, and what a person should know. */
export const forecastOf = async (
  deps: ForecastDeps, batch: Batch, { sendable, parts }: Checked,
): Promise<E.Either<NoSender | PortFailure, Forecast>> => {
  const [tier, rate, last, quality] = await Promise.all([
    tierOf(deps, batch), rateOf(deps, batch), lastOf(deps, batch), qualityOf(deps, batch),
  ])
  if (E.isLeft(tier)) return tier
  if (E.isLeft(last)) return last
  if (E.isLeft(quality)) return quality
  const { perDay, used } = tier.right
  const pace = paceOf(batch, { lines: sendable, now: deps.windowClock.now(), rate, tier: tier.right })
  return E.right({
    ...pace,
    warnings: [
      ...changesSince(last.right, parts),
      ...(quality.right === undefined || quality.right === 'green' ? [] : [{ code: 'quality_not_green' as const, quality: quality.right }]),
      ...(pace.daysNeeded > 1 ? [{ code: 'more_than_a_day' as const, perDay, used }] : []),
    ],
  })
}

/** How many messages a second the sender of a batch may send, and when the batch can end at the earliest. A batch that is a draft, paused or over has no end. */
export type Progress = {
  readonly rate: number; readonly expectedEnd?: Instant
  /** The days that the lines that have not left take; absent if it has no end. */
  readonly days?: ReadonlyArray<BatchDay>
}

/** Tells how fast a batch is sent now. If its sender was removed, its end is not known. */
export const progressOf = async (
  deps: ForecastDeps, batch: Batch, { unsent, states }: BatchCounts,
): Promise<E.Either<PortFailure, Progress>> => {
  const rate = await rateOf(deps, batch)
  if (batch.state !== 'confirmed' && batch.state !== 'sending') return E.right({ rate })
  const tier = await tierOf(deps, batch)
  if (E.isLeft(tier)) return tier.left._tag === 'PortFailure' ? E.left(tier.left) : E.right({ rate })
  const lines = unsent.lines + (states.get('queued')?.lines ?? 0) + (states.get('pending')?.lines ?? 0)
  const { earliestEnd, days } = paceOf(batch, { lines, now: deps.windowClock.now(), rate, tier: tier.right })
  return E.right({ rate, expectedEnd: earliestEnd, days })
}

type Tier = { readonly perDay: number; readonly used: number }

type PaceOptions = { readonly lines: number; readonly now: Instant; readonly rate: number; readonly tier: Tier }

/** How long the lines that are left take. */
const paceOf = (
  batch: Batch, { lines, now, rate, tier: { perDay, used } }: PaceOptions,
): Pick<Forecast, 'days' | 'daysNeeded' | 'earliestEnd'> => {
  const today = Math.max(0, perDay - used)
  const daysNeeded = lines <= today ? 1 : 1 + Math.ceil((lines - today) / perDay)
  const lastDay = daysNeeded === 1 ? lines : lines - today - (daysNeeded - 2) * perDay
  const begin = Math.max(now, batch.timing.sendAt ?? 0, batch.waveUntil ?? 0)
  const start = begin + waveOf(batch, lines) + (daysNeeded - 1) * CUSTOMER_COUNTS_MS
  const days = Array.from({ length: Math.min(daysNeeded, MAX_DAYS) }, (_, day): BatchDay => ({
    from: endOf(batch, begin + day * CUSTOMER_COUNTS_MS, 0), lines: day === daysNeeded - 1 ? lastDay : day === 0 ? today : perDay,
  }))
  return { daysNeeded, earliestEnd: endOf(batch, start, lastDay / rate * SECOND_MS), days }
}

/** How long the lines after the first wave still have to wait for it, if it has not left. */
const waveOf = ({ firstWave, waveUntil }: Batch, lines: number): number =>
  (firstWave === undefined || waveUntil !== undefined || lines <= firstWave.recipients ? 0 : firstWave.waitMs)

/** When a batch that starts at a time and takes a time can end: outside its hours it stands still. Days of the week on which it may not be sent are not counted. */
const endOf = ({ timing }: Batch, start: Instant, durationMs: number): Instant => {
  const hours = timing.hours && parseHours(timing.hours)
  if (hours === undefined || E.isLeft(hours)) return start + Math.ceil(durationMs)
  const { from, to, timezone } = hours.right
  const openMs = ((to - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES) * MINUTE_MS
  const days = Math.max(0, Math.ceil(durationMs / openMs) - 1)
  const zone = timezone === 'customer' ? undefined : timezone
  return beginning(hours.right, zone, start) + Math.ceil(durationMs + days * (DAY_MS - openMs))
}

/** Which zones the customers are in is not known in advance, so their hours may begin at once for some of them. */
const beginning = (hours: Hours, zone: Zone | undefined, start: Instant): Instant => {
  const begins = zone === undefined ? E.right(start) : nextAllowed(hours, [zone], start)
  return E.isLeft(begins) ? start : begins.right
}

/** How many customers the portfolio of the sender may reach in 24 hours, and how many it has reached. */
const tierOf = async (
  { portfolioLimits, portfolioBudget, senders, windowClock }: ForecastDeps, { workspace, sender }: Batch,
): Promise<E.Either<NoSender | PortFailure, Tier>> => {
  const perDay = await portfolioLimits?.({ workspace, sender })
  if (perDay === undefined || portfolioBudget === undefined) return E.right({ perDay: Infinity, used: 0 })
  const found = await requiredSender(senders, { workspace, sender })
  if (E.isLeft(found)) return found
  return E.map((used: number) => ({ perDay, used }))(await portfolioBudget.counted(portfolioOf(found.right), windowClock.now()))
}

const rateOf = async ({ senderRates, senderLimit }: ForecastDeps, { workspace, sender }: Batch): Promise<number> =>
  await senderRates?.({ workspace, sender }) ?? senderLimit?.perSecond ?? PLATFORM_MESSAGES_PER_SECOND

const qualityOf = async (
  { numberHealth }: ForecastDeps, { workspace, sender }: Batch,
): Promise<E.Either<PortFailure, string | undefined>> => {
  const known = await numberHealth?.of(workspace)
  if (known === undefined) return E.right(undefined)
  return E.map((numbers: ReadonlyArray<{ readonly phoneNumberId: string; readonly quality?: string }>) =>
    numbers.find(({ phoneNumberId }) => phoneNumberId === sender)?.quality)(known)
}

/** How many batches are searched for the last one of the template. */
const LOOKED_AT = 100

const lastOf = async (
  { batches }: ForecastDeps, { id, workspace, templateName, language }: Batch,
): Promise<E.Either<PortFailure, Batch | undefined>> =>
  E.map(({ items }: { readonly items: ReadonlyArray<Batch> }) => items.find((one) =>
    one.id !== id && one.confirmed !== undefined && one.templateName === templateName && one.language === language))(
    await batches.list(workspace, { limit: LOOKED_AT }),
  )

const changesSince = (last: Batch | undefined, parts: ReadonlyArray<PricePart>): ReadonlyArray<BatchWarning> => {
  const before = last?.confirmed?.parts
  if (before === undefined) return [{ code: 'first_use' }]
  const [was, is] = [before[0], parts[0]]
  const isOther = was !== undefined && is !== undefined && generalCategory(was.category) !== generalCategory(is.category)
  return [
    ...(isOther ? [{ code: 'category_changed' as const, before: was.category, now: is.category }] : []),
    ...parts.flatMap((part): ReadonlyArray<BatchWarning> => {
      const same = before.find(({ market }) => market === part.market)
      return same === undefined || priceIn(same) === priceIn(part)
        ? []
        : [{ code: 'price_changed', market: part.market ?? 'default', before: priceIn(same), now: priceIn(part) }]
    }),
  ]
}

/** What a line of a part costs; every line of it costs the same, unless prices changed while they were checked. */
const priceIn = ({ micros, lines }: PricePart): bigint => micros / BigInt(Math.max(1, lines))
