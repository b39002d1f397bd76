import type { GivenHours } from '../../core/customers/hours.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Message } from '../../core/messages/message.js'
import type { Choices } from './choices.js'

/** Hours in a named time zone. The simulation reads the clock there by `Intl`, and shares no rule with the core. */
export type SimulatedHours = Required<GivenHours>

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'] as const
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const [MINUTE_MS, HOUR_MINUTES, DAY_MINUTES] = [60_000, 60, 1_440]

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The day of the week and the minute of the day that a clock in a time zone shows. */
const clockIn = (timeZone: string, at: Instant): { readonly day: number; readonly minute: number } => {
  const clock = clocks.get(timeZone)
    ?? new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  clocks.set(timeZone, clock)
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type as string, value]))
  const day = DAYS.findIndex((name) => name === parts.get('weekday')?.toLowerCase())
  return { day, minute: Number(parts.get('hour')) * HOUR_MINUTES + Number(parts.get('minute')) }
}

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * HOUR_MINUTES + Number(text.slice(3))

/** Whether a time is inside hours. Hours over midnight belong to the day on which they begin. */
export const areHours = ({ from, to, days, timezone = '' }: SimulatedHours, at: Instant): boolean => {
  const [{ day, minute }, begin, end] = [clockIn(timezone, at), minuteOf(from), minuteOf(to)]
  const has = (of: number): boolean => days?.includes(DAYS[(of + DAYS.length) % DAYS.length] ?? '') === true
  return begin < end ? has(day) && minute >= begin && minute < end : (has(day) && minute >= begin) || (has(day - 1) && minute < end)
}

/** The first time, `at` or later, that is inside hours; to the minute. */
export const beginOfHours = (hours: SimulatedHours, at: Instant): Instant => {
  if (areHours(hours, at)) return at
  let next = Math.ceil(at / MINUTE_MS) * MINUTE_MS
  while (!areHours(hours, next)) next += MINUTE_MS
  return next
}

/** Hours near a time: they may be over, begin soon, or last for hours. */
export const hoursNear = (choices: Choices, at: Instant): SimulatedHours => {
  const timezone = choices.one(ZONES)
  const begin = clockIn(timezone, at).minute + choices.whole(-3 * HOUR_MINUTES, 3 * HOUR_MINUTES)
  const textOf = (minute: number): string => {
    const of = (minute + DAY_MINUTES) % DAY_MINUTES
    return `${String(Math.floor(of / HOUR_MINUTES)).padStart(2, '0')}:${String(of % HOUR_MINUTES).padStart(2, '0')}`
  }
  return {
    timezone, from: textOf(begin), to: textOf(begin + choices.one([5, 30, 2 * HOUR_MINUTES, 9 * HOUR_MINUTES])),
    days: choices.chance(0.7) ? DAYS : DAYS.filter((_, day) => day !== clockIn(timezone, at).day),
  }
}

/** Writes hours into a message, so that the judge knows what the application has asked for. */
export const withHours = (message: Message, { from, to, days = [], timezone = '' }: SimulatedHours): Message =>
  ({ ...message, metadata: { hours: [from, to, timezone, ...days].join(' ') } })

/** The hours that an application has asked for, if any. */
export const hoursIn = ({ metadata }: Message): SimulatedHours | undefined => {
  const text = metadata?.['hours']
  if (typeof text !== 'string') return undefined
  const [from = '', to = '', timezone = '', ...days] = text.split(' ')
  return { from, to, timezone, days }
}
