import * as E from 'fp-ts/lib/Either.js'
import { callingCodeOf, countryOf, type CustomerId, isUserId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, type Currency, type GeneralCategory, generalCategory, type Price, type SpecialCategory } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import type { Message } from '../messages/message.js'

/** Prices in micros for each category. */
export type Prices = Readonly<Record<GeneralCategory, bigint>> & { readonly [Special in SpecialCategory]?: bigint | undefined }

/** The prices of messages, by category and by the customer's calling code, in one currency. */
export type RateCard = {
  readonly currency: Currency
  /** The first day on which these prices apply, in UTC, as an ISO date. */
  readonly effective: string
  readonly default: Prices
  /** By calling-code prefix, digits only; prices that a market leaves out are those of `default`. */
  readonly markets: ReadonlyMap<string, Partial<Prices>>
  /** The category that prices a template of unknown category. */
  readonly templateCategory: Category
  /** How many free-form messages each sender sends at no cost in a calendar month of UTC; none if absent. */
  readonly freeServiceMessages?: number | undefined
}

/** Rate cards of one currency, each valid from its own day on. */
export type RateCards = readonly [RateCard, ...RateCard[]]

/** The card that applies at a given time: the latest whose day has begun. If no day has begun yet, the earliest applies. */
export const cardAt = ([first, ...others]: RateCards, at: Instant): RateCard =>
  others.reduce((best, card) => {
    const begun = hasBegun(card, at)
    if (begun !== hasBegun(best, at)) return begun ? card : best
    return card.effective > best.effective === begun ? card : best
  }, first)

/** Whether the first day of a card has begun at a given time. */
export const hasBegun = ({ effective }: RateCard, at: Instant): boolean => Date.parse(effective) <= at

/** The price of a message on a rate card. */
export type Rate = Price & {
  /** The market of the price: a calling-code prefix, or `default`. A price that is not from a rate card has no market. */
  readonly market?: string | undefined
  /** What the platform is believed to charge, in micros, where it differs from the price. */
  readonly cost?: bigint
  /** How many such messages a month its sender sends at no cost before the price applies; none if absent. */
  readonly freeEachMonth?: number
}

/**
 * The price of a message that a workspace sends. `category` is the category of its template, if it is known. Left: the data that the price depends on could not be
 * looked up.
 */
export type PriceOf = (workspace: WorkspaceId, message: Message, category?: Category) => Promise<E.Either<PortFailure, Rate>>

/** Prices every workspace's messages by one rate card, or by the card that a function returns at the time of the call. */
export const priceBy =
  (card: RateCard | (() => RateCard)): PriceOf =>
  async (_workspace, message, category) =>
    E.right(priceOn(typeof card === 'function' ? card() : card, message, category))

/**
 * The price of a message on a rate card. A free-form message costs the service rate of its market. A template costs the rate of its category, or of
 * `templateCategory` if the category is unknown. The market is the longest prefix that matches the number; a user id has the market of its country.
 *
 * The platform bills `authentication_international` for an authentication template to some countries if the business is in another country. So
 * if a market has that rate, it is the price of every authentication template to that market. The market's own rates precede those of `default`: a market
 * that has only an `authentication` rate costs that rate, whatever rates `default` has. In the same way `marketing_lite` costs the market's rate of
 * that name, then its marketing rate, then the default rates. The category of the price is the category of the rate.
 */
export const priceOn = (card: RateCard, message: Message, category: Category = card.templateCategory): Rate => {
  const rate = nearestRate(card, marketOf(card, message.to), categoryOf(message, category))
  const { freeServiceMessages: freeEachMonth = 0 } = card
  return message._tag !== 'Template' && freeEachMonth > 0 ? { ...rate, freeEachMonth } : rate
}

/** The market of a customer on a rate card: a calling-code prefix, or `default`. */
export const marketNameOf = (card: RateCard, to: CustomerId): string => marketOf(card, to)[0]

/** The rate of a category in a market of a rate card; a market that the card does not list has the default rates. */
export const rateIn = (card: RateCard, market: string, category: Category): Rate =>
  nearestRate(card, [market, card.markets.get(market) ?? card.default], category)

/** The prices of a template of a category in each market of a rate card; `default` comes first and is the price of every market that is not listed. */
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

/** The name of the default market, which applies to every other calling code. */
const DEFAULT_MARKET = 'default'

/** The category by which a message is charged; `templateCategory` is the category of a template. */
export const categoryOf = (message: Message, templateCategory: Category): Category =>
  message._tag === 'Template' ? templateCategory : 'service'

const marketOf = ({ markets, default: others }: RateCard, to: CustomerId): readonly [string, Partial<Prices>] => {
  const digits = isUserId(to) ? callingCodeOf(countryOf(to)) ?? '' : to
  for (let length = digits.length; length > 0; length -= 1) {
    const prefix = digits.slice(0, length)
    const market = markets.get(prefix)
    if (market !== undefined) return [prefix, market]
  }
  return [DEFAULT_MARKET, others]
}
