import type { Instant } from './time.js'

/** For what wrong attempts are counted, and how long the next one must wait after them. */
export type AttemptName = {
  readonly name: string
  /** How many wrong attempts may follow each other without a delay. */
  readonly free: number
  /** The delay after as many; each further one doubles it. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** In which time one wrong attempt is forgotten. */
  readonly forgetOneMs: number
}

/** The wrong attempts with a name: when all of them are forgotten, and when the next one may be made. */
export type Attempts = { readonly endsAt: Instant; readonly retryAt: Instant }

/** No attempt that counts. */
export const NO_ATTEMPTS: Attempts = { endsAt: 0, retryAt: 0 }

/** How many attempts are not forgotten at a moment. */
export const levelOf = ({ forgetOneMs }: AttemptName, { endsAt }: Attempts, at: Instant): number => Math.max(0, Math.ceil((endsAt - at) / forgetOneMs))

/**
 * The attempts after one more. They never count beyond the longest delay, so that it ends soon after the last of them.
 *
 * One that brings no delay leaves no moment behind: that of a gateway whose clock is ahead would be a delay at the others.
 */
export const withAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => {
  const endsAt = Math.min(Math.max(before.endsAt, at) + limit.forgetOneMs, at + mostOf(limit) * limit.forgetOneMs)
  const delayMs = delayOf(limit, { ...before, endsAt }, at)
  return { endsAt, retryAt: delayMs === 0 ? NO_ATTEMPTS.retryAt : at + delayMs }
}

/** The attempts without one that was counted at a moment; its delay ends unless a later one has brought another. */
export const withoutAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => ({
  endsAt: before.endsAt - limit.forgetOneMs,
  retryAt: before.retryAt === at + delayOf(limit, before, at) ? NO_ATTEMPTS.retryAt : before.retryAt,
})

/** Until when the next attempt must wait, of names with their attempts; undefined where it need not. */
export const delayedUntil = (all: ReadonlyArray<Attempts>, at: Instant): Instant | undefined => {
  const delays = all.filter(({ endsAt, retryAt }) => at < retryAt && at < endsAt).map(({ retryAt }) => retryAt)
  return delays.length === 0 ? undefined : Math.max(...delays)
}

const delayOf = (limit: AttemptName, attempts: Attempts, at: Instant): number => {
  const beyond = levelOf(limit, attempts, at) - limit.free
  return beyond < 0 ? 0 : Math.min(limit.longestDelayMs, limit.firstDelayMs * 2 ** beyond)
}

/** With how many attempts the delay has become the longest. */
const mostOf = ({ free, firstDelayMs, longestDelayMs }: AttemptName): number => free + Math.max(0, Math.ceil(Math.log2(longestDelayMs / firstDelayMs)))
