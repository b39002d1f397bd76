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
import type { Batch, Batches, PricePart } from './batch.js'
import type { Checked } from './check.js'

/** How long a batch takes, and what a person should know before it is confirmed. */
export type Forecast = {
  /** How many days the limit of the customers in 24 hours demands; at least 1. */
  readonly daysNeeded: number
  /** The earliest time at which the last line can leave. Other messages of the sender, and failures, make it later. */
  readonly earliestEnd: Instant
  readonly warnings: ReadonlyArray<BatchWarning>
}

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
  const today = Math.max(0, perDay - used)
  const daysNeeded = sendable <= today ? 1 : 1 + Math.ceil((sendable - today) / perDay)
  const lastDay = daysNeeded === 1 ? sendable : sendable - today - (daysNeeded - 2) * perDay
  const start = Math.max(deps.windowClock.now(), batch.timing.sendAt ?? 0) + (daysNeeded - 1) * CUSTOMER_COUNTS_MS
  return E.right({
    daysNeeded, earliestEnd: endOf(batch, start, lastDay / rate * SECOND_MS),
    warnings: [
      ...changesSince(last.right, parts),
      ...(quality.right === undefined || quality.right === 'green' ? [] : [{ code: 'quality_not_green' as const, quality: quality.right }]),
      ...(daysNeeded > 1 ? [{ code: 'more_than_a_day' as const, perDay, used }] : []),
    ],
  })
}

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
): Promise<E.Either<NoSender | PortFailure, { readonly perDay: number; readonly used: number }>> => {
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
