export const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : iso(at))

export const iso = (at: Instant): string => new Date(at).toISOString()

/** A moment, in milliseconds since the Unix epoch, UTC. */
export type Instant = number

/** Gives the present moment. */
export type Clock = () => Instant

/** A second in milliseconds. */
export const SECOND_MS = 1_000
/** A minute in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS
/** A day in milliseconds. */
export const DAY_MS = 24 * HOUR_MS

/** The calendar days of a time zone. `startOf` returns the beginning of the day that contains a timestamp; `zone` is its IANA name, so that a cache can compare days. */
export type Days = { readonly zone: string; readonly startOf: (at: Instant) => Instant }

/** The days of UTC. */
export const UTC_DAYS: Days = { zone: 'UTC', startOf: (at) => Math.floor(at / DAY_MS) * DAY_MS }

/** The calendar month of a moment in UTC, such as `2026-11`. */
export const monthOf = (at: Instant): string => new Date(at).toISOString().slice(0, 7)

/** The beginning of every UUIDv7 of a moment: its milliseconds as twelve hexadecimal digits. */
export const uuidPrefixOf = (at: Instant): string => Math.max(0, at).toString(16).padStart(12, '0')

/** How far the platform's clock may be ahead of ours; up to here the date of a report counts as it is. */
export const CLOCK_SKEW_MS = 60 * SECOND_MS

/** A moment as a report states it, but no later than our own clock allows: what is dated further ahead must not outlast what is reported after it. */
export const notAhead = (now: Instant, at: Instant): Instant => Math.min(at, now + CLOCK_SKEW_MS)
