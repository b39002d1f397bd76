import { firstMessageIdAt } from './message.js'
import type { MessageRecord } from './message-record.js'
import { moneyMove, type MessageState } from './message-state.js'
import type { Category } from './rate-card.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from './time.js'

/** The widths of the buckets in which messages are counted, in milliseconds. Every bucket begins at a multiple of its width, so days are those of UTC. */
export const BUCKET_MS = { '5m': 5 * MINUTE_MS, '1h': HOUR_MS, '1d': DAY_MS } as const

/** How wide a bucket is. */
export type BucketWidth = keyof typeof BUCKET_MS

/** Messages of a bucket that are in one state and were charged in one category. */
export type MessageCount = {
  /** When the bucket begins. */
  readonly start: Instant
  readonly state: MessageState
  readonly category: Category
  readonly messages: number
  /** What they cost: the sum of their prices if money is taken in this state (`moneyMove`), and 0 in any other. */
  readonly micros: bigint
}

/** A span of time, without its end. */
export type TimeSpan = { readonly from: Instant; readonly to: Instant }

/** When the bucket begins that a moment is in. */
export const bucketStart = (width: BucketWidth, at: Instant): Instant => at - (at % BUCKET_MS[width])

/** The time of a bucket. */
export const bucketSpan = (width: BucketWidth, start: Instant): TimeSpan => ({ from: start, to: start + BUCKET_MS[width] })

/** Whether a message counts in a span. */
export const isInSpan = ({ from, to }: TimeSpan, { id }: Pick<MessageRecord, 'id'>): boolean => id >= firstMessageIdAt(from) && id < firstMessageIdAt(to)

/** What messages of a state cost whose prices add up to an amount. */
export const chargedIn = (state: MessageState, micros: bigint): bigint => (moneyMove(state) === 'capture' ? micros : 0n)

/** Counts in which each bucket, state and category occurs once, in the order of the buckets. */
export const sumCounts = (counts: Iterable<MessageCount>): ReadonlyArray<MessageCount> => {
  const sums = new Map<string, MessageCount>()
  for (const count of counts) {
    const key = `${count.start} ${count.state} ${count.category}`
    const before = sums.get(key)
    sums.set(key, before === undefined ? count : { ...count, messages: before.messages + count.messages, micros: before.micros + count.micros })
  }
  return [...sums.values()].sort((a, b) => a.start - b.start)
}

/** The counts of a bucket's messages. */
export const countMessages = (start: Instant, messages: Iterable<Pick<MessageRecord, 'state' | 'price'>>): ReadonlyArray<MessageCount> =>
  sumCounts(Array.from(messages, ({ state, price: { category, micros } }) => ({ start, state, category, messages: 1, micros: chargedIn(state, micros) })))
