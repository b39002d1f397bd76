import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from './errors.js'
import type { Message } from './message.js'
import type { Currency, Money } from './money.js'
import { callingCodeOf } from './calling-codes.js'
import { isUserId, type CustomerId } from './customer.js'
import { countryOf } from './user-id.js'
import type { WorkspaceId } from './workspace.js'

/** The platform's categories of messages, by which it bills: <https://developers.facebook.com/docs/whatsapp/pricing>. */
export const CATEGORIES = ['service', 'marketing', 'utility', 'authentication'] as const

/** A category of messages. */
export type Category = (typeof CATEGORIES)[number]

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

/** The price of a message that a workspace sends. Left: what the price depends on could not be looked up. */
export type PriceOf = (workspace: WorkspaceId, message: Message) => TE.TaskEither<PortFailure, Price>

/** Prices every workspace's messages by one rate card. */
export const priceBy =
  (card: RateCard): PriceOf =>
  (_workspace, message) =>
    TE.right(priceOn(card, message))

/** The price of a message on a rate card: the longest matching prefix wins, of a user id that of its country; a text costs its market's service rate. */
export const priceOn = (card: RateCard, message: Message): Price => {
  const category = categoryOf(message, card.templateCategory)
  return { micros: marketOf(card, message.to)?.[category] ?? card.default[category], currency: card.currency, category }
}

/** The category by which a message is charged; `templateCategory` is that of a template. */
export const categoryOf = (message: Message, templateCategory: Category): Category => {
  switch (message._tag) {
    case 'Text': return 'service'
    case 'Template': return templateCategory
  }
}

const marketOf = ({ markets }: RateCard, to: CustomerId): Partial<Prices> | undefined => {
  const digits = isUserId(to) ? callingCodeOf(countryOf(to)) ?? '' : to
  for (let length = digits.length; length > 0; length -= 1) {
    const market = markets.get(digits.slice(0, length))
    if (market !== undefined) return market
  }
  return undefined
}
