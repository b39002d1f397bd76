import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Act, Actor, Principal } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type IdempotencyKey, type InvalidIdempotencyKey, parseIdempotencyKey } from '../../core/messages/message.js'
import { bodyReader, type RequestBody } from './body.js'
import { addressOf, inTurn, makeReadLimits, type ReadLimitsDeps } from './limits.js'
import { discardLines } from './lines-body.js'
import { discardBody, limitsOf } from './raw-body.js'
import type { HttpFailure, InvalidParameter, Reply } from './reply.js'
import { type Log, valuesOf } from './request.js'
import { type Codec, decode, fields, type FieldsOf, type NoFields, type Shape } from './schema.js'

/** Answers one request. */
export type Handler = (ctx: RouterContext) => Promise<E.Either<HttpFailure, Reply>>

/** A request whose caller is being looked up. */
export type Authentication<Caller> = {
  /** The workspace that the caller had when it was last valid. It is a guess, for which reads may start early; no answer depends on it. */
  readonly lastWorkspace: WorkspaceId | undefined
  /** The caller, if it is valid and within its rate limit. */
  readonly principal: Promise<E.Either<HttpFailure, Caller>>
}

/** Starts the authentication of a request. */
export type Authenticate<Caller> = (ctx: Context) => Authentication<Caller>

/** How keys are accepted: whether the last workspace of each is remembered, and whether a key may be sent as `access_token` in the query. */
export type AuthenticateOptions = { readonly remembers: boolean; readonly keyInQuery?: boolean }

/** The callers of one kind, such as the API keys of workspaces: how a request shows which caller it is from, and what the caller may do. */
export type CallerKind<Deps, Caller extends Principal, Facts> = {
  /** Creates the function that finds the caller of a request. */
  readonly makeAuthenticate: (deps: Deps, options: AuthenticateOptions) => Authenticate<Caller>
  /** Why a caller may not do an act; `undefined` if it may. Without an act, every caller is allowed. */
  readonly refusal: (caller: Caller, act: Act | undefined) => HttpFailure | undefined
  /** The name under which the caller's reads of lists are limited. */
  readonly readerOf: (caller: Caller) => string
  /** The owner of the memory that the caller's bodies use. */
  readonly ownerOf: (caller: Caller) => string
  /** What a request contains about its caller in addition to the principal. */
  readonly factsOf: (caller: Caller) => Facts
}

/** The content of a request of a caller. */
export type CallerRequest<Caller, Facts, Parameters = NoFields, Body = undefined> = Facts & {
  readonly principal: Caller
  /** The actor: the principal, from the client's address. */
  readonly by: Actor
  /** The parameters of its path and query. */
  readonly parameters: Parameters
  readonly body: Body
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The id of the request in the log. */
  readonly requestId: string
  /** An object with the idempotency key, or an empty one. */
  readonly idempotency: { readonly idempotencyKey?: IdempotencyKey }
}

/** What the pipeline needs to answer the requests of an operation. */
export type Steps<Deps, Caller, Facts, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched> = Pick<
  AuthenticateOptions, 'keyInQuery'
> & {
  /** The act that its caller must be allowed to do; without one any valid caller is enough. */
  readonly act?: Act
  readonly pathParameters?: Path
  readonly query?: Query
  readonly body?: Omit<RequestBody<Body>, 'examples'>
  /** Whether it accepts an `Idempotency-Key`. */
  readonly isIdempotent?: boolean
  /** Whether it returns a list, which may be long: the reads of each caller are limited. */
  readonly isList?: true
  /**
   * Starts to read data for `run` while the caller is still looked up, for the workspace that the caller had when it was last valid. It is not called if the caller is not
   * remembered; `run` then gets `undefined`. `inPath` contains the values in the path, which are not checked yet.
   */
  readonly prefetch?: (
    deps: Deps, workspace: WorkspaceId, body: Body, inPath: Readonly<Record<string, string | undefined>>,
  ) => Prefetched | undefined
  readonly run: (
    deps: Deps, request: CallerRequest<Caller, Facts, FieldsOf<Path, Query>, Body>, log: Log, prefetched: Prefetched | undefined,
  ) => Promise<E.Either<Failure, Reply>>
}

/** Creates the handler of an operation: it authenticates, checks the act, reads the request and runs. */
export const makeHandler = <
  KindDeps, Caller extends Principal, Facts, Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched,
>(
  kind: CallerKind<KindDeps, Caller, Facts>, operation: Steps<Deps, Caller, Facts, Path, Query, Body, Failure, Prefetched>,
  deps: Deps & KindDeps & ReadLimitsDeps, log: Log,
): Handler => {
  const { act, isIdempotent = false, isList = false, keyInQuery = false, prefetch } = operation
  const { enterList } = deps.readLimits ?? makeReadLimits()
  // Programs add parameters of their own to requests of the platform, which ignores them.
  const readParameters = parameterReader(
    operation.pathParameters, operation.query, isList && (keyInQuery ? 'ignores unknown' : 'refuses unknown'),
  )
  const authenticate = kind.makeAuthenticate(deps, { remembers: prefetch !== undefined, keyInQuery })
  const readBody = bodyReader(operation.body)
  const handle = async (ctx: RouterContext): ReturnType<Handler> => {
    const authentication = authenticate(ctx)
    const { lastWorkspace } = authentication
    if (operation.body !== undefined && lastWorkspace !== undefined) limitsOf(ctx).memory.belongTo(lastWorkspace)
    const reading = prefetch && lastWorkspace
      && readBody(ctx).then((body) =>
        ({ body, prefetched: E.isRight(body) ? prefetch(deps, lastWorkspace, body.right, ctx.params) : undefined }))
    // If the caller is refused, the reply does not wait for the body, whose faults no longer matter then.
    reading?.catch(() => undefined)
    const principal = await authentication.principal
    if (E.isLeft(principal)) return principal
    const caller = principal.right
    if (operation.body !== undefined) limitsOf(ctx).memory.belongTo(kind.ownerOf(caller))
    const refused = kind.refusal(caller, act)
    if (refused !== undefined) return E.left(refused)
    const parameters = readParameters(ctx.query, ctx.params)
    if (E.isLeft(parameters)) return parameters
    const { body, prefetched } = reading === undefined ? { body: await readBody(ctx), prefetched: undefined } : await reading
    if (E.isLeft(body)) return body
    const idempotency = isIdempotent ? idempotencyOf(ctx) : E.right({})
    if (E.isLeft(idempotency)) return idempotency
    const run = () => operation.run(deps, {
      ...kind.factsOf(caller), principal: caller, by: actorOf(caller, ctx, deps), parameters: parameters.right, body: body.right,
      idempotency: idempotency.right, headers: ctx.req.headers, requestId: ctx.response.get('X-Request-Id'),
    }, log, prefetched)
    return isList ? inTurn(enterList(kind.readerOf(caller), addressOf(ctx.req, deps)), run) : run()
  }
  const { fileForm, isLines = false } = operation.body ?? {}
  if (fileForm === undefined && !isLines) return handle
  return async (ctx) => {
    try {
      return await handle(ctx)
    } finally {
      // Otherwise the unread rest of a file would precede the next request of the connection.
      if (isLines) discardLines(ctx)
      else discardBody(ctx)
    }
  }
}

/** A request inside another request, which contained the caller. Nothing of it is checked yet. */
export type InnerRequest<Caller> = {
  readonly principal: Caller
  readonly by: Actor
  /** The parameters of its path and query. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly idempotencyKey?: IdempotencyKey
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
}

/** Answers one request that arrived inside another one. */
export type InnerHandler<Caller> = (request: InnerRequest<Caller>) => Promise<E.Either<HttpFailure, Reply>>

/** Creates the handler of such requests inside another one: it makes all checks of the other handler except for the caller. It reads nothing early. */
export const makeInnerHandler = <
  KindDeps, Caller extends Principal, Facts, Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched,
>(
  kind: CallerKind<KindDeps, Caller, Facts>, operation: Steps<Deps, Caller, Facts, Path, Query, Body, Failure, Prefetched>,
  deps: Deps & ReadLimitsDeps, log: Log,
): InnerHandler<Caller> => {
  const { enterList } = deps.readLimits ?? makeReadLimits()
  const readParameters = parameterReader(operation.pathParameters, operation.query, operation.isList === true && 'refuses unknown')
  return async ({ principal, by, idempotencyKey, ...request }) => {
    const refused = kind.refusal(principal, operation.act)
    if (refused !== undefined) return E.left(refused)
    const parameters = readParameters(request.parameters, {})
    if (E.isLeft(parameters)) return parameters
    const body = operation.body === undefined ? E.right(undefined as Body) : decode(operation.body.codec, request.body)
    if (E.isLeft(body)) return body
    const run = () => operation.run(deps, {
      ...kind.factsOf(principal), ...request, principal, by, parameters: parameters.right, body: body.right,
      idempotency: idempotencyKey === undefined ? {} : { idempotencyKey },
    }, log, undefined)
    return operation.isList === true ? inTurn(enterList(kind.readerOf(principal), by.address), run) : run()
  }
}

/** The actor of a request. */
export const actorOf = (principal: Principal, { req }: RouterContext, deps: ReadLimitsDeps): Actor => {
  const address = addressOf(req, deps)
  return { principal, ...(address !== undefined && { address }) }
}

/** How a list handles an unknown parameter. */
type ListRule = 'refuses unknown' | 'ignores unknown'

const parameterReader = <Path extends Shape, Query extends Shape>(
  path: Path | undefined, query: Query | undefined, list: ListRule | false,
): ((
  given: Readonly<Record<string, unknown>>, inPath: Readonly<Record<string, unknown>>,
) => E.Either<HttpFailure, FieldsOf<Path, Query>>) => {
  const codec = fields<Path, Query>(path, query)
  const without = decode(codec, {})
  if (path === undefined && query === undefined && list === false) return () => without
  const schemas = Object.entries(query ?? {}).map(([name, { schema }]: readonly [string, Codec<unknown>]) => ({ name, ...schema }))
  const objects = schemas.filter(({ type }) => type === 'object').map(({ name }) => name)
  const refused = schemas.filter(({ not }) => not !== undefined).map(({ name }) => name)
  const faultOf = list === false
    ? () => undefined
    : listFault(list, { names: schemas.map(({ name }) => name), objects, refused, inPath: Object.keys(path ?? {}) })
  return (given, inPath) => {
    const fault = faultOf(given)
    if (fault !== undefined) return E.left(fault)
    const parameters = withoutEmpty(given, objects)
    return decode(codec, { ...parameters, ...objectsIn(parameters, objects), ...inPath })
  }
}

/**
 * Parameters that are not filters, and may be empty, for example in the first request of a loop. Any other parameter of a list is a filter. If a filter were
 * ignored, the list would contain unwanted items.
 */
const PAGING: ReadonlyArray<string> = ['limit', 'cursor', 'after', 'before', 'fields']

const isOf = (objects: ReadonlyArray<string>, given: string): boolean =>
  objects.some((name) => given.startsWith(`${name}.`) || (given.startsWith(`${name}[`) && given.endsWith(']')))

/** Creates the function that finds the first parameter of a list that is unknown or an empty filter, and lists the valid parameters. */
const listFault = (
  rule: ListRule, { names, objects, refused, inPath }: Readonly<Record<'names' | 'objects' | 'refused' | 'inPath', ReadonlyArray<string>>>,
) => {
  const known = names.filter((name) => !refused.includes(name)).map((name) => (objects.includes(name) ? `${name}.<key>` : name))
  const taken = known.length === 0 ? 'this list takes none' : `this list takes ${known.join(', ')}`
  return (given: Readonly<Record<string, unknown>>): InvalidParameter | undefined => {
    const entries = Object.entries(given).filter(([name]) => !inPath.includes(name) && !isOf(objects, name))
    const unknown = entries.find(([name]) =>
      !names.includes(name) && (rule === 'refuses unknown' || names.includes(name.replace(/\[.*$/s, ''))))
    if (unknown !== undefined) return { _tag: 'InvalidParameter', sentence: `${shown(unknown[0])} is not a known parameter; ${taken}` }
    const empty = entries.find(([name, value]) => value === '' && names.includes(name) && !PAGING.includes(name))
    return empty && { _tag: 'InvalidParameter', sentence: `${empty[0]} must not be empty; leave it out to list all. ${taken.replace('this', 'This')}` }
  }
}

/** A caller may write any text as the name of a parameter. */
const shown = (name: string): string => (/^[\w.[\]-]{1,40}$/.test(name) ? name : 'One of them')

/** The parameters that are objects, from `name.key=value` and `name[key]=value`. */
const objectsIn = (parameters: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.flatMap((name) => {
    const entries = Object.entries(parameters).flatMap(([given, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (given.startsWith(`${name}.`)) return [[given.slice(name.length + 1), value]]
      return given.startsWith(`${name}[`) && given.endsWith(']') ? [[given.slice(name.length + 1, -1), value]] : []
    })
    return entries.length === 0 ? [] : [[name, Object.fromEntries(entries)]]
  }))

/** An empty query parameter counts as absent, except an entry of an object, whose value may be empty. */
const withoutEmpty = (query: Readonly<Record<string, unknown>>, objects: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== '' || isOf(objects, name)))

const idempotencyOf = (ctx: RouterContext): E.Either<InvalidIdempotencyKey, { readonly idempotencyKey?: IdempotencyKey }> => {
  const [text, ...more] = valuesOf(ctx.req, 'idempotency-key')
  if (text === undefined) return E.right({})
  if (more.length > 0) return E.left({ _tag: 'InvalidIdempotencyKey' })
  const key = parseIdempotencyKey(text)
  return E.isLeft(key) ? key : E.right({ idempotencyKey: key.right })
}
