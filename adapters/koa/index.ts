/**
 * The HTTP contract as a Koa app.
 *
 * @packageDocumentation
 */
export { makeHttpApp, type HttpDeps, type Observation } from './http-app.js'
export { readDocsFiles, type DocsFiles } from './docs-page.js'
export { makeOpenApiDocument, type ServedParts } from './openapi.js'
export type * as OpenApi from './openapi-types.js'
export type { AuthenticateDeps, RateLimit } from './authenticate.js'
export type { RateLimited } from './failures.js'
export type { Log, LogLevel } from './log.js'
export type { Metrics, OperationsRoutesDeps, Readiness } from './operations-routes.js'
export type { ReadingRoutesDeps } from './reading-routes.js'
export type { SendRoutesDeps } from './send-routes.js'
export { makeRateLimit } from './rate-limit.js'
export type { Webhook } from './webhook-routes.js'
