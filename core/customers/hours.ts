import * as E from 'fp-ts/lib/Either.js'
import { DAY_MS, type Instant, MINUTE_MS } from '../kernel/time.js'
import { type TimezoneUnknown, timezoneUnknown, type Zone } from './time-zones.js'

/** The days of a week, in the order of ISO 8601. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** A day of the week. */
export type Weekday = (typeof WEEKDAYS)[number]

/** Hours as a caller gives them. */
export type GivenHours = {
  /** When they begin, as `HH:MM`. */
  readonly from: string
  /** When they end, as `HH:MM` up to `24:00`; on the next day if it is before `from`. */
  readonly to: string
  /** The days on which they begin; every day if absent. */
  readonly days?: ReadonlyArray<string> | undefined
  /** `customer`, or the IANA name of a time zone; `customer` if absent. */
  readonly timezone?: string | undefined
}

/** The hours in which messages may reach a customer. `parseHours` makes them. */
export type Hours = {
  /** Minutes since midnight. */
  readonly from: number
  readonly to: number
  readonly days: ReadonlySet<Weekday>
  readonly timezone: Zone | 'customer'
} & { readonly Hours: unique symbol }

/** Hours of a wrong form: the field, and what it must be. */
export type InvalidHours = { readonly _tag: 'InvalidHours'; readonly field: keyof GivenHours; readonly must: string }

/** Reads hours. `from` after `to` goes over midnight; an empty span or an empty list of days is refused. */
export const parseHours = ({ from, to, days = WEEKDAYS, timezone = 'customer' }: GivenHours): E.Either<InvalidHours, Hours> => {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  const zone = timezone === 'customer' ? timezone : parseZone(timezone)
  const known = days.filter(isWeekday)
  if (start === undefined || start === DAY_MINUTES) return invalid('from', 'a time such as 09:00')
  if (end === undefined) return invalid('to', 'a time such as 20:00')
  if (start === end) return invalid('to', 'another time than from')
  if (days.length === 0 || known.length < days.length) return invalid('days', `at least one of ${WEEKDAYS.join(', ')}`)
  if (zone === undefined) return invalid('timezone', 'customer, or the IANA name of a time zone such as Europe/Berlin')
  const hours: object = { from: start, to: end, days: new Set(known), timezone: zone }
  return E.right(hours as Hours)
}

/** Hours as a caller gives them, from which `parseHours` makes the same hours. */
export const givenHours = ({ from, to, days, timezone }: Hours): GivenHours =>
  ({ from: timeOf(from), to: timeOf(to), days: WEEKDAYS.filter((day) => days.has(day)), timezone })

/** Hours as a text; equal hours have equal texts. */
export const hoursText = (hours: Hours): string => {
  const { from, to, days = [], timezone } = givenHours(hours)
  return `${from} ${to} ${days.join(',')} ${timezone}`
}

const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** The number of minutes of a day. */
export const DAY_MINUTES = 1_440
const TIME_FORM = /^(?:([01][0-9]|2[0-3]):([0-5][0-9])|24:00)$/

const minutesOf = (text: string): number | undefined => {
  const [whole, hours, minutes] = TIME_FORM.exec(text) ?? []
  if (whole === undefined) return undefined
  return hours === undefined ? DAY_MINUTES : Number(hours) * 60 + Number(minutes)
}

const isWeekday = (text: string): text is Weekday => WEEKDAYS.some((day) => day === text)

const invalid = (field: keyof GivenHours, must: string): E.Either<InvalidHours, never> => E.left({ _tag: 'InvalidHours', field, must })

/** The time zone of a name; `undefined` if none has it. Offsets such as `+01:00` are not names. */
export const parseZone = (name: string): Zone | undefined => {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone as Zone
  } catch {
    return undefined
  }
}

/** How far ahead the hours are looked for: every day of a week has come after that. */
const LOOK_AHEAD_MS = 8 * DAY_MS

/**
 * The first instant, `now` or later, that is inside the hours in each of the zones. Left: there is none within 8 days, because the hours of the zones do not overlap.
 *
 * Local times are those of clocks: if they are put back, a repeated hour counts twice; hours that begin in a skipped hour begin after it.
 */
export const nextAllowed = (hours: Hours, zones: ReadonlyArray<Zone>, now: Instant): E.Either<TimezoneUnknown, Instant> => {
  let at = now
  while (at <= now + LOOK_AHEAD_MS) {
    const next = Math.max(...zones.map((zone) => nextInside(hours, zone, at)))
    if (next === at) return E.right(at)
    at = next
  }
  return E.left(timezoneUnknown)
}

/** The first instant, `at` or later, that is inside the hours in one zone. Between two changes of its clocks the offset is constant, so the beginning is computed. */
const nextInside = (hours: Hours, zone: Zone, at: Instant): Instant => {
  const offset = offsetAt(zone, at)
  const local = at + offset
  if (isInside(hours, local)) return at
  const begins = nextBeginning(hours, local) - offset
  if (offsetAt(zone, begins) === offset) return begins
  const changed = changeBetween(zone, at, begins)
  return begins < changed ? begins : nextInside(hours, zone, changed)
}

const isInside = ({ from, to, days }: Hours, local: number): boolean => {
  const minute = Math.floor(mod(local, DAY_MS) / MINUTE_MS)
  const isToday = days.has(weekdayOf(local))
  if (from < to) return isToday && minute >= from && minute < to
  return (isToday && minute >= from) || (days.has(weekdayOf(local - DAY_MS)) && minute < to)
}

/** The next local time at which the hours begin, on one of their days. */
const nextBeginning = ({ from, days }: Hours, local: number): number => {
  let beginning = local - mod(local, DAY_MS) + from * MINUTE_MS
  while (beginning <= local || !days.has(weekdayOf(beginning))) beginning += DAY_MS
  return beginning
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (local: number): Weekday => WEEKDAYS[mod(Math.floor(local / DAY_MS) + 3, WEEKDAYS.length)] ?? 'mon'

const mod = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor

/** The first minute after `before` at which the clocks of a zone have changed; they have changed by `after`. */
const changeBetween = (zone: Zone, before: Instant, after: Instant): Instant => {
  const offset = offsetAt(zone, before)
  let [same, changed] = [Math.floor(before / MINUTE_MS), Math.ceil(after / MINUTE_MS)]
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2)
    if (offsetAt(zone, middle * MINUTE_MS) === offset) same = middle
    else changed = middle
  }
  return changed * MINUTE_MS
}

/** The difference of a zone's clocks from UTC, in milliseconds. */
const offsetAt = (zone: Zone, at: Instant): number => {
  const whole = at - mod(at, MINUTE_MS)
  const [, month, day, year, hour, minute] = WALL_CLOCK.exec(formatOf(zone).format(whole)) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) - whole
}

const WALL_CLOCK = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/

/** Making a format takes far longer than using it. Their number is that of the zones. */
const formats = new Map<Zone, Intl.DateTimeFormat>()

const formatOf = (zone: Zone): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric',
  })
  formats.set(zone, format)
  return format
}
