import type { Currency, Money } from './money.js'
import type { Message, PhoneNumber } from './message.js'

/** The platform's categories of messages, by which it bills: <https://developers.facebook.com/docs/whatsapp/pricing>. */
export type Category = 'service' | 'marketing' | 'utility' | 'authentication'

/** Prices in micros for each category. */
export type Prices = Readonly<Record<Category, bigint>>

/** What messages cost, by category and by the customer's calling code, in one currency. */
export type RateCard = {
  readonly currency: Currency
  /** The first day these prices hold, as an ISO date. */
  readonly effective: string
  readonly default: Prices
  /** By calling-code prefix, digits only; what a market leaves out falls back to `default`. */
  readonly markets: ReadonlyMap<string, Partial<Prices>>
  /** Prices a template whose category is not known. */
  readonly templateCategory: Category
}

/** What a message costs, and the category it was priced by. */
export type Price = Money & { readonly category: Category }

/** The price of a message. */
export type PriceOf = (message: Message) => Price

/** The price of a message by a rate card: the longest matching prefix wins; a text costs its market's service rate. */
export const priceBy = (card: RateCard): PriceOf => {
  const longest = Math.max(0, ...Array.from(card.markets.keys(), (prefix) => prefix.length))
  return (message) => {
    const category = categoryOf(card, message)
    const micros = marketOf(card, longest, message.to)?.[category] ?? card.default[category]
    return { micros, currency: card.currency, category }
  }
}

/** The category by which a message is charged. */
export const categoryOf = (card: RateCard, message: Message): Category =>
  message._tag === 'Text' ? 'service' : card.templateCategory

const marketOf = (card: RateCard, longest: number, to: PhoneNumber): Partial<Prices> | undefined => {
  for (let length = longest; length > 0; length -= 1) {
    const market = card.markets.get(to.slice(0, length))
    if (market !== undefined) return market
  }
  return undefined
}
