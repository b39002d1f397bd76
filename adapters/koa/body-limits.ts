import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { SECOND_MS } from '../../core/time.js'

/** What bounds the bodies of requests, besides the size of each. */
export type BodyLimits = {
  /** How many bytes the bodies of all requests together may take in memory; 64 MiB where not given. */
  readonly memoryBytes?: number
  /** How long a body may take to arrive, in milliseconds; 10 seconds where not given. */
  readonly deadlineMs?: number
}

/** The limits as they apply to one request. */
export type RequestLimits = {
  readonly deadlineMs: number
  /**
   * Takes bytes of the memory for bodies; false where there is no room for them.
   *
   * `share` is the part of the memory that may be in use after this, so that requests without a key leave room for those with one.
   */
  readonly reserve: (bytes: number, share?: number) => boolean
}

const MEMORY_BYTES = 64 * 1024 * 1024
const DEADLINE_MS = 10 * SECOND_MS

const ofRequests = new WeakMap<IncomingMessage, RequestLimits>()

/** Applies limits to every request. What a request took of the memory is given back when its handler is done, however that ends. */
export const bodyLimits = ({ memoryBytes = MEMORY_BYTES, deadlineMs = DEADLINE_MS }: BodyLimits = {}): Middleware => {
  let taken = 0
  return async ({ req }, next) => {
    let own = 0
    const reserve = (bytes: number, share = 1): boolean => {
      if (taken + bytes > memoryBytes * share) return false
      taken += bytes
      own += bytes
      return true
    }
    ofRequests.set(req, { deadlineMs, reserve })
    try {
      await next()
    } finally {
      taken -= own
    }
  }
}

/** The limits of a request; `bodyLimits` has to come before whatever reads its body. */
export const limitsOf = (req: IncomingMessage): RequestLimits => {
  const limits = ofRequests.get(req)
  if (limits === undefined) throw new TypeError('bodyLimits must come before what reads a body')
  return limits
}
