import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, recordKeyOf } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import { DAY_MS, type Instant, MINUTE_MS } from '../kernel/time.js'
import type { MessageId } from './message.js'
import type { KnownNumbers } from '../senders/number-health.js'
import type { Sender, SenderOf } from '../senders/sender.js'
import type { CustomersUsed } from '../senders/show-senders.js'

/** A business portfolio, as far as it is known: the senders of one business account share it, and a sender without one has its own. */
export type PortfolioId = string & { readonly PortfolioId: unique symbol }

/** The portfolio id in a text of a storage. */
export const portfolioIdOf = (text: string): PortfolioId => text as PortfolioId

/**
 * The portfolio of a sender. The platform does not report portfolios, so each business account counts as one. A portfolio with several accounts has a count for each,
 * and senders of different portfolios never share one.
 */
export const portfolioOf = ({ businessAccountId, phoneNumberId }: Pick<Sender, 'businessAccountId' | 'phoneNumberId'>): PortfolioId =>
  portfolioIdOf(businessAccountId === undefined ? `number ${phoneNumberId}` : `account ${businessAccountId}`)

/**
 * How long a customer counts after a message. The platform counts 24 hours from when it gets the message, which is less than a minute after the message was counted here.
 */
export const CUSTOMER_COUNTS_MS = DAY_MS + MINUTE_MS

/** The customers of a portfolio outside their windows are as many as its limit allows; the next one is allowed at `retryAt`. */
export type PortfolioLimitReached = { readonly _tag: 'PortfolioLimitReached'; readonly retryAt: Instant }

/** A message that counts its customer, at a time and by the limit of a portfolio. */
export type PortfolioTaking = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly portfolio: PortfolioId
  /** The id that is sent to the platform. Variants of one number are one customer. */
  readonly customer: CustomerId
  readonly at: Instant
  /** The maximum number of customers; at least 1. */
  readonly limit: number
  /** How many other messages wait for a place before this one; none if it is absent. */
  readonly behind?: number
  /** The batch of the message, if it has one. */
  readonly batch?: BatchId
}

/** How many customers of a portfolio count only because of batches, of which this one is the last. */
export type BatchCustomers = { readonly batch: BatchId; readonly customers: number }

/** The customers of a portfolio on a day in UTC, which begins at `day`: the most that counted at a time, and how many of them counted only because of batches. */
export type PortfolioDay = { readonly day: Instant; readonly customers: number; readonly ofBatches: number }

/** How long days are kept. */
export const PORTFOLIO_DAYS_KEPT_MS = 30 * DAY_MS

/** The message that has counted its customer. */
export type CountedMessage = Pick<PortfolioTaking, 'workspace' | 'message'>

/** When each customer of a portfolio was last counted, by `countedKeyOf`. */
export type CountedCustomers = ReadonlyMap<string, Instant>

/** The key under which a customer is counted. */
export const countedKeyOf = ({ customer }: Pick<PortfolioTaking, 'customer'>): string => recordKeyOf(customer)

/** Whether a customer still counts who was last counted at a time. */
export const stillCounts = (countedAt: Instant, now: Instant): boolean => countedAt + CUSTOMER_COUNTS_MS > now

/**
 * Counts the customer of a message. Right: when the customer was last counted. A customer who counts already takes no further place, and counts for a whole period again.
 *
 * So at any time at most `limit` customers count, and in any period of 24 hours messages went to no more: at the last message to a customer who was not counted before, all
 * customers of the period counted.
 */
export const takeCustomer = (
  { limit, at, behind = 0, ...taking }: PortfolioTaking, counted: CountedCustomers,
): E.Either<PortfolioLimitReached, Instant> => {
  const own = counted.get(countedKeyOf(taking))
  if (own !== undefined && stillCounts(own, at)) return E.right(Math.max(own, at))
  const times = [...counted.values()].filter((time) => stillCounts(time, at)).sort((a, b) => a - b)
  if (times.length < limit) return E.right(at)
  return E.left({ _tag: 'PortfolioLimitReached', retryAt: leavesAt(times[times.length - limit + behind] ?? at) })
}

/** When a customer no longer counts who was last counted at a time. */
export const leavesAt = (countedAt: Instant): Instant => countedAt + CUSTOMER_COUNTS_MS

/** The customers that portfolios have reached outside of windows. */
export interface PortfolioBudget {
  /**
   * Counts the customer of a message (`takeCustomer` is the rule). Left `PortfolioLimitReached`: nothing was counted. After a `PortFailure` the customer may have been counted.
   *
   * Concurrent calls never count more customers than the limit allows. A message that is counted again takes no further place. Each portfolio has its own customers,
   * whichever workspaces send through it.
   */
  readonly take: (taking: PortfolioTaking) => Promise<E.Either<PortfolioLimitReached | PortFailure, void>>
  /**
   * Gives back the customer whom a message has counted, because the customer was not reached. The customer still counts if another message counts them, since that message.
   *
   * A call for a message that counted none, or has given it back, changes nothing; so of concurrent calls for one message only one does.
   */
  readonly giveBack: (message: CountedMessage) => Promise<E.Either<PortFailure, void>>
  /** How many customers of a portfolio count at a time. */
  readonly counted: (portfolio: PortfolioId, at: Instant) => Promise<E.Either<PortFailure, number>>
  /**
   * How many of them count only because of messages of batches, each once, by the last batch of each: the one with the highest id. A customer who also counts since a message without a batch is left out. Batches are in the order of their ids.
   */
  readonly countedByBatch: (portfolio: PortfolioId, at: Instant) => Promise<E.Either<PortFailure, ReadonlyArray<BatchCustomers>>>
  /**
   * Notes for each portfolio how many customers count at a time, and how many of them only because of batches, for the day of that time. A day keeps the most that was noted for it, even of concurrent calls.
   * Days that began more than `PORTFOLIO_DAYS_KEPT_MS` before are removed.
   */
  readonly noteDay: (at: Instant) => Promise<E.Either<PortFailure, void>>
  /** The noted days of a portfolio that began at a time or later, in their order. */
  readonly days: (portfolio: PortfolioId, since: Instant) => Promise<E.Either<PortFailure, ReadonlyArray<PortfolioDay>>>
}

/** Counts the customers whom the portfolios of some senders have reached. Portfolios that several of them share are counted once. */
export const customersUsedIn = ({ portfolioBudget, now }: {
  readonly portfolioBudget: Pick<PortfolioBudget, 'counted'>
  readonly now: () => Instant
}): CustomersUsed => async (senders) => {
  const portfolios = [...new Set(senders.map(portfolioOf))]
  const counts = E.sequenceArray(await Promise.all(portfolios.map((portfolio) => portfolioBudget.counted(portfolio, now()))))
  return E.map((found: ReadonlyArray<number>) =>
    new Map(senders.map((sender) => [sender.phoneNumberId, found[portfolios.indexOf(portfolioOf(sender))] ?? 0])))(counts)
}

/** The limit of the portfolio of a sender; `undefined` if it is not known, or if there is none. */
export type PortfolioLimits = (of: SenderOf) => Promise<number | undefined>

/** The limits that the platform has reported for the numbers of senders. */
export const portfolioLimitsIn = (knownNumber: KnownNumbers): PortfolioLimits => async (of) => {
  const limit = (await knownNumber(of))?.customersPerDay
  return limit === 'unlimited' ? undefined : limit
}
