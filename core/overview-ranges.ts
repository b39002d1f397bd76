import { DAY_MS, type Days, HOUR_MS, type Instant, UTC_DAYS } from './kernel/time.js'
import { BUCKET_MS, bucketStart, type BucketWidth, KEPT_MS, type TimeSpan } from './messages/statistics.js'

/** The ranges of an overview: an hour, a day, and 7, 30 and 90 days. */
export const OVERVIEW_RANGES = ['1h', '24h', '7d', '30d', '90d'] as const

/** How far back an overview goes. */
export type OverviewRange = (typeof OVERVIEW_RANGES)[number]

/** How a range is read and shown: the width of its buckets, and the number of buckets in each part. */
type Cut = { readonly width: BucketWidth; readonly buckets: number; readonly together: number }

/** How each range is cut. */
export const CUTS: Readonly<Record<OverviewRange, Cut>> = {
  '1h': { width: '5m', buckets: 12, together: 1 },
  '24h': { width: '1h', buckets: 24, together: 1 },
  '7d': { width: '1h', buckets: 168, together: 6 },
  '30d': { width: '1d', buckets: 30, together: 1 },
  '90d': { width: '1d', buckets: 90, together: 1 },
}

/** The width of the buckets from which a range is read, and its parts; the last part is the current one. */
export type CutRange = { readonly width: BucketWidth; readonly parts: ReadonlyArray<TimeSpan> }

/**
 * Cuts a range into its parts. The 30 days are days in the viewer's time zone.
 *
 * The range of 90 days always has days of UTC, because hourly counts are not kept that long.
 */
export const cutRange = (range: OverviewRange, now: Instant, days: Days = UTC_DAYS): CutRange => {
  const { width, buckets, together } = CUTS[range]
  if (range === '30d') {
    const parts = lastDays(days, now, buckets)
    return { width: parts.every(({ from }) => from % DAY_MS === 0) ? width : '1h', parts }
  }
  const partMs = together * BUCKET_MS[width]
  const to = bucketStart(width, now) + BUCKET_MS[width]
  const from = to - buckets * BUCKET_MS[width]
  return {
    width,
    parts: Array.from({ length: buckets / together }, (_, index) => ({ from: from + index * partMs, to: from + (index + 1) * partMs })),
  }
}

/** More than the longest day, and less than the two shortest days. */
const INTO_NEXT_DAY_MS = 30 * HOUR_MS

/** The last days, oldest first. Messages are counted by the hour of UTC, so a day begins with its first whole UTC hour: in India at 00:30. */
const lastDays = (days: Days, now: Instant, count: number): ReadonlyArray<TimeSpan> => {
  const firstHour = (start: Instant): Instant => Math.ceil(start / HOUR_MS) * HOUR_MS
  // In the half hour before its first whole hour, a day has not begun yet.
  const starts = [days.startOf(bucketStart('1h', now))]
  const ends = firstHour(days.startOf((starts[0] ?? now) + INTO_NEXT_DAY_MS))
  while (starts.length < count) starts.unshift(days.startOf((starts[0] ?? now) - 1))
  const hours = starts.map(firstHour)
  return hours.map((from, index) => ({ from, to: hours[index + 1] ?? ends }))
}

/** The period from the beginning of the first part to the end of the last part. */
export const spanOf = (parts: ReadonlyArray<TimeSpan>): TimeSpan => ({ from: parts[0]?.from ?? 0, to: parts.at(-1)?.to ?? 0 })

/** The period just before a range, as long as the elapsed part of the range; none if its counts are no longer kept. `width` is the width of the buckets that count it. */
export const timeBefore = (width: BucketWidth, { from }: TimeSpan, now: Instant): TimeSpan | undefined =>
  (2 * (now - from) > KEPT_MS[width] ? undefined : { from: from - (now - from), to: from })
