import { type Command, InvalidArgumentError } from 'commander'
import { formatMicros } from '../../core/kernel/money.js'
import { isDay } from '../../core/kernel/time.js'
import { type Usage, type UsagePeriod, usageView } from '../../core/money/usage.js'
import { jsonOption } from './arguments.js'
import { withStorage } from './cli-config.js'
import { type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type UsageOptions = JsonFlag & { readonly month: UsagePeriod }

/** `postern usage`: the messages of a month, with their prices and costs. */
export const addUsageCommand = (program: Command, shell: Shell): void => {
  program.command('usage')
    .description('add up the charged messages of a month: what workspaces pay, what the platform charges, and the margin')
    .requiredOption('--month <month>', 'the month, in UTC, such as 2026-11', monthOf)
    .addOption(jsonOption())
    .action((options: UsageOptions) => usage(shell, options))
}

const monthOf = (text: string): UsagePeriod => {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || !isDay(`${text}-01`)) throw new InvalidArgumentError('it must be a year and a month, such as 2026-11.')
  return { from: Date.UTC(Number(year), Number(month) - 1), until: Date.UTC(Number(year), Number(month)) }
}

const usage = (shell: Shell, { month, ...options }: UsageOptions): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const rows = await unwrap(postern.money.reportUsage(month))
    print(shell, options, rows.map(usageView), () => (rows.length === 0 ? ['No message was charged in this month.'] : linesOf(rows)))
  }, 'needed')

const linesOf = (rows: ReadonlyArray<Usage>): ReadonlyArray<string> => [
  ...table(
    ['WORKSPACE', 'CATEGORY', 'MARKET', 'MESSAGES', 'PRICE', 'COST', 'MARGIN', 'CURRENCY'],
    [
      ...rows.map(({ workspace, category, market = '-', messages, price, cost, currency }) =>
        [workspace, category, market, String(messages), ...amounts(price, cost), currency]),
      ...[...new Set(rows.map(({ currency }) => currency))].map((currency) => {
        const sum = rows.filter((row) => row.currency === currency)
          .reduce((all, { messages, price, cost }) =>
            ({ messages: all.messages + messages, price: all.price + price, cost: all.cost + cost }), { messages: 0, price: 0n, cost: 0n })
        return ['total', '', '', String(sum.messages), ...amounts(sum.price, sum.cost), currency]
      }),
    ],
  ),
]

const amounts = (price: bigint, cost: bigint): ReadonlyArray<string> => [price, cost, price - cost].map(formatMicros)
