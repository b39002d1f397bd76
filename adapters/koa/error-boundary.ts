import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Context, Middleware } from 'koa'
import { describeCause } from '../../core/cause.js'
import { ignoreErrors, type Log } from './log.js'
import { toReply, writeReply } from './reply.js'
import { valuesOf, requestLogOf } from './request.js'

/** One answered request. Its route is a pattern, or `unrouted`, and its code one of the contract's, so that both can label a metric. */
export type Observation = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code?: string
  readonly durationMs: number
}

/** What surrounds every request. */
export type ErrorBoundaryDeps = {
  /** Is given every request once its reply is made. */
  readonly observe?: (observation: Observation) => void
  /** Names a request whose caller has not named it; a random UUID where not given. */
  readonly newRequestId?: () => string
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const UNROUTED = 'unrouted'

/** Gives a request its id and the headers all replies share, answers what nothing else caught, and writes its line in the log. */
export const errorBoundary = ({ newRequestId = randomUUID, observe }: ErrorBoundaryDeps, log: Log): Middleware => {
  const observed = ignoreErrors(observe)
  return async (ctx, next) => {
    const startedAt = performance.now()
    const requestId = REQUEST_ID.test(ctx.get('X-Request-Id')) ? ctx.get('X-Request-Id') : newRequestId()
    ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    try {
      if (hasOneHost(ctx)) await next()
      else writeReply(ctx, toReply({ _tag: 'InvalidParameter', sentence: 'Host must be one header, not several' }))
    } catch (cause) {
      log('error', 'unexpected', { request_id: requestId, cause: describeCause(cause), ...whereOf(cause) })
      writeReply(ctx, toReply({ _tag: 'Defect' }))
    }
    const { route = UNROUTED, workspace, code } = requestLogOf(ctx)
    const durationMs = performance.now() - startedAt
    const messageId = ctx.response.get('Postern-Message')
    log('info', 'request', {
      request_id: requestId, ...(workspace !== undefined && { workspace }), method: ctx.method, route, status: ctx.status,
      ...(code !== undefined && { code }), ...(messageId !== '' && { message_id: messageId }), duration_ms: Math.round(durationMs * 1_000) / 1_000,
    })
    observed({ method: ctx.method, route, status: ctx.status, ...(code !== undefined && { code }), durationMs })
  }
}

/** Of two `Host` headers a proxy may have read the other one. */
const hasOneHost = ({ req }: Context): boolean => valuesOf(req, 'host').length <= 1

/** The code in which a defect occurred, which names no data. */
const whereOf = (cause: unknown): { readonly stack?: string } =>
  cause instanceof Error && cause.stack !== undefined
    ? { stack: cause.stack.split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 10).join('\n') }
    : {}
