import * as TE from 'fp-ts/lib/TaskEither.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { RateLimit } from './authenticate.js'
import type { RateLimited } from './failures.js'

/** How many requests each workspace may make. */
export type RateLimitOptions = {
  readonly perSecond: number
  /** The seconds over which requests are counted; 1 by default. With 5, a burst may be 5 times as large. */
  readonly overSeconds?: number
}

/** A limit for each workspace, counted in this process. */
export const makeRateLimit = ({ perSecond, overSeconds = 1 }: RateLimitOptions): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perSecond * overSeconds, duration: overSeconds })
  return (workspace) =>
    TE.tryCatch(
      async () => {
        await limiter.consume(workspace)
      },
      (refusal): RateLimited | PortFailure =>
        refusal instanceof RateLimiterRes
          ? { _tag: 'RateLimited', retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / SECOND_MS)) }
          : portFailure('RateLimit')(refusal),
    )
}
