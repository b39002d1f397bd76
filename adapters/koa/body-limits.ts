import type { Context, Middleware } from 'koa'
import { type ByteBudget, makeByteBudget, type TakenBytes } from '../../core/kernel/limits.js'
import { SECOND_MS } from '../../core/kernel/time.js'

/** Limits for the bodies of requests, besides the size of each. */
export type BodyLimits = {
  /** The memory for the bodies of all requests, if it is shared with other readers of bodies, such as a console. */
  readonly memory?: ByteBudget
  /** Without `memory`: how many bytes of memory the bodies of all requests may use together; 64 MiB by default. */
  readonly memoryBytes?: number
  /** How long a body may take to arrive, in milliseconds; 10 seconds by default. */
  readonly deadlineMs?: number
}

/** The limits for one request. */
export type RequestLimits = {
  readonly deadlineMs: number
  /** The memory that its body takes. */
  readonly memory: TakenBytes
}

const MEMORY_BYTES = 64 * 1024 * 1024
const DEADLINE_MS = 10 * SECOND_MS

const LIMITS = Symbol('the limits of the request')

/** Applies limits to every request. A request's memory is released when its handler ends, even with an error. */
export const bodyLimits = ({ memoryBytes = MEMORY_BYTES, memory: budget = makeByteBudget(memoryBytes), deadlineMs = DEADLINE_MS }: BodyLimits = {}): Middleware =>
  async (ctx, next) => {
    const memory = budget.begin()
    ctx[LIMITS] = { deadlineMs, memory } satisfies RequestLimits
    try {
      await next()
    } finally {
      memory.end()
    }
  }

/** The limits of a request; `bodyLimits` must run before its body is read. */
export const limitsOf = (ctx: Context): RequestLimits => {
  const limits = ctx[LIMITS] as RequestLimits | undefined
  if (limits === undefined) throw new TypeError('bodyLimits must come before what reads a body')
  return limits
}
