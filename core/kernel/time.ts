export const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : iso(at))

export const iso = (at: Instant): string => new Date(at).toISOString()

/** A point in time, in milliseconds since the Unix epoch, UTC. */
export type Instant = number

/** Returns the current time. */
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

/** The calendar month of a timestamp in UTC, such as `2026-11`. */
export const monthOf = (at: Instant): string => new Date(at).toISOString().slice(0, 7)

/** The first digits of every UUIDv7 of a timestamp: its milliseconds as twelve hexadecimal digits. */
export const uuidPrefixOf = (at: Instant): string => Math.max(0, at).toString(16).padStart(12, '0')

/** How far the platform's clock may be ahead of ours; up to this limit the date of a report is used unchanged. */
export const CLOCK_SKEW_MS = 60 * SECOND_MS

/** The time that a report states, but no later than our own clock allows. Otherwise a report dated too far ahead would override the reports after it. */
export const notAhead = (now: Instant, at: Instant): Instant => Math.min(at, now + CLOCK_SKEW_MS)

/** The form of a date and time with its time zone (ISO 8601, seconds optional), or of a day alone. */
export const MOMENT_FORM = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$/

/** Reads a timestamp of that form, as requests and commands accept it; a day alone means its midnight in UTC. `undefined` for any other text, and for a day that does not exist. */
export const parseMoment = (text: string): Instant | undefined =>
  MOMENT_FORM.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : undefined

/** Whether a day exists, such as `2026-02-28`. `Date.parse` reads the 31st of February as the 3rd of March. */
export const isDay = (text: string): boolean => {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}
