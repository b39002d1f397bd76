import type { Command } from 'commander'
import { CATEGORIES, type Category, formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import { cardAt, hasBegun, type Prices, type RateCard, type RateCards } from '../../core/money/rate-card.js'
import { jsonOption } from './arguments.js'
import { loadConfig, rateCardsOf } from './cli-config.js'
import { type JsonFlag, print, table } from './output.js'
import type { Shell } from './shell.js'

/** `postern rates`: the rate cards in use. */
export const addRatesCommand = (program: Command, shell: Shell): void => {
  program.command('rates')
    .description('show the rate card in use; its --json is a file that RATE_CARD can name')
    .addOption(jsonOption())
    .action((options: JsonFlag) => rates(shell, options))
}

const rates = async (shell: Shell, options: JsonFlag): Promise<void> => {
  const config = await loadConfig(shell)
  const cards = (await rateCardsOf(config)).toSorted((a, b) => (a.effective < b.effective ? -1 : 1)) as [RateCard, ...RateCard[]]
  const views = cards.map(rateCardView)
  const now = Date.now()
  print(shell, options, views.length === 1 ? views[0] : views, () => [
    `${config.rateCard === undefined ? 'The built-in rate card' : `The rate card in ${config.rateCard}`}: prices in ${cards[0].currency}.`,
    ...cards.flatMap((card) => ['', ...linesOf(card, whenOf(cards, card, now))]),
  ])
}

const whenOf = (cards: RateCards, card: RateCard, now: Instant): string => {
  if (card === cardAt(cards, now)) return 'in effect'
  return hasBegun(card, now) ? 'no longer in effect' : 'not yet in effect'
}

const linesOf = (card: RateCard, when: string): ReadonlyArray<string> => {
  const all = [card.default, ...card.markets.values()]
  const named = CATEGORIES.filter((category) => all.some((prices) => prices[category] !== undefined))
  return [
    `From ${card.effective} (${when}): a text costs its market's service rate; a template of unknown category costs its ${card.templateCategory} rate.`,
    ...(hasFreeMessages(card) ? [`The first ${card.freeServiceMessages} texts of each month (UTC) through each sender cost nothing.`] : []),
    ...table(
      ['CALLING CODE', ...named.map((category) => category.toUpperCase())],
      [['default', ...cells(named, card.default)], ...marketsOf(card).map(([prefix, prices]) => [`+${prefix}`, ...cells(named, prices)])],
    ),
  ]
}

const hasFreeMessages = ({ freeServiceMessages = 0 }: RateCard): boolean => freeServiceMessages > 0

/** A category without its own price uses another rate of the card. */
const cells = (named: ReadonlyArray<Category>, prices: Partial<Prices>): ReadonlyArray<string> =>
  named.map((category) => (prices[category] === undefined ? '-' : formatMicros(prices[category])))

const rateCardView = (card: RateCard) => ({
  currency: card.currency,
  effective: card.effective,
  default: pricesView(card.default),
  markets: Object.fromEntries(marketsOf(card).map(([prefix, prices]) => [prefix, pricesView(prices)])),
  template_category: card.templateCategory,
  ...(hasFreeMessages(card) && { free_service_messages: card.freeServiceMessages }),
})

const pricesView = (prices: Partial<Prices>): Readonly<Record<string, string>> =>
  Object.fromEntries(CATEGORIES.flatMap((category) => (prices[category] === undefined ? [] : [[category, formatMicros(prices[category])]])))

const marketsOf = ({ markets }: RateCard): ReadonlyArray<readonly [prefix: string, prices: Partial<Prices>]> =>
  [...markets].sort(([a], [b]) => (a < b ? -1 : 1))
