import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import { DAY_MS, type Instant, UTC_DAYS } from '../kernel/time.js'
import { type PortfolioBudget, type PortfolioDay, portfolioOf } from '../messages/portfolio-budget.js'
import { type NoSender, requiredSender, type SenderDirectory, type SenderOf } from '../senders/sender.js'
import type { Batch, Batches } from './batch.js'

/** Because of what customers count in a portfolio: `batches` of a workspace, most customers first; `others` of all other batches, also those of workspaces that share the portfolio. */
export type LimitUse = {
  readonly batches: ReadonlyArray<{ readonly batch: Batch; readonly customers: number }>
  readonly others: number
  /** The last days until today, the earliest first. */
  readonly days: ReadonlyArray<PortfolioDay>
}

/** Shows how many customers of the portfolio of a sender count only because of batches, and how many counted on the last days. */
export type ShowLimitUse = (of: SenderOf) => Promise<E.Either<NoSender | PortFailure, LimitUse>>

/** What it needs; without `portfolioBudget`, no customers are counted. */
export type LimitUseDeps = {
  readonly batches: Pick<Batches, 'find'>
  readonly portfolioBudget?: Pick<PortfolioBudget, 'counted' | 'countedByBatch' | 'days'>
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly windowClock: { readonly now: () => Instant }
}

/** The maximum number of batches that are shown, and among how many of the largest they are looked for. */
const [SHOWN, LOOKED_AT] = [2, 20]

/** The number of days that are shown. */
const DAYS = 14

export const makeShowLimitUse = ({ batches, portfolioBudget, senders, windowClock }: LimitUseDeps): ShowLimitUse => async (of) => {
  const sender = await requiredSender(senders, of)
  if (E.isLeft(sender)) return sender
  if (portfolioBudget === undefined) return E.right({ batches: [], others: 0, days: [] })
  const [portfolio, now] = [portfolioOf(sender.right), windowClock.now()]
  const today = UTC_DAYS.startOf(now)
  const [counted, all, noted] = await Promise.all([
    portfolioBudget.countedByBatch(portfolio, now), portfolioBudget.counted(portfolio, now),
    portfolioBudget.days(portfolio, today - (DAYS - 1) * DAY_MS),
  ])
  if (E.isLeft(counted)) return counted
  if (E.isLeft(all)) return all
  if (E.isLeft(noted)) return noted
  const ofBatches = Math.min(all.right, sumOf(counted.right))
  const largest = [...counted.right].sort((a, b) => b.customers - a.customers).slice(0, LOOKED_AT)
  const found = E.sequenceArray(await Promise.all(largest.map(({ batch }) => batches.find({ workspace: of.workspace, batch }))))
  if (E.isLeft(found)) return found
  const own = largest.flatMap(({ customers }, index) => {
    const batch = O.toUndefined(found.right[index] ?? O.none)
    return batch === undefined ? [] : [{ batch, customers }]
  }).slice(0, SHOWN)
  const days = daysUntil({ day: today, customers: all.right, ofBatches }, noted.right)
  return E.right({ batches: own, others: sumOf(counted.right) - sumOf(own), days })
}

/** The days until today. Today also counts what was not noted yet. */
const daysUntil = (today: PortfolioDay, noted: ReadonlyArray<PortfolioDay>): ReadonlyArray<PortfolioDay> =>
  Array.from({ length: DAYS }, (_, index) => {
    const day = today.day - (DAYS - 1 - index) * DAY_MS
    const known = noted.find((one) => one.day === day) ?? { day, customers: 0, ofBatches: 0 }
    return day === today.day && today.customers > known.customers ? today : known
  })

const sumOf = (counts: ReadonlyArray<{ readonly customers: number }>): number =>
  counts.reduce((sum, { customers }) => sum + customers, 0)
