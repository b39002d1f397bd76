import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Instant } from './time.js'

/** The pauses between the attempts to deliver an event: before the second, the third and so on. The last one is repeated. */
const PAUSES_MS: ReadonlyArray<number> = [
  5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, DAY_MS,
]

/** How long an event is tried, and how long an endpoint may fail before it is disabled. */
export const GIVES_UP_AFTER_MS = 5 * DAY_MS

/** The most that a pause is longer than scheduled, so that many events that failed together are not tried together. */
const JITTER = 0.1

/** Attempts that were made of an event, the first one's moment, and what the receiver asked for. */
export type Attempted = {
  readonly attempts: number
  readonly firstAttemptAt: Instant
  readonly now: Instant
  /** How long the receiver asks to wait, in milliseconds; a day at most counts, so that no answer makes an event be given up at once. */
  readonly retryAfterMs: number | undefined
  /** From 0 to 1. */
  readonly random: number
}

/** When an event whose attempts failed is tried again; `undefined` once five days have passed since the first. */
export const nextAttemptAt = ({ attempts, firstAttemptAt, now, retryAfterMs = 0, random }: Attempted): Instant | undefined => {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? DAY_MS
  const next = now + Math.round(Math.max(Math.min(retryAfterMs, DAY_MS), pause * (1 + JITTER * random)))
  return next - firstAttemptAt > GIVES_UP_AFTER_MS ? undefined : next
}
