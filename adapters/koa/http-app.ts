import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { Router, type RouterMiddleware } from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import type { Receive } from '../../core/receive.js'
import { makeAnswer } from './answer.js'
import { makeAuthenticate, type AuthenticateDeps } from './authenticate.js'
import { describeCause, quietly, type Log } from './log.js'
import { operationsRoutes, type OperationsRoutesDeps } from './operations-routes.js'
import { readingRoutes, type ReadingRoutesDeps } from './reading-routes.js'
import { otherMethod, toReply } from './replies.js'
import { writeReply } from './reply.js'
import { requestIdOf } from './request-id.js'
import { sendRoutes, type SendRoutesDeps } from './send-routes.js'
import { webhookRoutes, type Webhook } from './webhook-routes.js'

/** One answered request: its route as a pattern, so that it can label a metric, or `unrouted`. */
export type Observation = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
}

/** What the app needs; everything optional may be left out. */
export type HttpDeps = SendRoutesDeps & ReadingRoutesDeps & AuthenticateDeps & OperationsRoutesDeps & {
  /** The platform's side; without it there are no webhook routes. It needs `receive`. */
  readonly webhook?: Webhook
  readonly receive?: Receive
  /** Says nothing where not given. */
  readonly log?: Log
  /** Told of every request once its reply is made. */
  readonly observe?: (observation: Observation) => void
  /** Names a request whose caller has not named it; a random UUID where not given. */
  readonly newRequestId?: () => string
}

const BASES = ['/v1', '/api/v1']
const UNROUTED = 'unrouted'

/** The whole HTTP contract as a Koa app that never listens: give its `callback()` to a server, or mount it in another app. */
export const makeHttpApp = (deps: HttpDeps): Koa => {
  const log = quietly(deps.log)
  const router = makeRouter(deps, log)
  const app = new Koa()
  app.use(edge(deps, log))
  app.use(router.routes())
  app.use(unrouted(router))
  app.on('error', (error: unknown, ctx?: Context) => {
    // A caller that went away is no event: what it asked for is carried through all the same.
    if (ctx?.writable !== false) log('error', 'reply_failed', describeCause(error))
  })
  return app
}

const makeRouter = (deps: HttpDeps, log: Log): Router => {
  const answer = makeAnswer(log)
  const authenticate = makeAuthenticate(deps)
  const sends = sendRoutes(answer, authenticate, deps)
  const reads = readingRoutes(answer, authenticate, deps)
  const router = new Router({ sensitive: true })
  for (const base of BASES) router.use(base, sends.routes(), reads.routes())
  if (deps.webhook !== undefined) {
    if (deps.receive === undefined) throw new TypeError('makeHttpApp: webhook needs receive')
    router.use(webhookRoutes(answer, log, deps.webhook, deps.receive).routes())
  }
  router.use(operationsRoutes(log, deps, { webhook: deps.webhook !== undefined }).routes())
  return router
}

/** Around every request: its name, the headers all replies share, and the one `catch` for what nobody expected. */
const edge = ({ newRequestId = randomUUID, observe }: HttpDeps, log: Log): Middleware => {
  const tell = quietly(observe)
  return async (ctx, next) => {
    const begunAt = performance.now()
    const requestId = requestIdOf(ctx.get('X-Request-Id'), newRequestId)
    ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    try {
      await next()
    } catch (cause) {
      log('error', 'unexpected', { request_id: requestId, ...describeCause(cause), ...whereOf(cause) })
      writeReply(ctx, toReply({ _tag: 'Defect' }))
    }
    const route = String(ctx['_matchedRoute'] ?? UNROUTED)
    tell({ method: ctx.method, route, status: ctx.status, durationMs: performance.now() - begunAt })
  }
}

/** The code a defect was met in, which names no data. */
const whereOf = (cause: unknown): { readonly stack?: string } =>
  cause instanceof Error && cause.stack !== undefined
    ? { stack: cause.stack.split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 10).join('\n') }
    : {}

const unrouted = (router: Router): RouterMiddleware => (ctx) => {
  const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
  if (methods.size === 0) return writeReply(ctx, toReply({ _tag: 'NotFound' }))
  const allow = Array.from(methods).sort().join(', ')
  writeReply(ctx, otherMethod(ctx.method, allow))
}
