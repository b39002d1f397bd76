import { SECOND_MS, type Instant } from '../time.js'

/** How far the platform's clock may be ahead of ours; up to here the date of a report counts as it is. */
export const CLOCK_SKEW_MS = 60 * SECOND_MS

/** A moment as a report states it, but no later than our own clock allows: what is dated further ahead must not outlast what is reported after it. */
export const notAhead = (now: Instant, at: Instant): Instant => Math.min(at, now + CLOCK_SKEW_MS)
