import { BUCKET_MS, bucketStart, type BucketWidth, type MessageCount, type TimeSpan } from './message-statistics.js'
import type { MessageState } from './message-state.js'
import { DAY_MS, HOUR_MS, type Instant } from './time.js'

/** The ranges of an overview: an hour, a day, and 7, 30 and 90 days. */
export const OVERVIEW_RANGES = ['1h', '24h', '7d', '30d', '90d'] as const

/** How far back an overview goes. */
export type OverviewRange = (typeof OVERVIEW_RANGES)[number]

/** The groups of states that an overview tells apart: still open, on its way, delivered, read, and not delivered. */
export const STATE_GROUPS = ['read', 'delivered', 'sent', 'open', 'failed'] as const

/** A group of states. */
export type StateGroup = (typeof STATE_GROUPS)[number]

/** The group of a state. */
export const groupOf = (state: MessageState): StateGroup => {
  switch (state) {
    case 'pending': case 'unconfirmed': return 'open'
    case 'accepted': case 'sent': return 'sent'
    case 'delivered': return 'delivered'
    case 'read': return 'read'
    case 'failed': case 'refused': case 'released': return 'failed'
  }
}

/** Messages by group, and what they cost. */
export type Figures = { readonly messages: Readonly<Record<StateGroup, number>>; readonly micros: bigint }

/** The figures of one part of a range. */
export type RangePart = Figures & { readonly start: Instant }

/** Of the messages that the platform accepted, the share that was delivered and the share that was read, from 0 to 1; none where it accepted none. */
export type Shares = { readonly delivered: number; readonly read: number }

/** How a range is read and shown: buckets of a width, and so many of them in each part. */
type Cut = { readonly width: BucketWidth; readonly buckets: number; readonly together: number }

const CUTS: Readonly<Record<OverviewRange, Cut>> = {
  '1h': { width: '5m', buckets: 12, together: 1 },
  '24h': { width: '1h', buckets: 24, together: 1 },
  '7d': { width: '1h', buckets: 168, together: 6 },
  '30d': { width: '1d', buckets: 30, together: 1 },
  '90d': { width: '1d', buckets: 90, together: 1 },
}

/** The width of the buckets that a range is read from, its span, whose last bucket is the one of now, and how long each part is. */
export const cutRange = (range: OverviewRange, now: Instant): { readonly width: BucketWidth; readonly span: TimeSpan; readonly partMs: number } => {
  const { width, buckets, together } = CUTS[range]
  const to = bucketStart(width, now) + BUCKET_MS[width]
  return { width, span: { from: to - buckets * BUCKET_MS[width], to }, partMs: together * BUCKET_MS[width] }
}

/** Every part of a span with its figures, also the parts without messages. */
export const partsOf = ({ from, to }: TimeSpan, partMs: number, counts: ReadonlyArray<MessageCount>): ReadonlyArray<RangePart> =>
  Array.from({ length: Math.ceil((to - from) / partMs) }, (_, index) => {
    const start = from + index * partMs
    return { start, ...figuresOf(counts.filter((count) => count.start >= start && count.start < start + partMs)) }
  })

/** The sum of counts by group. */
export const figuresOf = (counts: ReadonlyArray<MessageCount>): Figures => {
  const messages: Record<StateGroup, number> = { read: 0, delivered: 0, sent: 0, open: 0, failed: 0 }
  let micros = 0n
  for (const count of counts) {
    messages[groupOf(count.state)] += count.messages
    micros += count.micros
  }
  return { messages, micros }
}

/** How many messages there are in all groups. */
export const totalOf = ({ messages }: Pick<Figures, 'messages'>): number => STATE_GROUPS.reduce((sum, group) => sum + messages[group], 0)

/** The shares of counts. What was refused or given up was never accepted, and what failed later was. */
export const sharesOf = (counts: ReadonlyArray<MessageCount>): Shares | undefined => {
  const inStates = (...states: ReadonlyArray<MessageState>): number =>
    counts.reduce((sum, { state, messages }) => (states.includes(state) ? sum + messages : sum), 0)
  const accepted = inStates('accepted', 'sent', 'delivered', 'read', 'failed')
  return accepted === 0 ? undefined : { delivered: inStates('delivered', 'read') / accepted, read: inStates('read') / accepted }
}

/** The spend of a time, and for how many milliseconds the balance lasts at this rate; `undefined` where nothing was spent. */
export type SpendRate = { readonly micros: bigint; readonly lastsMs: number | undefined }

/** How long an amount lasts at the spend of a time. */
export const rateOf = (micros: bigint, overMs: number, available: bigint): SpendRate =>
  ({ micros, lastsMs: micros <= 0n ? undefined : available <= 0n ? 0 : Number((available * BigInt(overMs)) / micros) })

/** The spans whose spend says how long the balance lasts. Both end with the bucket of the present hour. */
export const RATE_MS = { day: DAY_MS, week: 7 * DAY_MS } as const

/** The present hour's end, where the spans of the rates end. */
export const endOfHour = (now: Instant): Instant => bucketStart('1h', now) + HOUR_MS
