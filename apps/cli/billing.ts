import { CATEGORIES, formatMicros, reportedCategory } from '../../core/kernel/money.js'
import { type Billed, isFreeType, type MessageLog, otherwiseBilled, reportedType } from '../../core/messages/message-log.js'
import type { MessageRecord } from '../../core/messages/message.js'
import { unwrap } from './error-messages.js'
import { amount, table } from './output.js'
import { allItems } from './pages.js'

/** What was charged and what the platform bills, the first messages that differ, and how many more there are. */
export type Billing = { readonly billed: ReadonlyArray<Billed>; readonly differences: ReadonlyArray<MessageRecord>; readonly more: number }

/** Compares what was charged with what the platform reports, in all workspaces; lists at most so many messages that differ. */
export const compareBilling = async (messageLog: Pick<MessageLog, 'billed' | 'list'>, limit: number): Promise<Billing> => {
  const billed = await unwrap(messageLog.billed())
  const differing = billed.filter((entry) => otherwiseBilled(entry) > 0)
  const differences: MessageRecord[] = []
  for (const workspace of [...new Set(differing.map((entry) => entry.workspace))].sort()) {
    if (differences.length === limit) break
    differences.push(...await allItems((page) => messageLog.list(workspace, { ...page, billedOtherwise: true }), limit - differences.length))
  }
  const all = differing.reduce((sum, entry) => sum + otherwiseBilled(entry), 0)
  // A report may arrive after the messages were counted.
  return { billed, differences, more: Math.max(0, all - differences.length) }
}

/** The comparison as `--json` prints it. */
export const billingView = ({ billed, differences, more }: Billing) => ({
  billed: billed.map(({ workspace, currency, charged, reported = null, type = null, messages, free, micros }) =>
    ({ workspace, currency, charged, reported, type, messages, free, amount: formatMicros(micros) })),
  differences: differences.map(({ id, workspace, price, pricing }) => ({
    id, workspace, charged: price.category, reported: reportedCategory(pricing) ?? null, type: reportedType(pricing) ?? null,
    price: formatMicros(price.micros), currency: price.currency,
  })),
  more_differences: more,
})

/** The comparison for people: a table for each currency, then the messages that differ. */
export const billingLines = ({ billed, differences, more }: Billing): ReadonlyArray<string> => [
  ...[...new Set(billed.map(({ currency }) => currency))].sort()
    .flatMap((currency) => ['', ...categoryTable(currency, billed.filter((entry) => entry.currency === currency))]),
  ...(differences.length === 0 ? [] : ['', 'The platform bills these messages otherwise than they were charged:', ...differences.map(differenceLine)]),
  ...(more === 0 ? [] : [`and ${more} more; --limit lists more of them`]),
]

const categoryTable = (currency: string, billed: ReadonlyArray<Billed>): ReadonlyArray<string> => {
  const seen = new Set<string>(billed.flatMap(({ charged, reported }) => (reported === undefined ? [charged] : [charged, reported])))
  const categories = [...CATEGORIES.filter((category) => seen.delete(category)), ...[...seen].sort()]
  const count = (isCounted: (entry: Billed) => boolean): string => String(billed.filter(isCounted).reduce((sum, { messages }) => sum + messages, 0))
  return table(
    ['CATEGORY', 'CHARGED', currency, 'PLATFORM BILLS', 'PLATFORM: FREE', 'NOT REPORTED'],
    categories.map((category) => [
      category,
      count(({ charged }) => charged === category),
      formatMicros(billed.filter(({ charged }) => charged === category).reduce((sum, { micros }) => sum + micros, 0n)),
      count(({ reported, type }) => reported === category && !isFreeType(type)),
      count(({ reported, type }) => reported === category && isFreeType(type)),
      count(({ charged, reported }) => charged === category && reported === undefined),
    ]),
  )
}

const differenceLine = ({ id, workspace, price, pricing }: MessageRecord): string =>
  `${id} of ${workspace}: charged ${amount(price.micros, price.currency)} as ${price.category}; the platform reports ` +
  [reportedCategory(pricing), reportedType(pricing)].filter((word) => word !== undefined).join(', ')
