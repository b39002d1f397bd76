import * as E from 'fp-ts/lib/Either.js'
import { isForgotten } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, categoryNamed, type Currency, formatMicros, generalCategory, reportedCategory } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import { type Billed, isFreeType, isThrough, type MessageLog, reportedType, type SenderFilter } from '../messages/message-log.js'
import { type MessageRecord, moneyMove } from '../messages/message.js'
import type { SenderId } from '../senders/sender.js'

import { marketNameOf, type RateCard, rateIn } from './rate-card.js'

/** How the amount that a message costs is known: from the rate card at its send, or from the platform's report. */
export type CostSource = 'card' | 'report'

/** What the platform charges for a message, in micros of the currency of its price. */
export type Cost = { readonly micros: bigint; readonly knownFrom: CostSource }

/** A cost and the margin as JSON, for operators; amounts are decimal strings. */
export type CostView = { readonly cost: string; readonly cost_known_from: CostSource; readonly margin: string }

/** Shows what a message costs, and the margin. */
export const costView = (message: Pick<MessageRecord, 'price' | 'state'>, cost: Cost): CostView =>
  ({ cost: formatMicros(cost.micros), cost_known_from: cost.knownFrom, margin: formatMicros(marginOf(message, cost)) })

/** What a workspace pays for a message, or will pay, beyond what the platform charges. Nothing is paid for a message that was refused, given up or failed. */
export const marginOf = ({ price, state }: Pick<MessageRecord, 'price' | 'state'>, { micros }: Cost): bigint => {
  const move = moneyMove(state)
  return (move === 'release' || move === 'refund' ? 0n : price.micros) - micros
}

/** The rate card in force at a given time. */
export type RateCardAt = (at: Instant) => RateCard

/**
 * What the platform charges for a message.
 *
 * The platform charges nothing for a message that it did not accept or that failed, and nothing for one that it reports as free. If it reports another category
 * than the one that the message was priced by, the cost is the rate of that category on the card at the time of the send. Otherwise the cost is what was stored
 * at the send; a message of an earlier version costs its price.
 */
export const costOf = (message: MessageRecord, cardAt: RateCardAt): Cost => {
  const { state, price, cost = price.micros, pricing, createdAt } = message
  const move = moneyMove(state)
  if (move === 'release' || move === 'refund') return { micros: 0n, knownFrom: 'report' }
  const [reported, type] = [reportedCategory(pricing), reportedType(pricing)]
  if (reported === undefined && type === undefined) return { micros: cost, knownFrom: 'card' }
  const card = cardAt(createdAt)
  const one = { cost, charged: price.category, reported, type, messages: 1 }
  return { micros: reportedCost(one, card, marketOf(message, card)), knownFrom: 'report' }
}

const marketOf = ({ market, to }: MessageRecord, card: RateCard): string => market ?? (isForgotten(to) ? '' : marketNameOf(card, to))

type Reported = Pick<Billed, 'cost' | 'charged' | 'reported' | 'type' | 'messages'>

/** What messages cost together that the platform has reported. */
const reportedCost = ({ cost, charged, reported, type, messages }: Reported, card: RateCard, market: string): bigint => {
  if (isFreeType(type)) return 0n
  const category = reported === undefined ? undefined : categoryNamed(reported)
  return category === undefined || generalCategory(category) === generalCategory(charged)
    ? cost
    : BigInt(messages) * rateIn(card, market, category).micros
}

/** The messages of a workspace in a month, by sender, category and market, with the sums of their prices, costs and margins, in micros. */
export type Usage = {
  readonly workspace: WorkspaceId
  /** The phone number id through which they were sent; absent for messages of an earlier version. */
  readonly sender: SenderId | undefined
  readonly currency: Currency
  readonly category: Category
  /** The market of the price on the rate card; absent for messages of earlier versions. */
  readonly market: string | undefined
  readonly messages: number
  readonly price: bigint
  readonly cost: bigint
}

/** A usage as JSON; amounts are decimal strings. */
export const usageView = ({ workspace, sender, category, market, messages, price, cost, currency }: Usage) => ({
  workspace, sender: sender ?? null, category, market: market ?? null, messages, price: formatMicros(price), cost: formatMicros(cost),
  margin: formatMicros(price - cost), currency,
})

/**
 * Adds up the charged messages in a period, by workspace, sender, category and market; all of them, or those of one workspace or of one of its senders. It reads every
 * message of the period. A moved number has a line for each of its ids.
 */
export type ReportUsage = (period: UsagePeriod, of?: UsageOf) => Promise<E.Either<PortFailure, ReadonlyArray<Usage>>>

/** The messages that were opened at or after `from` and before `until`. */
export type UsagePeriod = { readonly from: Instant; readonly until: Instant }

/** A workspace, or messages of one of its senders; `FilterBySender` makes the filter. */
export type UsageOf = { readonly workspace: WorkspaceId; readonly sender?: SenderFilter | undefined }

/** The dependencies of adding it up. */
export type ReportUsageDeps = { readonly messageLog: Pick<MessageLog, 'billed'>; readonly rateCard: RateCardAt }

export const makeReportUsage =
  ({ messageLog, rateCard }: ReportUsageDeps): ReportUsage =>
  async (period, of) => {
    const billed = await messageLog.billed(period)
    if (E.isLeft(billed)) return billed
    const card = rateCard(period.from)
    const sums = new Map<string, Usage>()
    for (const entry of billed.right.filter(isOf(of))) {
      const { workspace, sender, currency, charged: category, market, messages, micros } = entry
      const key = JSON.stringify([workspace, sender, currency, category, market])
      const sum = sums.get(key) ?? { workspace, sender, currency, category, market, messages: 0, price: 0n, cost: 0n }
      const cost = sum.cost + reportedCost(entry, card, market ?? '')
      sums.set(key, { ...sum, messages: sum.messages + messages, price: sum.price + micros, cost })
    }
    return E.right([...sums.values()].sort((a, b) => compare(orderOf(a), orderOf(b))))
  }

const isOf = (of: UsageOf | undefined) => (entry: Billed): boolean =>
  of === undefined || (entry.workspace === of.workspace && (of.sender === undefined || isThrough(of.sender, entry)))

const orderOf = ({ workspace, sender, category, market }: Usage): string => [workspace, sender, category, market].join(' ')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
