/**
 * The HTTP contract as a Koa app.
 *
 * @packageDocumentation
 */
export { makeHttpApp, type HttpDeps, type Observation } from './http-app.js'
export type { RateLimit } from './authenticate.js'
export type { RateLimited } from './failures.js'
export type { Log, LogLevel } from './log.js'
export type { Metrics, Readiness } from './operations-routes.js'
export { makeRateLimit } from './rate-limit.js'
export type { Webhook } from './webhook-routes.js'
