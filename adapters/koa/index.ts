/**
 * The HTTP contract as a Koa app.
 *
 * @packageDocumentation
 */
export { type HttpDeps, makeHttpApp } from './http-app.js'
export { type ContractDeps, makeOpenApiDocument } from './contract.js'
export { fileForms } from './body.js'
export type { AuthenticateDeps } from './authenticate.js'
export type { GraphDeps } from './graph/operation.js'
export type { ErrorBoundaryDeps, Observation } from './errors.js'
export type { FileForm, ReadingFile } from './file-body.js'
export type {
  BadSignature, BodyFailure, BodyTooSlow, InvalidParameter, MalformedBody, Overloaded, PayloadTooLarge, RateLimited, UnsupportedMediaType,
} from './reply.js'
export type { ReferenceOptions } from './reference/page.js'
export type { Log, LogLevel } from './request.js'
export type { BodyLimits, FilePace } from './raw-body.js'
export type { ByteBudget, TakenBytes } from '../shared/byte-budget.js'
export type { Yielding } from '../shared/fair-shares.js'
export { makeRateLimit, type RateLimit, type RateLimitOptions, type ReadLimits } from './limits.js'
export type { ServedParts, UseCases } from './operation.js'
export type { Metrics, MetricsDeps, Readiness, ReadinessDeps } from './operations/documents.js'
export type { Pages, PagesDeps } from './operations/pages.js'
export type { FindWebhook, IgnoredItems, Notification, Webhook, WebhookDeps, WebhookRejection } from './webhook.js'
export type * as OpenApi from './openapi-types.js'
