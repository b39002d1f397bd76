import type { Command } from 'commander'
import { formatMicros } from '../../core/money.js'
import { CATEGORIES, type Prices, type RateCard } from '../../core/rate-card.js'
import { jsonOption } from './arguments.js'
import { loadConfig, rateCardOf } from './cli-config.js'
import { print, table, type JsonFlag } from './output.js'

/** `postern rates`: the rate card in use. */
export const addRatesCommand = (program: Command): void => {
  program.command('rates')
    .description('show the rate card in use; its --json is a file that RATE_CARD can name')
    .addOption(jsonOption())
    .action((options: JsonFlag) => rates(options))
}

const rates = async (options: JsonFlag): Promise<void> => {
  const config = await loadConfig()
  const card = await rateCardOf(config)
  print(options, rateCardView(card), () => [
    `${config.rateCard === undefined ? 'The built-in rate card' : `The rate card in ${config.rateCard}`}: prices in ${card.currency} from ${card.effective}.`,
    `A text costs its market's service rate; a template of unknown category its ${card.templateCategory} rate.`,
    ...table(
      ['CALLING CODE', ...CATEGORIES.map((category) => category.toUpperCase())],
      [['default', ...cells(card.default)], ...marketsOf(card).map(([prefix, prices]) => [`+${prefix}`, ...cells(prices)])],
    ),
  ])
}

/** What a market leaves out costs the default. */
const cells = (prices: Partial<Prices>): ReadonlyArray<string> =>
  CATEGORIES.map((category) => (prices[category] === undefined ? 'default' : formatMicros(prices[category])))

const rateCardView = (card: RateCard) => ({
  currency: card.currency,
  effective: card.effective,
  default: pricesView(card.default),
  markets: Object.fromEntries(marketsOf(card).map(([prefix, prices]) => [prefix, pricesView(prices)])),
  template_category: card.templateCategory,
})

const pricesView = (prices: Partial<Prices>): Readonly<Record<string, string>> =>
  Object.fromEntries(CATEGORIES.flatMap((category) => (prices[category] === undefined ? [] : [[category, formatMicros(prices[category])]])))

const marketsOf = ({ markets }: RateCard): ReadonlyArray<readonly [prefix: string, prices: Partial<Prices>]> =>
  [...markets].sort(([a], [b]) => (a < b ? -1 : 1))
