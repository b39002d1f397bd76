import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import { isForgotten } from '../forgotten.js'
import { moneyMove } from '../message-state.js'
import type { MessageRecord } from '../message-record.js'
import { bucketStart, type MessageCount } from '../message-statistics.js'
import type { MessageLog } from '../ports/message-log.js'
import type { MessageStatistics } from '../ports/message-statistics.js'
import type { Category } from '../rate-card.js'
import type { Clock, Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/**
 * Adds up what the messages of a workspace cost since the beginning of the UTC day of a moment: by category over all of them, out of the roll-up, and by category and market
 * over the newest `LOOKED_AT` messages, because the roll-up does not know markets.
 */
export type ReportSpend = (workspace: WorkspaceId, since: Instant) => TE.TaskEither<PortFailure, SpendReport>

/** What was spent, dearest first. `messages` are those in `shares`; `reachedBack` is when the oldest message was opened that was looked at, set where there are older ones that were not. */
export type SpendReport = {
  readonly categories: ReadonlyArray<CategorySpend>; readonly shares: ReadonlyArray<SpendShare>; readonly messages: number; readonly reachedBack: Instant | undefined
}

/** The charged messages of a category and what they cost in micros, as far as they are rolled up. */
export type CategorySpend = { readonly category: Category; readonly messages: number; readonly micros: bigint }

/** The messages of a category to a market, and what they cost in micros; the market of customers who were erased is not known. */
export type SpendShare = { readonly category: Category; readonly market: string | undefined; readonly messages: number; readonly micros: bigint }

/** What the report needs. */
export type ReportSpendDeps = {
  readonly messageLog: Pick<MessageLog, 'list'>
  readonly messageStatistics: Pick<MessageStatistics, 'counts'>
  readonly now: Clock
  /** The market of a customer, as the rate card names it. */
  readonly marketOf: (to: CustomerId) => string
}

/** The most messages that one report looks at. */
const LOOKED_AT = 5_000
const READ_AT_ONCE = 200

/** Makes the use case of what it needs. */
export const makeReportSpend =
  ({ messageLog, messageStatistics, marketOf, now }: ReportSpendDeps): ReportSpend =>
  (workspace, moment) =>
  async () => {
    const since = bucketStart('1d', moment)
    const counts = await messageStatistics.counts(workspace, '1d', { from: since, to: now() + 1 })()
    if (E.isLeft(counts)) return counts
    const categories = spendByCategory(counts.right)
    const shares = new Map<string, SpendShare>()
    let messages = 0
    let cursor: string | undefined
    for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
      const read = await messageLog.list(workspace, { limit: READ_AT_ONCE, ...(cursor !== undefined && { cursor }) })()
      if (E.isLeft(read)) return read
      const { items, next } = read.right
      const inTime = items.filter(({ createdAt }) => createdAt >= since)
      for (const message of inTime.filter(isCharged)) {
        addTo(shares, message, isForgotten(message.to) ? undefined : marketOf(message.to))
        messages += 1
      }
      if (next === undefined || inTime.length < items.length) return E.right(reportOf(categories, shares, messages, undefined))
      if (looked + READ_AT_ONCE >= LOOKED_AT) return E.right(reportOf(categories, shares, messages, items.at(-1)?.createdAt))
      cursor = next
    }
    return E.right(reportOf(categories, shares, messages, undefined))
  }

const spendByCategory = (counts: ReadonlyArray<MessageCount>): ReadonlyArray<CategorySpend> => {
  const sums = new Map<Category, CategorySpend>()
  for (const { state, category, messages, micros } of counts) {
    if (moneyMove(state) !== 'capture') continue
    const before = sums.get(category) ?? { category, messages: 0, micros: 0n }
    sums.set(category, { category, messages: before.messages + messages, micros: before.micros + micros })
  }
  return dearestFirst([...sums.values()])
}

const isCharged = ({ state }: MessageRecord): boolean => moneyMove(state) === 'capture'

const addTo = (shares: Map<string, SpendShare>, { price: { category, micros } }: MessageRecord, market: string | undefined): void => {
  const name = `${category} ${market ?? ''}`
  const before = shares.get(name) ?? { category, market, messages: 0, micros: 0n }
  shares.set(name, { ...before, messages: before.messages + 1, micros: before.micros + micros })
}

const reportOf = (
  categories: ReadonlyArray<CategorySpend>, shares: ReadonlyMap<string, SpendShare>, messages: number, reachedBack: Instant | undefined,
): SpendReport => ({ categories, shares: dearestFirst([...shares.values()]), messages, reachedBack })

const dearestFirst = <A extends { readonly micros: bigint }>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...all].sort((a, b) => (a.micros < b.micros ? 1 : a.micros > b.micros ? -1 : 0))
