import * as E from 'fp-ts/lib/Either.js'
import { callingCodeOf, countryOf, type CustomerId, isUserId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, type Currency, type GeneralCategory, generalCategory, type Price, type SpecialCategory } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import type { Message } from '../messages/message.js'

/** Prices in micros for each category. */
export type Prices = Readonly<Record<GeneralCategory, bigint>> & { readonly [Special in SpecialCategory]?: bigint | undefined }

/** What messages cost, by category and by the customer's calling code, in one currency. */
export type RateCard = {
  readonly currency: Currency
  /** The first day these prices hold, in UTC, as an ISO date. */
  readonly effective: string
  readonly default: Prices
  /** By calling-code prefix, digits only; what a market leaves out falls back to `default`. */
  readonly markets: ReadonlyMap<string, Partial<Prices>>
  /** Prices a template whose category is not known. */
  readonly templateCategory: Category
  /** How many free-form messages each sender sends at no cost in a calendar month of UTC; none where absent. */
  readonly freeServiceMessages?: number | undefined
}

/** Rate cards of one currency, each for the time from its own day on. */
export type RateCards = readonly [RateCard, ...RateCard[]]

/** The card that counts at a moment: the latest whose day has begun. If every day is still to come, the earliest counts. */
export const cardAt = ([first, ...others]: RateCards, at: Instant): RateCard =>
  others.reduce((best, card) => {
    const begun = hasBegun(card, at)
    if (begun !== hasBegun(best, at)) return begun ? card : best
    return card.effective > best.effective === begun ? card : best
  }, first)

/** Whether the first day of a card has begun at a moment. */
export const hasBegun = ({ effective }: RateCard, at: Instant): boolean => Date.parse(effective) <= at

/** The price of a message on a rate card. */
export type Rate = Price & {
  /** The market that it is of: a calling-code prefix, or `default`. A price of no rate card has no market. */
  readonly market?: string | undefined
  /** How many such messages a month its sender sends at no cost before the price counts; none where absent. */
  readonly freeEachMonth?: number
}

/**
 * The price of a message that a workspace sends. `category` is that of its template, if it is known. Left: what the price depends on could not be
 * looked up.
 */
export type PriceOf = (workspace: WorkspaceId, message: Message, category?: Category) => Promise<E.Either<PortFailure, Rate>>

/** Prices every workspace's messages by one rate card, or by the card that a function gives at that moment. */
export const priceBy =
  (card: RateCard | (() => RateCard)): PriceOf =>
  async (_workspace, message, category) =>
    E.right(priceOn(typeof card === 'function' ? card() : card, message, category))

/**
 * The price of a message on a rate card. A free-form message costs its market's service rate, a template the rate of its category, which is
 * `templateCategory` if it is not known. The market is the longest prefix that matches the number; a user id has the market of its country.
 *
 * `authentication_international` is what the platform bills for an authentication template to some countries if the business is in another country. So
 * where a market names that rate, it is the price of every authentication template to it. The market's own rates come before those of `default`: a market
 * that names only `authentication` costs that, whatever `default` names. In the same way `marketing_lite` costs the market's rate of
 * that name, then its marketing rate, then the default rates. The category of the price is that of the rate.
 */
export const priceOn = (card: RateCard, message: Message, category: Category = card.templateCategory): Rate => {
  const rate = nearestRate(card, marketOf(card, message.to), categoryOf(message, category))
  const { freeServiceMessages: freeEachMonth = 0 } = card
  return message._tag !== 'Template' && freeEachMonth > 0 ? { ...rate, freeEachMonth } : rate
}

/** The market that a customer is of on a rate card: a calling-code prefix, or `default`. */
export const marketNameOf = (card: RateCard, to: CustomerId): string => marketOf(card, to)[0]

/** What a template of a category costs in each market of a rate card; `default` comes first and is the price of every market that is not named. */
export const ratesOf = (card: RateCard, category: Category): ReadonlyArray<Rate> =>
  [[DEFAULT_MARKET, card.default] as const, ...card.markets].map((market) => nearestRate(card, market, category))

const nearestRate = (card: RateCard, [prefix, market]: readonly [string, Partial<Prices>], asked: Category): Rate => {
  const special = asked === 'authentication' ? 'authentication_international' : asked
  const general = generalCategory(asked)
  const rateOf = (name: string, prices: Partial<Prices>, charged: Category): Rate | undefined => {
    const micros = prices[charged]
    return micros === undefined ? undefined : { micros, currency: card.currency, category: charged, market: name }
  }
  return rateOf(prefix, market, special) ?? rateOf(prefix, market, general) ?? rateOf(DEFAULT_MARKET, card.default, special) ??
    { micros: card.default[general], currency: card.currency, category: general, market: DEFAULT_MARKET }
}

/** The name of the market that `default` is, whatever the calling code. */
const DEFAULT_MARKET = 'default'

/** The category by which a message is charged; `templateCategory` is that of a template. */
export const categoryOf = (message: Message, templateCategory: Category): Category => (message._tag === 'Template' ? templateCategory : 'service')

const marketOf = ({ markets, default: others }: RateCard, to: CustomerId): readonly [string, Partial<Prices>] => {
  const digits = isUserId(to) ? callingCodeOf(countryOf(to)) ?? '' : to
  for (let length = digits.length; length > 0; length -= 1) {
    const prefix = digits.slice(0, length)
    const market = markets.get(prefix)
    if (market !== undefined) return [prefix, market]
  }
  return [DEFAULT_MARKET, others]
}
