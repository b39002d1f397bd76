import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Middleware } from 'koa'
import type * as RateLimiterFlexible from 'rate-limiter-flexible'
import { attempt, portFailure, type PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { partOfPackage } from '../shared/part-of-package.js'
import { type Allowance, enterAll, type Entered, makeLimiter } from '../shared/limiter.js'
import { networkOf, type TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'
import type { ErrorBoundaryDeps } from './errors.js'
import { headerRefs, type Responses } from './openapi-types.js'
import { type RateLimited, type Reply, replyTo, writeReply } from './reply.js'
import { ignoreErrors, onDemand } from './request.js'

/** Counts a request of a workspace. If it has made too many, the left contains the time until its next request is allowed. */
export type RateLimit = (workspace: WorkspaceId) => Promise<E.Either<RateLimited | PortFailure, void>>

/** How many requests each workspace may make. */
export type RateLimitOptions = {
  readonly perSecond: number
  /** The seconds over which requests are counted; 1 by default. With 5, a burst may be 5 times as large. */
  readonly overSeconds?: number
}

type Package = typeof RateLimiterFlexible
const partOf = (name: string): unknown => partOfPackage('rate-limiter-flexible', name, `lib/${name}.js`)
const RateLimiterMemory = partOf('RateLimiterMemory') as Package['RateLimiterMemory']
const RateLimiterRes = partOf('RateLimiterRes') as Package['RateLimiterRes']

/** A limit for each workspace, counted in this process. */
export const makeRateLimit = ({ perSecond, overSeconds = 1 }: RateLimitOptions): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perSecond * overSeconds, duration: overSeconds })
  return (workspace) =>
    attempt(
      async () => {
        await limiter.consume(workspace)
      },
      (refusal): RateLimited | PortFailure =>
        refusal instanceof RateLimiterRes
          ? { _tag: 'RateLimited', retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / SECOND_MS)) }
          : portFailure('RateLimit')(refusal),
    )
}

/** Limits of reads, so that they leave enough of the process for sends. */
export type ReadLimits = {
  /** Admits a request for a document, or for the metrics: it has no API key. */
  readonly enterDocument: (address: string | undefined) => E.Either<TooManyRequests, Entered>
  /** Admits a request of an API key for a list. */
  readonly enterList: (key: string, address: string | undefined) => E.Either<TooManyRequests, Entered>
}

/** The parts of an app that limits need; without `readLimits` the app has limits of its own. */
export type ReadLimitsDeps = {
  readonly readLimits?: ReadLimits
  /** The network address of the client; by default the address of the connection. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined
}

/** A document or the metrics take 1 to 2 ms. */
const DOCUMENT = { network: { atOnce: 32, perSecond: 10, burst: 60 }, all: { atOnce: 128, perSecond: 20, burst: 120 } }

/** A list of a hundred messages takes about 3 ms and 11 turns, one for each 4 KiB of its reply; an empty list takes one turn. */
const LIST = {
  key: { atOnce: 64, perSecond: 400, burst: 2_000 }, network: { atOnce: 256, perSecond: 800, burst: 4_000 },
  all: { atOnce: 512, perSecond: 800, burst: 4_000 },
}
const BYTES_A_TURN = 4 * 1024

/** Creates the limits of one app; `now` is a clock that never goes back. */
export const makeReadLimits = (now: Clock = () => performance.now()): ReadLimits => {
  const limiter = (limit: string, allowance: Allowance) => makeLimiter({ limit, ...allowance, now })
  const documents = { network: limiter('address', DOCUMENT.network), all: limiter('gateway', DOCUMENT.all) }
  const lists = { key: limiter('API key', LIST.key), network: limiter('address', LIST.network), all: limiter('gateway', LIST.all) }
  return {
    enterDocument: (address) => enterAll([[documents.network, networkOf(address)], [documents.all, '']]),
    enterList: (key, address) => enterAll([[lists.key, key], [lists.network, networkOf(address)], [lists.all, '']]),
  }
}

/** The refusals at the webhooks of apps whose reason a network gets. */
const REFUSALS = { atOnce: Infinity, perSecond: 1, burst: 60 }

/** The longest time that a reply tells a client to wait after too many refusals, in seconds. */
const LONGEST_WAIT_S = 60

/**
 * Creates the limit of refusals of one operation. It returns the failure of a request, or `TooManyRequests` if its network was refused too often. So it takes long to
 * find out by guessing which apps exist. It is called only for requests that are refused, so it never affects others.
 */
export const makeRefusalLimit = (
  deps: ReadLimitsDeps, now: Clock = () => performance.now(),
): (<Failure>(ctx: Pick<RouterContext, 'req'>, failure: Failure) => E.Left<Failure | TooManyRequests>) => {
  const limiter = makeLimiter({ limit: 'address', ...REFUSALS, now })
  return (ctx, failure) => {
    const entered = limiter.enter(networkOf(addressOf(ctx.req, deps)))
    if (E.isLeft(entered)) return entered
    const { waitMs, leave } = entered.right
    leave()
    const retryAfterSeconds = Math.min(LONGEST_WAIT_S, Math.ceil(waitMs / SECOND_MS))
    return { _tag: 'Left', left: waitMs > 0 ? { _tag: 'TooManyRequests', limit: 'address', retryAfterSeconds } : failure }
  }
}

/** The network address of a request, as the app determines it. */
export const addressOf = (
  req: IncomingMessage, { clientAddress = ({ socket }) => socket.remoteAddress }: ReadLimitsDeps,
): string | undefined => clientAddress(req)

/**
 * Limits the requests for documents, which need no key. It covers the given paths; for a path with a parameter, it covers all paths with the same beginning. It runs
 * before everything else, and writes no line of the log for a refused request. So a refusal costs little more than reading the request; the request is still counted.
 */
export const limitDocuments = (
  paths: ReadonlyArray<string>,
  { readLimits: { enterDocument }, observe, ...deps }: Required<Pick<ReadLimitsDeps, 'readLimits'>> & ReadLimitsDeps & ErrorBoundaryDeps,
): Middleware => {
  const documents = new Set(paths.filter((path) => !path.includes('{')))
  const below = paths.filter((path) => path.includes('{')).map((path) => ({
    start: path.slice(0, path.indexOf('{')), route: path.replace(/\{(\w+)\}/g, ':$1'),
  }))
    .sort((a, b) => b.start.length - a.start.length)
  const observed = ignoreErrors(observe)
  return async (ctx, next) => {
    const route = documents.has(ctx.path) ? ctx.path : below.find(({ start }) => ctx.path.startsWith(start))?.route
    if (route === undefined) return next() as Promise<unknown>
    const entered = enterDocument(addressOf(ctx.req, deps))
    if (E.isLeft(entered)) {
      const reply = replyTo(ctx, entered.left)
      ctx.res.setHeader('X-Request-Id', randomUUID()).setHeader('X-Content-Type-Options', 'nosniff').setHeader('Cache-Control', 'no-store')
      writeReply(ctx, reply)
      return observed({
        method: ctx.method, route, status: reply.status, durationMs: 0, ...(reply.code !== undefined && { code: reply.code }),
      })
    }
    const { waitMs, leave } = entered.right
    try {
      if (waitMs > 0) await delay(waitMs)
      await next()
    } finally {
      leave()
    }
  }
}

/** Runs an admitted request in its turn; a large reply counts as several. */
export const inTurn = async <Failure>(
  entered: E.Either<TooManyRequests, Entered>, run: () => Promise<E.Either<Failure, Reply>>,
): Promise<E.Either<Failure | TooManyRequests, Reply>> => {
  if (E.isLeft(entered)) return entered
  const { waitMs, leave } = entered.right
  let turns = 0
  try {
    if (waitMs > 0) await delay(waitMs)
    const outcome = await run()
    if (E.isRight(outcome)) turns = turnsOf(outcome.right)
    return outcome
  } finally {
    leave(turns)
  }
}

const turnsOf = ({ body }: Reply): number => (typeof body === 'string' || Buffer.isBuffer(body) ? body.length / BYTES_A_TURN : 0)

/** Creates a handler that builds its reply at the first request and then answers with the same bytes, or with 304 if `If-None-Match` contains their `ETag`. */
export const prepared = (
  make: () => Reply & { readonly body: string | Buffer },
): ((ctx: RouterContext) => Promise<E.Either<never, Reply>>) => {
  const reply = onDemand(() => {
    const { body, headers, ...rest } = make()
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    // Without a rule of its own, a browser may store it, but asks each time whether it is still the same.
    const shared = { ETag: tag, 'Cache-Control': headers['Cache-Control'] ?? 'no-cache' }
    const whole: Reply = { ...rest, body: Buffer.from(body), headers: { ...headers, ...shared } }
    return { tag, whole, unchanged: { status: 304, body: '', headers: shared } satisfies Reply }
  })
  return async (ctx) => {
    const { tag, whole, unchanged } = reply()
    const isKnown = ctx.get('If-None-Match').split(/\s*,\s*/).some((known) => known.replace(/^W\//, '') === tag)
    return E.right(isKnown ? unchanged : whole)
  }
}

/** The documentation of the reply to a client that has it already. */
export const UNCHANGED: Responses = {
  304: { description: 'The client has it already, as its `If-None-Match` says.', headers: headerRefs('ETag') },
}
