import { BUCKET_MS, bucketStart, type TimeSpan } from './message-statistics.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from './time.js'

/** How far back messages are counted: the longest range that is shown, and the day that it begins in. */
export const COUNTED_MS = 91 * DAY_MS

/**
 * How long the buckets of a width are kept. While the last round may still count an hour of a day, all hours of that day are kept, because the day is their
 * sum; so are the parts of an hour for as long as one of them may be counted.
 */
export const KEPT_MS = { '5m': DAY_MS, '1h': 33 * DAY_MS, '1d': COUNTED_MS } as const

/** Older messages are counted by whole hours only. */
const FINE_MS = 6 * HOUR_MS

/** One bucket that is to be counted, and what is noted then; the bucket of the present is counted again and again, so nothing is noted. */
export type DueBucket = { readonly width: '5m' | '1h'; readonly start: Instant; readonly note?: Note; readonly skips: ReadonlyArray<Skip> }

/** How far a round has come. */
export type Note = { readonly round: string; readonly at: Instant }

/** What is noted at once if a span, which begins or ends with the bucket, has no messages at all; the longest span first. */
export type Skip = { readonly span: TimeSpan; readonly note: Note }

/** A round counts every bucket once, so long after the bucket's end, because its messages have moved on since. */
type Round = { readonly name: string; readonly width: '5m' | '1h'; readonly afterMs: number }

const ROUNDS: ReadonlyArray<Round> = [
  { name: 'after 15 minutes', width: '5m', afterMs: 15 * MINUTE_MS },
  { name: 'after an hour', width: '5m', afterMs: HOUR_MS },
  { name: 'after 6 hours', width: '1h', afterMs: FINE_MS },
  { name: 'after a day', width: '1h', afterMs: DAY_MS },
  { name: 'after 3 days', width: '1h', afterMs: 3 * DAY_MS },
  { name: 'after 30 days', width: '1h', afterMs: 30 * DAY_MS },
]

/** What was there before the first roll-up is counted hour by hour, newest first. */
const PAST = 'past'

/** Where every round begins that has not come anywhere yet. The past is the last one, so that what lies between it and the others is never left out. */
export const firstProgress = (progress: ReadonlyMap<string, Instant>, now: Instant): ReadonlyArray<Note> =>
  [...ROUNDS.map(({ name, afterMs }) => ({ round: name, at: bucketStart('1h', now - Math.max(afterMs, FINE_MS)) })), { round: PAST, at: bucketStart('1h', now - FINE_MS) }]
    .filter(({ round }) => !progress.has(round))

/** The buckets of the present, which are counted at every pass: the one of now and the one before it. */
export const presentBuckets = (now: Instant): ReadonlyArray<DueBucket> => {
  const start = bucketStart('5m', now)
  return [start - BUCKET_MS['5m'], start].map((at) => ({ width: '5m', start: at, skips: [] }))
}

/** The next bucket that is due, the soonest round first and the past last; none if nothing is due. */
export const nextDue = (progress: ReadonlyMap<string, Instant>, now: Instant): DueBucket | undefined => {
  for (const { name, width, afterMs } of ROUNDS) {
    const earliest = bucketStart('1h', now - (width === '5m' ? FINE_MS : COUNTED_MS))
    const start = Math.max(progress.get(name) ?? now, earliest)
    const end = start + BUCKET_MS[width]
    if (end + afterMs > now) continue
    const last = bucketStart(width, now - afterMs)
    return { width, start, note: { round: name, at: end }, skips: last === end ? [] : [{ span: { from: start, to: last }, note: { round: name, at: last } }] }
  }
  return nextPast(progress.get(PAST) ?? 0, now)
}

const nextPast = (reached: Instant, now: Instant): DueBucket | undefined => {
  const start = reached - HOUR_MS
  if (start < now - COUNTED_MS) return undefined
  const skipTo = (from: Instant): Skip => ({ span: { from, to: reached }, note: { round: PAST, at: from } })
  return { width: '1h', start, note: { round: PAST, at: start }, skips: [skipTo(bucketStart('1h', now - COUNTED_MS)), skipTo(bucketStart('1d', start))] }
}

/** Whether messages of before the first roll-up are still to be counted. */
export const isPastMissing = (progress: ReadonlyMap<string, Instant>, now: Instant): boolean => {
  const reached = progress.get(PAST)
  return reached === undefined || reached - HOUR_MS >= now - COUNTED_MS
}
