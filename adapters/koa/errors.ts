import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Context, Middleware, Next } from 'koa'
import { describeCause, mayBeSecret } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { AnsweredCall } from '../../core/requests/request-log.js'
import { parseTraceContext, type Span, type TracingDeps } from '../../core/kernel/tracing.js'
import { type HttpFailure, replyTo, writeReply } from './reply.js'
import { ignoreErrors, type Log, logFieldsOf, valuesOf } from './request.js'
import type { IgnoredItems } from './webhook.js'

/** The maximum number of kinds that are remembered, and so logged. */
const MAX_KINDS = 1_000

/** Logs unused items of notifications: each kind once, because the platform may send it in every notification. */
export const makeIgnoredLog = (log: Log): ((items: IgnoredItems, requestId: string) => void) => {
  const logged = new Set<string>()
  return ({ field, reason, count }, requestId) => {
    const kind = `${field} ${reason}`
    if (logged.has(kind) || logged.size >= MAX_KINDS) return
    logged.add(kind)
    log('info', 'notification_items_ignored', { request_id: requestId, field, reason, count })
  }
}

/** One answered request. `route` is a pattern or `unrouted`, and `code` is one of the contract's codes, so both can label a metric. */
export type Observation = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code?: string
  readonly durationMs: number
}

/** The dependencies of the error boundary. */
export type ErrorBoundaryDeps = TracingDeps & {
  /** Called for every request after its reply is created. */
  readonly observe?: (observation: Observation) => void
  /** Called for every request with a valid API key after its reply is created: it gets the route, not the path. */
  readonly record?: (call: AnsweredCall) => void
  /** Creates the id of a request that has no valid `X-Request-Id`; a random UUID by default. */
  readonly newRequestId?: () => string
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const UNROUTED = 'unrouted'

/** Sets a request's id and the headers of all replies, answers 500 after an uncaught error, and writes the request's log line. */
export const errorBoundary = ({ newRequestId = randomUUID, observe, record, tracer }: ErrorBoundaryDeps, log: Log): Middleware => {
  const [observed, recorded] = [ignoreErrors(observe), ignoreErrors(record)]
  const answer = async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now()
    const given = ctx.get('X-Request-Id')
    const requestId = REQUEST_ID.test(given) && !mayBeSecret(given) ? given : newRequestId()
    ctx.res.setHeader('X-Request-Id', requestId).setHeader('X-Content-Type-Options', 'nosniff').setHeader('Cache-Control', 'no-store')
    try {
      if (hasOneHost(ctx)) await next()
      else writeReply(ctx, replyTo(ctx, { _tag: 'InvalidParameter', sentence: 'Host must be one header, not several' }))
    } catch (cause) {
      log('error', 'unexpected', { request_id: requestId, cause: describeCause(cause), ...whereOf(cause) })
      writeReply(ctx, replyTo(ctx, { _tag: 'Defect' }))
    }
    const { route = UNROUTED, workspace, key, code } = logFieldsOf(ctx)
    const durationMs = performance.now() - startedAt
    const messageId = ctx.response.get('Postern-Message')
    log('info', 'request', {
      request_id: requestId, ...(workspace !== undefined && { workspace }), method: ctx.method, route, status: ctx.status,
      ...(code !== undefined && { code }), ...(messageId !== '' && { message_id: messageId }),
      duration_ms: Math.round(durationMs * 1_000) / 1_000,
    })
    observed({ method: ctx.method, route, status: ctx.status, ...(code !== undefined && { code }), durationMs })
    if (record === undefined || workspace === undefined || key === undefined) return
    recorded({
      workspace, key, requestId, method: ctx.method, route: writtenRoute(route), status: ctx.status, durationMs,
      ...(code !== undefined && { code }), ...(messageId !== '' && { message: messageId }),
    })
  }
  if (tracer === undefined) return answer
  return (ctx, next) => {
    const parent = parseTraceContext(ctx.get('traceparent'))
    return tracer.span({ name: ctx.method, kind: 'server', attributes: { 'http.request.method': ctx.method }, parent }, async (span) => {
      await answer(ctx, next)
      if (span.isRecording) describe(span, ctx)
    })
  }
}

/** A route in the notation of the API's document. */
const writtenRoute = (route: string): string => (route.includes(':') ? route.replace(/:(\w+)/g, '{$1}') : route)

/** The attributes of a request's span. They contain neither its path nor its id: a client may write a phone number into either. */
const describe = (span: Span, ctx: Context): void => {
  const { route, workspace, code } = logFieldsOf(ctx)
  const message = ctx.response.get('Postern-Message')
  if (route !== undefined) span.name(`${ctx.method} ${route}`)
  span.say({
    'http.response.status_code': ctx.status, ...(route !== undefined && { 'http.route': route }),
    ...(code !== undefined && { 'error.type': code }), ...(workspace !== undefined && { 'postern.workspace': workspace }),
    ...(message !== '' && { 'messaging.message.id': message }),
  })
  if (ctx.status >= FAILED) span.fail(code ?? String(ctx.status))
}

/** A refused request is not a failure of the server. */
const FAILED = 500

/** If there are two `Host` headers, a proxy may have used the other one. */
const hasOneHost = ({ req }: Context): boolean => valuesOf(req, 'host').length <= 1

/** The stack of a defect without its message, which may contain data. */
const whereOf = (cause: unknown): { readonly stack?: string } =>
  cause instanceof Error && cause.stack !== undefined
    ? { stack: cause.stack.split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 10).join('\n') }
    : {}

/** Logs the details of a failure that only the operator may see. */
export const reportFailure = (log: Log, requestId: string, failure: HttpFailure): void => {
  const about = {
    request_id: requestId,
    ...('messageId' in failure && { message_id: failure.messageId }),
    ...('cause' in failure && { cause: describeCause(failure.cause) }),
  }
  if (failure._tag === 'PortFailure') log('error', 'port_failed', { ...about, port: failure.port })
  if (failure._tag === 'PlatformUnreachable' || failure._tag === 'PlatformUnanswered') log('warn', 'platform_unreachable', about)
  if (failure._tag === 'OutcomeUnknown' && !failure.replayed) log('warn', 'outcome_unknown', about)
  if (failure._tag === 'CredentialsRefused') {
    log('error', 'platform_credentials_refused', { ...about, ...numbersOf(failure.error) })
  }
}

/** Only the codes of the platform's error object, because its texts may contain accounts and phone numbers. */
const numbersOf = (error: JsonObject): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ['code', 'error_subcode'].flatMap((key): ReadonlyArray<readonly [string, number]> => {
      const value = error[key]
      return typeof value === 'number' ? [[key, value]] : []
    }),
  )
