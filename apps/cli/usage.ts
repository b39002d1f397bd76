import { type Command, InvalidArgumentError } from 'commander'
import { formatMicros } from '../../core/kernel/money.js'
import { isDay } from '../../core/kernel/time.js'
import { type Usage, type UsageOf, type UsagePeriod, usageView } from '../../core/money/usage.js'
import type { Administration } from '../../core/postern.js'
import type { SenderId } from '../../core/senders/sender.js'
import { jsonOption, senderOption, WORKSPACE } from './arguments.js'
import { withStorage } from './cli-config.js'
import { type JsonFlag, print, table, UsageError, unwrap } from './output.js'
import type { Shell } from './shell.js'

type UsageOptions = JsonFlag & { readonly month: UsagePeriod; readonly workspace?: string; readonly sender?: SenderId }

/** `postern usage`: the messages of a month, with their prices and costs. */
export const addUsageCommand = (program: Command, shell: Shell): void => {
  program.command('usage')
    .description('add up the charged messages of a month: what workspaces pay, what the platform charges, and the margin')
    .requiredOption('--month <month>', 'the month, in UTC, such as 2026-11', monthOf)
    .option('--workspace <workspace>', `only this workspace: ${WORKSPACE}`)
    .addOption(senderOption('all senders if omitted; needs --workspace'))
    .addOption(jsonOption())
    .action((options: UsageOptions) => usage(shell, options))
}

const monthOf = (text: string): UsagePeriod => {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || !isDay(`${text}-01`)) throw new InvalidArgumentError('it must be a year and a month, such as 2026-11.')
  return { from: Date.UTC(Number(year), Number(month) - 1), until: Date.UTC(Number(year), Number(month)) }
}

const usage = async (shell: Shell, { month, workspace, sender, ...options }: UsageOptions): Promise<void> => {
  if (sender !== undefined && workspace === undefined) throw new UsageError('--sender needs --workspace, because a sender belongs to a workspace.')
  await withStorage(shell, async ({ postern }) => {
    const of = workspace === undefined ? undefined : await usageOf(postern, workspace, sender)
    const rows = await unwrap(postern.money.reportUsage(month, of))
    print(shell, options, rows.map(usageView), () => (rows.length === 0 ? ['No message was charged in this month.'] : linesOf(rows)))
  }, 'needed')
}

const usageOf = async ({ workspaces, messages }: Administration, named: string, sender: SenderId | undefined): Promise<UsageOf> => {
  const { id: workspace } = await unwrap(workspaces.findWorkspace(named))
  return { workspace, sender: sender && await unwrap(messages.filterBySender({ workspace, sender })) }
}

const linesOf = (rows: ReadonlyArray<Usage>): ReadonlyArray<string> => [
  ...table(
    ['WORKSPACE', 'SENDER', 'CATEGORY', 'MARKET', 'MESSAGES', 'PRICE', 'COST', 'MARGIN', 'CURRENCY'],
    [
      ...rows.map(({ workspace, sender = '-', category, market = '-', messages, price, cost, currency }) =>
        [workspace, sender, category, market, String(messages), ...amounts(price, cost), currency]),
      ...[...new Set(rows.map(({ currency }) => currency))].map((currency) => {
        const sum = rows.filter((row) => row.currency === currency)
          .reduce((all, { messages, price, cost }) =>
            ({ messages: all.messages + messages, price: all.price + price, cost: all.cost + cost }), { messages: 0, price: 0n, cost: 0n })
        return ['total', '', '', '', String(sum.messages), ...amounts(sum.price, sum.cost), currency]
      }),
    ],
  ),
]

const amounts = (price: bigint, cost: bigint): ReadonlyArray<string> => [price, cost, price - cost].map(formatMicros)
