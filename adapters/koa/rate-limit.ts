import * as TE from 'fp-ts/lib/TaskEither.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { portFailure, type PortFailure } from '../../core/errors.js'
import { SECOND_MS } from '../../core/time.js'
import type { RateLimit } from './authenticate.js'
import type { RateLimited } from './failures.js'

/** A limit of so many requests a second for each workspace, counted in this process. */
export const makeRateLimit = ({ perSecond }: { readonly perSecond: number }): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 })
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
