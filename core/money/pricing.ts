import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { parseExactJson } from '../kernel/exact-json.js'
import { CATEGORIES, type Category, type Currency, currencyOf, type InvalidAmount } from '../kernel/money.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Clock, Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import { cardAt, type Prices, type Rate, type RateCard, type RateCards } from './rate-card.js'

/**
 * How the prices of a workspace differ from the rate card of the installation, which is what the platform charges: by a markup, in parts per million (200,000 is
 * 20%), or by rate cards of its own.
 */
export type Pricing =
  | { readonly _tag: 'Markup'; readonly ppm: bigint }
  | { readonly _tag: 'OwnCards'; readonly cards: RateCards }

const PPM = 1_000_000n

/** The highest markup: 1,000%. */
export const MAX_MARKUP = 10n * PPM

const MARKUP = /^(0|[1-9][0-9]{0,3})(?:\.([0-9]{1,4}))?\s?%$/

/** Reads a markup in percent, with at most four decimals, such as `20%` or `12.5%`. */
export const parseMarkup = (text: string): E.Either<InvalidAmount, bigint> => {
  const match = MARKUP.exec(text.trim())
  const ppm = match === null ? undefined : BigInt(match[1] ?? '0') * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'))
  return ppm === undefined || ppm > MAX_MARKUP
    ? E.left({ _tag: 'InvalidAmount', reason: `a markup must be a percentage from 0% to ${formatMarkup(MAX_MARKUP)}, such as 20%` })
    : E.right(ppm)
}

/** Writes a markup in percent, such as `20%` or `12.5%`. */
export const formatMarkup = (ppm: bigint): string => {
  const decimals = String(ppm % 10_000n).padStart(4, '0').replace(/0+$/, '')
  return `${ppm / 10_000n}${decimals === '' ? '' : `.${decimals}`}%`
}

/** An amount, in micros, with a markup. It is rounded up to the micro, here and nowhere else. */
export const withMarkup = (micros: bigint, ppm: bigint): bigint => (micros * (PPM + ppm) + PPM - 1n) / PPM

/**
 * The rate of a workspace at a given time: its `micros` are the price, and its `cost` is the amount on the installation's card.
 *
 * The platform decides which messages are free, so their number is that of the installation's card in any case. A card of the workspace's own that has another
 * currency than the installation's counts as none.
 */
export const pricedFor = (
  pricing: Pricing | undefined, charged: Rate, on: (card: RateCard) => Rate, at: Instant,
): Rate => {
  const { micros: cost, currency, freeEachMonth } = charged
  if (pricing === undefined) return charged
  if (pricing._tag === 'Markup') return { ...charged, micros: withMarkup(cost, pricing.ppm), cost }
  const { freeEachMonth: _own, ...own } = on(cardAt(pricing.cards, at))
  return own.currency === currency ? { ...own, cost, ...(freeEachMonth !== undefined && { freeEachMonth }) } : charged
}

/** The rate card of a workspace: what each message costs it at a given time. `card` is the installation's. */
export const cardFor = (pricing: Pricing | undefined, card: RateCard, at: Instant): RateCard => {
  if (pricing === undefined) return card
  if (pricing._tag === 'Markup') {
    return {
      ...card, default: { ...card.default, ...marked(card.default, pricing.ppm) },
      markets: new Map(Array.from(card.markets, ([market, prices]) => [market, marked(prices, pricing.ppm)])),
    }
  }
  const own = cardAt(pricing.cards, at)
  return own.currency === card.currency ? { ...own, freeServiceMessages: card.freeServiceMessages } : card
}

const marked = (prices: Partial<Prices>, ppm: bigint): Partial<Prices> =>
  Object.fromEntries(CATEGORIES.flatMap((category) => {
    const micros = prices[category]
    return micros === undefined ? [] : [[category, withMarkup(micros, ppm)]]
  }))

/** Shows the rate card of a workspace in force now (`cardFor`). */
export type ShowRateCard = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, RateCard>>

/** The dependencies of showing it. */
export type ShowRateCardDeps = {
  readonly workspacePricing: Pick<WorkspacePricing, 'pricingOf'>
  readonly rateCard: () => RateCard
  readonly now: Clock
}

export const makeShowRateCard =
  ({ workspacePricing, rateCard, now }: ShowRateCardDeps): ShowRateCard =>
  async (workspace) =>
    E.map((pricing: Option<Pricing>) => cardFor(O.toUndefined(pricing), rateCard(), now()))(await workspacePricing.pricingOf(workspace))

/** How workspaces are priced. */
export interface WorkspacePricing {
  /**
   * How the prices of a workspace differ from the rate card; none if they do not.
   *
   * A change that was made through this adapter counts from the very next call on. A change that another process made may take two seconds to be seen.
   */
  readonly pricingOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<Pricing>>>
  /**
   * Sets how a workspace is priced, or, with `undefined`, that its prices are those of the rate card. It replaces what was set before.
   *
   * `UnknownWorkspace`: no workspace has that id, and nothing was changed. `outboxEntries` is called if it was set, and its entries are stored in the same step.
   */
  readonly setPricing: (
    workspace: WorkspaceId, pricing: Pricing | undefined, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
}

/** A pricing as JSON: `markup` in percent, or the days from which cards of its own apply; both null if its prices are those of the rate card. */
export type PricingView = { readonly markup: string | null; readonly own_cards: ReadonlyArray<string> | null }

/** Shows how a workspace is priced. */
export const pricingView = (pricing: Pricing | undefined): PricingView => ({
  markup: pricing?._tag === 'Markup' ? formatMarkup(pricing.ppm) : null,
  own_cards: pricing?._tag === 'OwnCards' ? pricing.cards.map(({ effective }) => effective) : null,
})

/** Sets how a workspace is priced. Right: the new pricing; `undefined` if its prices are those of the rate card. */
export type SetPricing = (command: SetPricingCommand) => Promise<E.Either<SetPricingError, Pricing | undefined>>

/** The workspace, and how it is priced; `undefined` for the prices of the rate card. */
export type SetPricingCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly pricing: Pricing | undefined }

/** How setting it can fail. `CardCurrency`: the workspace's own card has another currency than the installation's. */
export type SetPricingError = InvalidAmount | CardCurrency | UnknownWorkspace | Forbidden | PortFailure

/** The rate card of a workspace must have the currency of the installation's rate card. */
export type CardCurrency = { readonly _tag: 'CardCurrency'; readonly wanted: Currency; readonly priced: Currency }

/** The dependencies of setting it. */
export type SetPricingDeps = ActDeps & {
  readonly workspacePricing: Pick<WorkspacePricing, 'setPricing'>
  /** The currency of the installation's rate card. */
  readonly pricedIn: () => Currency
}

export const makeSetPricing =
  ({ workspacePricing, pricedIn, ...deps }: SetPricingDeps): SetPricing =>
  ({ by, workspace, pricing }) => {
    const acting = { by, act: 'workspace.set_prices', workspace, subject: workspace, details: { ...pricingView(pricing) } } as const
    return perform(
      deps, acting, {},
      async (
        outboxEntries: MakeOutboxEntries<WorkspaceId>,
      ): Promise<E.Either<Exclude<SetPricingError, Forbidden>, Pricing | undefined>> => {
        const fault = faultOf(pricing, pricedIn())
        if (fault !== undefined) return E.left(fault)
        return E.map(() => pricing)(await workspacePricing.setPricing(workspace, pricing, outboxEntries))
      },
    )
  }

const faultOf = (pricing: Pricing | undefined, priced: Currency): InvalidAmount | CardCurrency | undefined => {
  if (pricing?._tag === 'OwnCards') {
    const [{ currency: wanted }] = pricing.cards
    return wanted === priced ? undefined : { _tag: 'CardCurrency', wanted, priced }
  }
  return pricing === undefined || (0n <= pricing.ppm && pricing.ppm <= MAX_MARKUP)
    ? undefined
    : { _tag: 'InvalidAmount', reason: `a markup must be from 0% to ${formatMarkup(MAX_MARKUP)}` }
}

/** A pricing as a text, for an adapter that stores texts; `readPricing` reads it. */
export const writePricing = (pricing: Pricing): string =>
  JSON.stringify(pricing._tag === 'Markup' ? { markup: String(pricing.ppm) } : { cards: pricing.cards.map(writeCard) })

type Written = Readonly<Record<string, unknown>>

const writeCard = ({ currency, effective, default: others, markets, templateCategory }: RateCard): Written => ({
  currency, effective, default: writePrices(others), template_category: templateCategory,
  markets: Object.fromEntries(Array.from(markets, ([market, prices]) => [market, writePrices(prices)])),
})

const writePrices = (prices: Partial<Prices>): Written =>
  Object.fromEntries(CATEGORIES.flatMap((category) => (prices[category] === undefined ? [] : [[category, String(prices[category])]])))

/** The pricing from which `writePricing` made a text. Throws a `TypeError` if the text is a different one. */
export const readPricing = (text: string): Pricing => {
  const written = parseExactJson(text)
  const markup = isWritten(written) ? written['markup'] : undefined
  if (typeof markup === 'string') return { _tag: 'Markup', ppm: BigInt(markup) }
  const cards = isWritten(written) && Array.isArray(written['cards']) ? written['cards'].map(readCard) : []
  const [first, ...others] = cards
  if (first === undefined) throw new TypeError('This text is not a pricing that writePricing wrote.')
  return { _tag: 'OwnCards', cards: [first, ...others] }
}

const readCard = (written: unknown): RateCard => {
  if (!isWritten(written)) throw new TypeError('This is not a rate card that writePricing wrote.')
  const { currency, effective, default: others, markets, template_category: category } = written
  return {
    currency: currencyOf(String(currency)), effective: String(effective), default: readPrices(others) as Prices,
    markets: new Map(Object.entries(isWritten(markets) ? markets : {}).map(([market, prices]) => [market, readPrices(prices)])),
    templateCategory: category as Category,
  }
}

const readPrices = (written: unknown): Partial<Prices> =>
  Object.fromEntries(Object.entries(isWritten(written) ? written : {}).map(([category, micros]) => [category, BigInt(String(micros))]))

const isWritten = (value: unknown): value is Written => typeof value === 'object' && value !== null
