import Koa, { type Context } from 'koa'
import { describeCause } from '../../core/kernel/failure.js'
import { bodyLimits, type BodyLimits } from './body-limits.js'
import { type ContractDeps, makeOpenApiDocument, servedOperations, servedParts } from './contract.js'
import { errorBoundary, type ErrorBoundaryDeps } from './error-boundary.js'
import { notFound } from './failures.js'
import { ignoreErrors, type Log } from './log.js'
import { onDemand } from './on-demand.js'
import { limitDocuments, makeReadLimits } from './read-limits.js'
import { toReply, writeReply } from './reply.js'
import { routesOf } from './routes.js'

/** What the app needs. */
export type HttpDeps = Omit<ContractDeps, 'document'> & ErrorBoundaryDeps & {
  readonly bodyLimits?: BodyLimits
  /** Without it nothing is logged. */
  readonly log?: Log
}

/** The whole HTTP contract as a Koa app. It does not listen: pass its `callback()` to a server, or mount it in another app. */
export const makeHttpApp = (deps: HttpDeps): Koa => {
  const log = ignoreErrors(deps.log)
  const served = servedParts(deps)
  const operations = servedOperations(served)
  const readLimits = deps.readLimits ?? makeReadLimits()
  const app = new Koa()
  app.use(limitDocuments(operations.flatMap(({ path, isLimited = false }) => (isLimited ? [path] : [])), { ...deps, readLimits }))
  app.use(errorBoundary(deps, log))
  app.use(bodyLimits(deps.bodyLimits))
  app.use(routesOf(operations, { ...deps, readLimits, document: onDemand(() => makeOpenApiDocument(served)) }, log))
  app.use((ctx) => writeReply(ctx, toReply(notFound)))
  app.on('error', (error: unknown, ctx?: Context) => {
    // It is no error if the caller closed the connection: the request still runs to its end.
    if (ctx?.writable !== false) log('error', 'reply_failed', { cause: describeCause(error) })
  })
  return app
}
