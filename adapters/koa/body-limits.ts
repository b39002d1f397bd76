import type { Context, Middleware } from 'koa'
import { SECOND_MS } from '../../core/time.js'

/** Limits for the bodies of requests, besides the size of each. */
export type BodyLimits = {
  /** How many bytes of memory the bodies of all requests may use together; 64 MiB by default. */
  readonly memoryBytes?: number
  /** How long a body may take to arrive, in milliseconds; 10 seconds by default. */
  readonly deadlineMs?: number
}

/** The limits for one request. */
export type RequestLimits = {
  readonly deadlineMs: number
  /**
   * Reserves bytes of the memory for bodies; false if too few are free.
   *
   * `share` is the part of the memory that may be in use after this, so that requests without a key leave memory for those with one.
   */
  readonly reserve: (bytes: number, share?: number) => boolean
}

const MEMORY_BYTES = 64 * 1024 * 1024
const DEADLINE_MS = 10 * SECOND_MS

const LIMITS = Symbol('the limits of the request')

/**
 * Applies limits to every request. A request's memory is released when its handler ends, even with an error. It gets none after that: a handler may end while
 * the body is still read.
 */
export const bodyLimits = ({ memoryBytes = MEMORY_BYTES, deadlineMs = DEADLINE_MS }: BodyLimits = {}): Middleware => {
  let taken = 0
  return async (ctx, next) => {
    let own = 0
    let hasEnded = false
    const reserve = (bytes: number, share = 1): boolean => {
      if (hasEnded || taken + bytes > memoryBytes * share) return false
      taken += bytes
      own += bytes
      return true
    }
    ctx[LIMITS] = { deadlineMs, reserve } satisfies RequestLimits
    try {
      await next()
    } finally {
      hasEnded = true
      taken -= own
    }
  }
}

/** The limits of a request; `bodyLimits` must run before its body is read. */
export const limitsOf = (ctx: Context): RequestLimits => {
  const limits = ctx[LIMITS] as RequestLimits | undefined
  if (limits === undefined) throw new TypeError('bodyLimits must come before what reads a body')
  return limits
}
