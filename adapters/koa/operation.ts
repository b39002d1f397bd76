import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../../core/access/access.js'
import type { WindowClock } from '../../core/customers/window.js'
import type { Actor, KeyPrincipal, Scope } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MarkRead, OpenMedia } from '../../core/messages/conversation.js'
import { type IdempotencyKey, type InvalidIdempotencyKey, parseIdempotencyKey } from '../../core/messages/message.js'
import type { QuoteMessage } from '../../core/sending/quote.js'
import { type AuthenticateDeps, type AuthenticateError, type AuthenticateOptions, makeAuthenticate } from './authenticate.js'
import { BODY_FAILURES, bodyReader, contentOf, needsBody, type RequestBody } from './body.js'
import { addressOf, inTurn, makeReadLimits, type ReadLimitsDeps } from './limits.js'
import { failureResponses } from './openapi-failures.js'
import {
  type Content, type HeaderName, headerRefs, type Operation as DocumentedOperation, type Parameter, parameterRefs, type parameters as sharedParameters,
  type Response, type Responses, type Schema, type Verb,
} from './openapi-types.js'
import { discardBody, limitsOf } from './raw-body.js'
import { type Defect, type Failures, type FailureTag, type HttpFailure, type InvalidParameter, jsonReply, type MethodNotAllowed, type MissingScope, type Reply } from './reply.js'
import { type Log, valuesOf } from './request.js'
import { type Codec, decode, fields, type FieldsOf, type NoFields, partsOf, type Shape } from './schema.js'

/** The use cases of a conversation with a customer, except sends. */
export type Answering = { readonly markRead: MarkRead; readonly openMedia: OpenMedia }

/** The dependencies of the operations that answer a customer. */
export type AnsweringDeps = {
  /** Without it these operations do not exist. */
  readonly answering?: Answering
}

/** The use cases, for an app that serves their operations. */
export const requireAnswering = ({ answering }: AnsweringDeps): Answering => {
  if (answering === undefined) throw new TypeError('an operation that answers customers is served without its use cases')
  return answering
}

/** The dependencies of the quotes. */
export type QuotingDeps = {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Without it quotes do not exist. */
  readonly quote?: QuoteMessage
}

/** The use case, for an app that serves quotes. */
export const requireQuote = ({ quote }: QuotingDeps): QuoteMessage => {
  if (quote === undefined) throw new TypeError('a quote is served without its use case')
  return quote
}

/** Answers one request. */
export type Handler = (ctx: RouterContext) => Promise<E.Either<HttpFailure, Reply>>

/** Which optional parts of the contract an app serves; its document leaves out the others. */
export type ServedParts = {
  readonly answering: boolean
  readonly events: boolean
  readonly webhook: boolean
  readonly metrics: boolean
  readonly quoting: boolean
  readonly templates: boolean
  readonly files: boolean
  readonly pages: boolean
}

/** The name, the address and the purpose of an operation. */
export type OperationInfo = {
  readonly id: string
  readonly method: Verb
  /** In the form of the document, such as `/messages/{id}`. */
  readonly path: string
  readonly tag: 'Sending' | 'Answering' | 'Reading' | 'Events' | 'Platform' | 'Operations'
  readonly summary: string
  readonly description: string
}

/** One operation of the contract: its documentation and its handler. */
export type Operation<Deps> = {
  readonly method: OperationInfo['method']
  readonly path: string
  /** Whether it is below `/v1` and `/api/v1`, or at the root. */
  readonly isVersioned: boolean
  /** Whether its requests are limited by `limitDocuments`. */
  readonly isLimited?: boolean
  /** The optional part it belongs to; without one it is always served. */
  readonly part?: keyof ServedParts
  /** The scope that the API key of its requests must have; none if any key is enough, or if no key is needed. */
  readonly scope?: Scope
  readonly document: DocumentedOperation
  readonly definitions: Readonly<Record<string, Schema>>
  /** The codecs of the parameters in its path. A path with a value of another form does not match this operation. */
  readonly pathParameters: Shape
  readonly handler: (deps: Deps, log: Log) => Handler
  /** Answers the same requests if they are a part of another request; only operations for a workspace have it. */
  readonly inner?: (deps: Deps, log: Log) => InnerHandler
}

/** A request inside another request, which contained the key. Nothing of it is checked yet. */
export type InnerRequest = {
  readonly principal: KeyPrincipal
  readonly by: Actor
  /** The parameters of its path and query. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly idempotencyKey?: IdempotencyKey
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
}

/** Answers one request of a workspace that arrived inside another one. */
export type InnerHandler = (request: InnerRequest) => Promise<E.Either<HttpFailure, Reply>>

/** An operation at the root, which takes no API key. */
export type RootOperation<Deps, Failure extends HttpFailure> = OperationInfo & {
  readonly part?: keyof ServedParts
  readonly parameters?: ReadonlyArray<Parameter>
  readonly pathParameters?: Shape
  readonly requestBody?: DocumentedOperation['requestBody']
  readonly replies: Responses
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly failures: Failures<Failure>
  /** Whether it is one of the documents, whose reads are limited for each client. */
  readonly isLimited?: true
  readonly handler: (deps: Deps, log: Log) => (ctx: RouterContext) => Promise<E.Either<Failure, Reply>>
}

/** Creates an operation at the root. Any other method is answered with 405. */
export const rootOperation = <Deps, Failure extends HttpFailure>(root: RootOperation<Deps, Failure>): Operation<Deps> => {
  const { id, method, path, tag, summary, description, part, parameters = [], pathParameters = {}, requestBody, replies, definitions = {}, failures, isLimited = false, handler } = root
  return {
    method, path, isVersioned: false, definitions, pathParameters, isLimited, handler,
    ...(part !== undefined && { part }),
    document: {
      operationId: id, tags: [tag], summary, description, security: [],
      parameters: [...pathParametersOf(pathParameters), ...parameters, ...parameterRefs()],
      ...(requestBody && { requestBody }),
      responses: { ...replies, ...failureResponses([...tagsOf(failures), ...(isLimited ? ['TooManyRequests' as const] : []), 'MethodNotAllowed']) },
    },
  }
}

export const tagsOf = (failures: Readonly<Partial<Record<FailureTag, true>>>): ReadonlyArray<FailureTag> => Object.keys(failures) as ReadonlyArray<FailureTag>

/** The documentation of parameters in the path. */
export const pathParametersOf = (shape: Shape): ReadonlyArray<Parameter> => parametersOf(shape, { in: 'path', required: true })

/** The documentation of parameters in the query. */
export const queryParametersOf = (shape: Shape): ReadonlyArray<Parameter> => parametersOf(shape, { in: 'query' })

const parametersOf = (shape: Shape, where: Pick<Parameter, 'in' | 'required'>): ReadonlyArray<Parameter> =>
  Object.entries(shape).map(([name, { schema }]: readonly [string, Codec<unknown>]) => {
    const { description = '', ...rest } = schema
    return { name, ...where, ...(rest.type === 'array' && { explode: false }), ...(rest.type === 'object' && { style: 'deepObject', explode: true }), description, schema: rest }
  })

/** The documentation of a reply that is not an `HttpFailure`. */
export const responseOf = (description: string, content: Content): Response => ({ description, headers: headerRefs(), content })

/** The documentation of a JSON body. */
export const jsonContent = <A>({ schema }: Codec<A>, example: NoInfer<A>): Content =>
  ({ 'application/json': { schema, examples: { reply: { value: example } } } })

/** The documentation of a text body. */
export const textContent = (type: string, description: string): Content => ({ [type]: { schema: { type: 'string', description } } })

/** The content of a workspace's request. */
export type WorkspaceRequest<Parameters = NoFields, Body = undefined> = {
  readonly workspace: WorkspaceId
  /** The API key of the request. */
  readonly principal: KeyPrincipal
  /** The actor: the API key, from the client's address. */
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

/** An operation for a workspace, whose requests contain an API key. It creates its replies itself. */
export type KeyedOperation<Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched = undefined> = OperationInfo & {
  /** The optional part of the contract that it belongs to; without one it is always served. */
  readonly part?: keyof ServedParts
  /** The scope that its API key must have; without one any valid key is enough. */
  readonly scope?: Scope
  readonly pathParameters?: Path
  readonly query?: Query
  readonly body?: RequestBody<Body>
  /** Whether it accepts an `Idempotency-Key`. */
  readonly isIdempotent?: boolean
  /** Whether it returns a list, which may be long: the reads of each key are limited. */
  readonly isList?: true
  /** The shared parameters that it also accepts. */
  readonly parameters?: ReadonlyArray<keyof typeof sharedParameters>
  /** Its replies other than failures, and the schemas that they refer to. */
  readonly replies: Responses
  readonly definitions?: Readonly<Record<string, Schema>>
  /** The failures of `run`, in addition to `PortFailure`, which every operation of a workspace has. */
  readonly failures: Failures<Exclude<Failure, CommonFailure>>
  /**
   * Starts to read data for `run` while the key is still looked up, for the workspace that the key had when it was last valid. It is not called if the key is not
   * remembered; `run` then gets `undefined`.
   */
  readonly prefetch?: (deps: Deps, workspace: WorkspaceId, body: Body) => Prefetched | undefined
  readonly run: (deps: Deps, request: WorkspaceRequest<FieldsOf<Path, Query>, Body>, log: Log, prefetched: Prefetched | undefined) => Promise<E.Either<Failure, Reply>>
}

/** How every operation of a workspace can fail. */
export type CommonFailure = AuthenticateError | MethodNotAllowed | Defect | Forbidden

/** `Forbidden` is the refusal of a scope by a use case, so it is described together with the scope. */
const COMMON: Failures<Exclude<CommonFailure, Forbidden>> = { UnknownApiKey: true, RateLimited: true, PortFailure: true, MethodNotAllowed: true, Defect: true }

/** Creates an operation for a workspace: it authenticates, reads the request and runs. */
export const keyedOperation = <
  Deps, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined, Prefetched = undefined,
>(
  operation: KeyedOperation<Deps, Path, Query, Body, Failure, Prefetched>,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> => {
  const { id, method, path, tag, summary, description, part, scope, pathParameters = {}, query = {}, body, isIdempotent = false } = operation
  const request = partsOf([...codecsOf(pathParameters), ...codecsOf(query), ...(body === undefined ? [] : [body.codec, ...(body.fileForm ? [body.fileForm.codec] : [])])])
  return {
    method, path, isVersioned: true, ...(part !== undefined && { part }), ...(scope !== undefined && { scope }), pathParameters, definitions: { ...request.definitions, ...operation.definitions },
    document: {
      operationId: id, tags: [tag], summary, description, ...(scope !== undefined && { security: [{ apiKey: [scope] }] }),
      parameters: [
        ...pathParametersOf(pathParameters), ...queryParametersOf(query),
        ...parameterRefs(...(operation.parameters ?? []), ...(isIdempotent ? ['idempotencyKey' as const] : [])),
      ],
      ...(body && { requestBody: { required: needsBody(body), content: contentOf(body) } }),
      responses: {
        ...operation.replies,
        ...failureResponses([
          ...tagsOf(COMMON),
          ...(operation.isList === true ? ['TooManyRequests' as const] : []),
          ...(scope === undefined ? [] : ['MissingScope' as const]),
          ...request.refusals.map(({ _tag }) => _tag),
          ...(Object.keys(query).length > 0 ? ['InvalidParameter' as const] : []),
          ...(body === undefined ? [] : tagsOf(BODY_FAILURES)),
          ...(body !== undefined && needsBody(body) ? ['MissingParameters' as const] : []),
          ...(isIdempotent ? ['InvalidIdempotencyKey' as const] : []),
          ...tagsOf(operation.failures),
        ]),
      },
    },
    handler: (deps, log) => keyedHandler(operation, deps, log),
    inner: (deps, log) => innerHandler(operation, deps, log),
  }
}

/** The result of a request: a value and headers for the reply, or a failure. */
export type Outcome<Failure extends HttpFailure, View> = Promise<E.Either<Failure, Result<View>>>
type Result<View> = { readonly value: View; readonly headers?: Readonly<Partial<Record<HeaderName, string>>> }

/** An operation for a workspace whose reply is a JSON value. */
export type WorkspaceOperation<Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, View, Prefetched = undefined> =
  Omit<KeyedOperation<Deps, Path, Query, Body, Failure, Prefetched>, 'parameters' | 'replies' | 'definitions' | 'run'> & {
    readonly reply: {
      /** 200 if it is not given. */
      readonly status?: 200 | 201 | 202
      readonly description: string
      readonly codec: Codec<View>
      readonly example: NoInfer<View>
      readonly headers?: ReadonlyArray<HeaderName>
    }
    readonly run: (deps: Deps, request: WorkspaceRequest<FieldsOf<Path, Query>, Body>, prefetched: Prefetched | undefined) => Outcome<Failure, NoInfer<View>>
  }

/** Creates an operation for a workspace: it authenticates, reads the request, runs, and writes the reply. */
export const workspaceOperation = <
  Deps, View, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined,
  Prefetched = undefined,
>(
  { reply: { status = 200, description, codec, example, headers = [] }, run, ...operation }: WorkspaceOperation<Deps, Path, Query, Body, Failure, View, Prefetched>,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> =>
  keyedOperation<Deps, Failure, Path, Query, Body, Prefetched>({
    ...operation,
    replies: { [status]: { description, headers: headerRefs(...headers), content: jsonContent(codec, example) } },
    definitions: codec.definitions,
    run: async (deps, request, _log, prefetched) => {
      const result = await run(deps, request, prefetched)
      return E.isLeft(result) ? result : E.right(jsonReply(status, result.right.value, result.right.headers))
    },
  })

const codecsOf = (shape: Shape): ReadonlyArray<Codec<unknown>> => Object.values(shape)

/** The requirements for answering the requests of a workspace, without the documentation. */
export type KeyedSteps<Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched> =
  Pick<KeyedOperation<Deps, Path, Query, Body, Failure, Prefetched>, 'scope' | 'pathParameters' | 'query' | 'isIdempotent' | 'isList' | 'prefetch' | 'run'>
  & Pick<AuthenticateOptions, 'keyInQuery'> & { readonly body?: Omit<RequestBody<Body>, 'examples'> }

/** Creates the handler of such requests: it authenticates, reads the request and runs. */
export const keyedHandler = <Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched>(
  operation: KeyedSteps<Deps, Path, Query, Body, Failure, Prefetched>, deps: Deps & AuthenticateDeps & ReadLimitsDeps, log: Log,
): Handler => {
  const { isIdempotent = false, isList = false, keyInQuery = false, prefetch } = operation
  const { enterList } = deps.readLimits ?? makeReadLimits()
  // Programs add parameters of their own to requests of the platform, which ignores them.
  const readParameters = parameterReader(operation.pathParameters, operation.query, isList && (keyInQuery ? 'ignores unknown' : 'refuses unknown'))
  const authenticate = makeAuthenticate(deps, { remembers: prefetch !== undefined, keyInQuery })
  const readBody = bodyReader(operation.body)
  const handle = async (ctx: RouterContext): ReturnType<Handler> => {
    const authentication = authenticate(ctx)
    const { lastWorkspace } = authentication
    if (operation.body !== undefined && lastWorkspace !== undefined) limitsOf(ctx).memory.belongTo(lastWorkspace)
    const reading = prefetch && lastWorkspace && readBody(ctx).then((body) => ({ body, prefetched: E.isRight(body) ? prefetch(deps, lastWorkspace, body.right) : undefined }))
    // If the key is refused, the reply does not wait for the body, whose faults no longer matter then.
    reading?.catch(() => undefined)
    const principal = await authentication.principal
    if (E.isLeft(principal)) return principal
    const { workspace } = principal.right
    if (operation.body !== undefined) limitsOf(ctx).memory.belongTo(workspace)
    const refused = missingScope(principal.right, operation.scope)
    if (refused !== undefined) return E.left(refused)
    const parameters = readParameters(ctx.query, ctx.params)
    if (E.isLeft(parameters)) return parameters
    const { body, prefetched } = reading === undefined ? { body: await readBody(ctx), prefetched: undefined } : await reading
    if (E.isLeft(body)) return body
    const idempotency = isIdempotent ? idempotencyOf(ctx) : E.right({})
    if (E.isLeft(idempotency)) return idempotency
    const run = () => operation.run(deps, {
      workspace, principal: principal.right, by: actorOf(principal.right, ctx, deps), parameters: parameters.right, body: body.right, idempotency: idempotency.right, headers: ctx.req.headers,
      requestId: ctx.response.get('X-Request-Id'),
    }, log, prefetched)
    return isList ? inTurn(enterList(principal.right.key, addressOf(ctx.req, deps)), run) : run()
  }
  if (operation.body?.fileForm === undefined) return handle
  return async (ctx) => {
    try {
      return await handle(ctx)
    } finally {
      // Otherwise the unread rest of a file would precede the next request of the connection.
      discardBody(ctx)
    }
  }
}

/** Creates the handler of such requests inside another one: it makes all checks of the other handler except for the key. It reads nothing early. */
const innerHandler = <Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched>(
  operation: KeyedSteps<Deps, Path, Query, Body, Failure, Prefetched>, deps: Deps & AuthenticateDeps & ReadLimitsDeps, log: Log,
): InnerHandler => {
  const { enterList } = deps.readLimits ?? makeReadLimits()
  const readParameters = parameterReader(operation.pathParameters, operation.query, operation.isList === true && 'refuses unknown')
  return async ({ principal, by, idempotencyKey, ...request }) => {
    const refused = missingScope(principal, operation.scope)
    if (refused !== undefined) return E.left(refused)
    const parameters = readParameters(request.parameters, {})
    if (E.isLeft(parameters)) return parameters
    const body = operation.body === undefined ? E.right(undefined as Body) : decode(operation.body.codec, request.body)
    if (E.isLeft(body)) return body
    const run = () => operation.run(deps, {
      ...request, workspace: principal.workspace, principal, by, parameters: parameters.right, body: body.right, idempotency: idempotencyKey === undefined ? {} : { idempotencyKey },
    }, log, undefined)
    return operation.isList === true ? inTurn(enterList(principal.key, by.address), run) : run()
  }
}

export const actorOf = (principal: KeyPrincipal, { req }: RouterContext, deps: ReadLimitsDeps): Actor => {
  const address = addressOf(req, deps)
  return { principal, ...(address !== undefined && { address }) }
}

/** The refusal of a key without a scope. */
export const missingScope = ({ scopes }: KeyPrincipal, scope: Scope | undefined): MissingScope | undefined =>
  (scope === undefined || scopes.includes(scope) ? undefined : { _tag: 'MissingScope', scope })

/** How a list handles an unknown parameter. */
type ListRule = 'refuses unknown' | 'ignores unknown'

const parameterReader = <Path extends Shape, Query extends Shape>(
  path: Path | undefined, query: Query | undefined, list: ListRule | false,
): ((given: Readonly<Record<string, unknown>>, inPath: Readonly<Record<string, unknown>>) => E.Either<HttpFailure, FieldsOf<Path, Query>>) => {
  const codec = fields<Path, Query>(path, query)
  const without = decode(codec, {})
  if (path === undefined && query === undefined && list === false) return () => without
  const schemas = Object.entries(query ?? {}).map(([name, { schema }]: readonly [string, Codec<unknown>]) => ({ name, ...schema }))
  const objects = schemas.filter(({ type }) => type === 'object').map(({ name }) => name)
  const refused = schemas.filter(({ not }) => not !== undefined).map(({ name }) => name)
  const faultOf = list === false ? () => undefined : listFault(list, { names: schemas.map(({ name }) => name), objects, refused, inPath: Object.keys(path ?? {}) })
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
const listFault = (rule: ListRule, { names, objects, refused, inPath }: Readonly<Record<'names' | 'objects' | 'refused' | 'inPath', ReadonlyArray<string>>>) => {
  const known = names.filter((name) => !refused.includes(name)).map((name) => (objects.includes(name) ? `${name}.<key>` : name))
  const taken = known.length === 0 ? 'this list takes none' : `this list takes ${known.join(', ')}`
  return (given: Readonly<Record<string, unknown>>): InvalidParameter | undefined => {
    const entries = Object.entries(given).filter(([name]) => !inPath.includes(name) && !isOf(objects, name))
    const unknown = entries.find(([name]) => !names.includes(name) && (rule === 'refuses unknown' || names.includes(name.replace(/\[.*$/s, ''))))
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
