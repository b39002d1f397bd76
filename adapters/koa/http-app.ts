import type { RouterContext, RouterMiddleware } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import { describeCause } from '../../core/kernel/failure.js'
import { guardPorts } from '../../core/ports.js'
import { Router } from '../shared/koa-router.js'
import { type ContractDeps, makeOpenApiDocument, servedOperations, servedParts } from './contract.js'
import { lostPage } from './errors-page.js'
import { errorBoundary, type ErrorBoundaryDeps, reportFailure } from './errors.js'
import { graphOperations } from './graph/contract.js'
import { type GraphDeps, type GraphOperation, unversioned } from './graph/operation.js'
import { graphReply, GRAPH_PATH, isGraphRequest, namesVersion } from './graph/errors.js'
import { limitDocuments, makeReadLimits } from './limits.js'
import { mcpEndpoint } from './mcp/endpoint.js'
import { makeNearestAddress } from './nearest-address.js'
import type { Operation } from './operation.js'
import type { Handler } from './pipeline.js'
import { bodyLimits, type BodyLimits } from './raw-body.js'
import { missingThing, notFound, type NotFound, type Reply, replyTo, useReplyOf, writeReply } from './reply.js'
import { ignoreErrors, type Log, logFieldsOf, mountPathOf, noteApp, onDemand } from './request.js'
import { likelyValues } from './schema.js'

/** The dependencies of the app. */
export type HttpDeps = Omit<ContractDeps, 'document'> & GraphDeps & ErrorBoundaryDeps & {
  readonly bodyLimits?: BodyLimits
  /** Without it nothing is logged. */
  readonly log?: Log
}

/** The whole HTTP contract as a Koa app. It does not listen: pass its `callback()` to a server, or mount it in another app. */
export const makeHttpApp = (given: HttpDeps): Koa => {
  const deps = guardPorts(given)
  const log = ignoreErrors(deps.log)
  const served = servedParts(deps)
  const operations = servedOperations(served)
  const readLimits = deps.readLimits ?? makeReadLimits()
  const facts = { now: deps.postern.clock.now, ...(deps.publicUrl !== undefined && { publicUrl: deps.publicUrl }) }
  const nearestAddress = makeNearestAddress(operations)
  const lost = (ctx: Context): Lost => {
    const nearest = isGraphRequest(ctx) ? undefined : nearestAddress(ctx.path)
    return { nearest, hasConsole: deps.hasConsole === true, failure: nearest === undefined ? notFound : missingThing(`No operation exists at this address; did you mean ${nearest}?`) }
  }
  const app = new Koa()
  app.use((ctx, next) => {
    noteApp(ctx, facts)
    if (isGraphRequest(ctx)) useReplyOf(ctx, graphReply)
    return next()
  })
  app.use(limitDocuments(operations.flatMap(({ path, isLimited = false }) => (isLimited ? [path] : [])), { ...deps, readLimits }))
  app.use(errorBoundary(deps, log))
  app.use(bodyLimits(deps.bodyLimits))
  const graphRoutes = (served: ReadonlyArray<GraphOperation>): Middleware =>
    routesOf(served, { ...deps, readLimits }, log, lost, () => [GRAPH_PATH])
  const [withVersion, withoutVersion] = [graphRoutes(graphOperations(deps)), graphRoutes(graphOperations(deps).map(unversioned))]
  const elsewhere = routesOf(
    [...operations, mcpEndpoint], { ...deps, readLimits, document: onDemand(() => makeOpenApiDocument(served)) }, log, lost,
  )
  // None of them tests the patterns of the others.
  app.use((ctx, next) => (!isGraphRequest(ctx) ? elsewhere : namesVersion(ctx) ? withVersion : withoutVersion)(ctx, next) as unknown)
  app.use((ctx) => writeReply(ctx, ctx.path === '/' && isBrowser(ctx) ? toDocs(ctx) : lostReply(ctx, lost(ctx))))
  app.on('error', (error: unknown, ctx?: Context) => {
    // A client that closes the connection is not an error: the request still runs to completion.
    if (ctx?.writable !== false) log('error', 'reply_failed', { cause: describeCause(error) })
  })
  return app
}

/** The reply for an address that does not exist, and the address that was probably meant. */
type Lost = { readonly failure: NotFound; readonly nearest: string | undefined; readonly hasConsole: boolean }

const BASES = ['/v1', '/api/v1']
const AT_ROOT = ['']

/** The parts of an operation that routing needs. */
type Routed<Deps> = Pick<Operation<Deps>, 'method' | 'path' | 'isVersioned' | 'pathParameters' | 'handler'>

/**
 * Routes requests to operations. Addresses are exact: another letter case, or a slash at the end, is another address.
 *
 * An address without parameters, such as those of both sends, is found by its name. The router would test the patterns of all addresses for each request.
 */
export const routesOf = <Deps>(
  operations: ReadonlyArray<Routed<Deps>>, deps: Deps, log: Log, lost: (ctx: Context) => Lost,
  basesOf: (operation: Routed<Deps>) => ReadonlyArray<string> = ({ isVersioned }) => (isVersioned ? BASES : AT_ROOT),
): Middleware => {
  const router = new Router({ sensitive: true, strict: true })
  const exact = new Map<string, RouterMiddleware>()
  for (const [path, atPath] of byPath(operations)) {
    // The same operation at both bases is one handler, which remembers the keys of both.
    const handlers = atPath.map(({ method, handler }) => [method, handler(deps, log)] as const)
    for (const base of new Set(atPath.flatMap(basesOf))) {
      const route = base + path.replace(/\{(\w+)\}/g, ':$1')
      const run = byMethod(handlers.map(([method, handler]) => [method, runHandler(log, route, handler)]), refuseOtherMethods(atPath, lost))
      if (route.includes(':')) router.all(route, unlessMisspelled(atPath, lost, run))
      else exact.set(route, run)
    }
  }
  const withParameters = router.routes()
  return (ctx, next) => {
    const routed = ctx as RouterContext
    const run = exact.get(ctx.path)
    if (run === undefined) return withParameters(routed, next) as unknown
    routed.params = {}
    return run(routed, next) as unknown
  }
}

/** Each address is one route for all methods, because the router tests every route of every address for each request. */
const byMethod = (
  handlers: ReadonlyArray<readonly [Routed<unknown>['method'], RouterMiddleware]>, otherwise: RouterMiddleware,
): RouterMiddleware => {
  const ofMethod = new Map(
    handlers.flatMap(([method, handler]) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).map((name) => [name, handler])),
  )
  return (ctx, next) => (ofMethod.get(ctx.method) ?? otherwise)(ctx, next) as unknown
}

/** Paths without parameters come first, because `/messages/{id}` would also match `/messages/send-text`. */
const byPath = <Deps>(operations: ReadonlyArray<Routed<Deps>>): ReadonlyArray<readonly [string, ReadonlyArray<Routed<Deps>>]> => {
  const paths = new Map<string, ReadonlyArray<Routed<Deps>>>()
  for (const operation of operations) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation])
  return [...paths].sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
}

/** An address whose parameter has a form that no operation accepts is not found, for every method. */
const refuseOtherMethods = <Deps>(operations: ReadonlyArray<Routed<Deps>>, lost: (ctx: Context) => Lost): RouterMiddleware => {
  const addresses = operations.map(({ pathParameters }) => likelyValues(pathParameters))
  const allow = operations.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase())).sort().join(', ')
  return (ctx) => {
    const isKnown = addresses.some((isMeant) => isMeant(ctx.params))
    writeReply(ctx, isKnown ? otherMethod(ctx, allow) : lostReply(ctx, lost(ctx)))
  }
}

/** The router reads `/messages/send_text` as `/messages/{id}`. If that is unlikely to be an id, and another address is similar, the reply contains the other address. */
const unlessMisspelled = <Deps>(
  operations: ReadonlyArray<Routed<Deps>>, lost: (ctx: Context) => Lost, run: RouterMiddleware,
): RouterMiddleware => {
  const addresses = operations.map(({ pathParameters }) => likelyValues(pathParameters))
  return (ctx, next) => {
    if (addresses.some((isMeant) => isMeant(ctx.params))) return run(ctx, next) as unknown
    const found = lost(ctx)
    // An id of a wrong form may resemble a name by chance. The operation must refuse it, after the key was checked.
    return found.nearest !== undefined && lettersOf(found.nearest) === lettersOf(ctx.path)
      ? writeReply(ctx, lostReply(ctx, found))
      : run(ctx, next) as unknown
  }
}

const lettersOf = (address: string): string => address.toLowerCase().replace(/[^a-z0-9/]/g, '')

/** The reply to a request for an address that does not exist. A browser gets a page. */
const lostReply = (ctx: Context, { failure, nearest, hasConsole }: Lost): Reply => {
  const reply = replyTo(ctx, failure)
  if (!isBrowser(ctx)) return reply
  return { ...lostPage(mountPathOf(ctx), nearest, hasConsole), ...(reply.code !== undefined && { code: reply.code }) }
}

/** If the console is off, a browser that opens the root has no other page to read. */
const toDocs = (ctx: Context): Reply => ({ status: 303, body: '', headers: { Location: `${mountPathOf(ctx)}/docs` } })

/** A browser lists HTML before every other type. Other clients list JSON, or accept any type. */
const isBrowser = (ctx: Context): boolean =>
  !isGraphRequest(ctx) && ['GET', 'HEAD'].includes(ctx.method) && ctx.accepts('json', 'html') === 'html'

/** The reply of a known address to a method without an operation. */
const otherMethod = (ctx: Context, allow: string): Reply =>
  (ctx.method === 'OPTIONS' ? { status: 204, body: '', headers: { Allow: allow } } : replyTo(ctx, { _tag: 'MethodNotAllowed', allow }))

/** Runs a handler, writes its reply or the reply of its failure, and logs the details that only the operator may see. */
const runHandler =
  (log: Log, route: string, handle: Handler): RouterMiddleware =>
  async (ctx) => {
    logFieldsOf(ctx).route = route
    const outcome = await handle(ctx)
    if (E.isRight(outcome)) return writeReply(ctx, outcome.right)
    reportFailure(log, ctx.response.get('X-Request-Id'), outcome.left)
    writeReply(ctx, replyTo(ctx, outcome.left))
  }
