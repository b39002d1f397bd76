/**
 * The HTTP contract as a Koa app.
 *
 * @packageDocumentation
 */
export { makeHttpApp, type HttpDeps } from './http-app.js'
export { makeOpenApiDocument, type ContractDeps } from './contract.js'
export type * as OpenApi from './openapi-types.js'
export type { AuthenticateDeps, RateLimit } from './authenticate.js'
export type { ErrorBoundaryDeps, Observation } from './error-boundary.js'
export type { BadSignature, RateLimited } from './failures.js'
export type { Log, LogLevel } from './log.js'
export type { BodyLimits } from './body-limits.js'
export type { ReadLimits } from './read-limits.js'
export { makeRateLimit, type RateLimitOptions } from './rate-limit.js'
export type { ServedParts } from './operation.js'
export type { Quoting } from './quoting.js'
export type { EventOperationsDeps } from './event-operations.js'
export type { Answering, AnsweringDeps } from './answering.js'
export type { Metrics, MetricsDeps } from './operations/get-metrics.js'
export type { Readiness, ReadinessDeps } from './operations/health.js'
export type { IgnoredItems, Notification, Webhook, WebhookDeps, WebhookRejection } from './webhook.js'
