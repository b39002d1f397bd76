import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../../core/access/access.js'
import type { Actor, KeyPrincipal, Scope } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type IdempotencyKey, type InvalidIdempotencyKey, parseIdempotencyKey } from '../../core/messages/message.js'
import { type AuthenticateDeps, type AuthenticateError, makeAuthenticate } from './authenticate.js'
import type { Defect, Failures, HttpFailure, MethodNotAllowed, MissingScope } from './failures.js'
import type { Log } from './log.js'
import { failureResponses } from './openapi-failures.js'
import { type HeaderName, headerRefs, parameterRefs, type parameters as sharedParameters } from './openapi-headers.js'
import type { Responses, Schema } from './openapi-types.js'
import { type Handler, jsonContent, type Operation, type OperationInfo, pathParametersOf, queryParametersOf, type ServedParts, tagsOf } from './operation.js'
import { addressOf, inTurn, makeReadLimits, type ReadLimitsDeps } from './read-limits.js'
import { jsonReply, type Reply } from './reply.js'
import { BODY_FAILURES, bodyReader, contentOf, needsBody, type RequestBody } from './request-body.js'
import { requestLogOf, valuesOf } from './request.js'
import { type Codec, decode, fields, type FieldsOf, type NoFields, partsOf, type Shape } from './schema.js'

/** The content of a workspace's request. */
export type WorkspaceRequest<Parameters = NoFields, Body = undefined> = {
  readonly workspace: WorkspaceId
  /** For which API key it came. */
  readonly principal: KeyPrincipal
  /** Who acts: the API key, from the client's address. */
  readonly by: Actor
  /** The parameters of its path and query. */
  readonly parameters: Parameters
  readonly body: Body
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** By which the log names the request. */
  readonly requestId: string
  /** An object with the idempotency key, or an empty one. */
  readonly idempotency: { readonly idempotencyKey?: IdempotencyKey }
}

/** An operation for a workspace, whose requests carry an API key. It makes its replies itself. */
export type KeyedOperation<Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Ahead = undefined> = OperationInfo & {
  /** The optional part of the contract that it belongs to; without one it is always served. */
  readonly part?: keyof ServedParts
  /** The scope that its API key must have; without one any valid key will do. */
  readonly scope?: Scope
  readonly pathParameters?: Path
  readonly query?: Query
  readonly body?: RequestBody<Body>
  /** Whether it takes an `Idempotency-Key`. */
  readonly isIdempotent?: boolean
  /** Whether it gives a list, which may be long: not every key may read as many as it likes. */
  readonly isList?: true
  /** The shared parameters that it takes besides. */
  readonly parameters?: ReadonlyArray<keyof typeof sharedParameters>
  /** Its replies besides failures, and the schemas that they name. */
  readonly replies: Responses
  readonly definitions?: Readonly<Record<string, Schema>>
  /** The failures of `run`, besides `PortFailure`, which every operation of a workspace has. */
  readonly failures: Failures<Exclude<Failure, CommonFailure>>
  /**
   * Begins what `run` will read, while the key is still looked up, for the workspace that the key had when it was last valid. It is not called for a key that
   * is not remembered, so `run` gets `undefined` then.
   */
  readonly readAhead?: (deps: Deps, workspace: WorkspaceId, body: Body) => Ahead | undefined
  readonly run: (deps: Deps, request: WorkspaceRequest<FieldsOf<Path, Query>, Body>, log: Log, ahead: Ahead | undefined) => Promise<E.Either<Failure, Reply>>
}

/** How every operation of a workspace can fail. */
export type CommonFailure = AuthenticateError | MethodNotAllowed | Defect | Forbidden

/** `Forbidden` is the refusal of a scope by a use case, so it is described where the scope is. */
const COMMON: Failures<Exclude<CommonFailure, Forbidden>> = { UnknownApiKey: true, RateLimited: true, PortFailure: true, MethodNotAllowed: true, Defect: true }

/** Makes an operation for a workspace: it authenticates, reads the request and runs. */
export const keyedOperation = <
  Deps, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined, Ahead = undefined,
>(
  operation: KeyedOperation<Deps, Path, Query, Body, Failure, Ahead>,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> => {
  const { id, method, path, tag, summary, description, part, scope, pathParameters = {}, query = {}, body, isIdempotent = false } = operation
  const request = partsOf([...codecsOf(pathParameters), ...codecsOf(query), ...(body === undefined ? [] : [body.codec])])
  return {
    method, path, isVersioned: true, ...(part !== undefined && { part }), ...(scope !== undefined && { scope }), pathParameters, definitions: { ...request.definitions, ...operation.definitions },
    document: {
      operationId: id, tags: [tag], summary, description,
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
    handler: (deps, log) => handlerOf(operation, deps, log),
  }
}

/** The result of a request: a value and headers for the reply, or a failure. */
export type Outcome<Failure extends HttpFailure, View> = Promise<E.Either<Failure, Result<View>>>
type Result<View> = { readonly value: View; readonly headers?: Readonly<Partial<Record<HeaderName, string>>> }

/** An operation for a workspace whose reply is a JSON value. */
export type WorkspaceOperation<Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, View, Ahead = undefined> =
  Omit<KeyedOperation<Deps, Path, Query, Body, Failure, Ahead>, 'parameters' | 'replies' | 'definitions' | 'run'> & {
    readonly reply: {
      /** 200 if it is not given. */
      readonly status?: 200 | 201 | 202
      readonly description: string
      readonly codec: Codec<View>
      readonly example: NoInfer<View>
      readonly headers?: ReadonlyArray<HeaderName>
    }
    readonly run: (deps: Deps, request: WorkspaceRequest<FieldsOf<Path, Query>, Body>, ahead: Ahead | undefined) => Outcome<Failure, NoInfer<View>>
  }

/** Makes an operation for a workspace: it authenticates, reads the request, runs, and writes the reply. */
export const workspaceOperation = <
  Deps, View, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined,
  Ahead = undefined,
>(
  { reply: { status = 200, description, codec, example, headers = [] }, run, ...operation }: WorkspaceOperation<Deps, Path, Query, Body, Failure, View, Ahead>,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> =>
  keyedOperation<Deps, Failure, Path, Query, Body, Ahead>({
    ...operation,
    replies: { [status]: { description, headers: headerRefs(...headers), content: jsonContent(codec, example) } },
    definitions: codec.definitions,
    run: async (deps, request, _log, ahead) => {
      const result = await run(deps, request, ahead)
      return E.isLeft(result) ? result : E.right(jsonReply(status, result.right.value, result.right.headers))
    },
  })

const codecsOf = (shape: Shape): ReadonlyArray<Codec<unknown>> => Object.values(shape)

const handlerOf = <Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Ahead>(
  operation: KeyedOperation<Deps, Path, Query, Body, Failure, Ahead>, deps: Deps & AuthenticateDeps & ReadLimitsDeps, log: Log,
): Handler => {
  const { isIdempotent = false, isList = false, readAhead } = operation
  const { enterList } = deps.readLimits ?? makeReadLimits()
  const readParameters = parameterReader(operation.pathParameters, operation.query)
  const authenticate = makeAuthenticate(deps, { remembers: readAhead !== undefined })
  const readBody = bodyReader(operation.body)
  return async (ctx) => {
    const authentication = authenticate(ctx)
    const { lastWorkspace } = authentication
    const reading = readAhead && lastWorkspace && readBody(ctx).then((body) => ({ body, ahead: E.isRight(body) ? readAhead(deps, lastWorkspace, body.right) : undefined }))
    // If the key is refused, its answer does not wait for the body, whose defects are then of no interest.
    reading?.catch(() => undefined)
    const principal = await authentication.principal
    if (E.isLeft(principal)) return principal
    const { workspace } = principal.right
    requestLogOf(ctx).workspace = workspace
    const refused = missingScope(principal.right, operation.scope)
    if (refused !== undefined) return E.left(refused)
    const parameters = readParameters(ctx)
    if (E.isLeft(parameters)) return parameters
    const { body, ahead } = reading === undefined ? { body: await readBody(ctx), ahead: undefined } : await reading
    if (E.isLeft(body)) return body
    const idempotency = isIdempotent ? idempotencyOf(ctx) : E.right({})
    if (E.isLeft(idempotency)) return idempotency
    const run = () => operation.run(deps, {
      workspace, principal: principal.right, by: actorOf(principal.right, ctx, deps), parameters: parameters.right, body: body.right, idempotency: idempotency.right, headers: ctx.req.headers,
      requestId: ctx.response.get('X-Request-Id'),
    }, log, ahead)
    return isList ? inTurn(enterList(principal.right.key, addressOf(ctx.req, deps)), run) : run()
  }
}

const actorOf = (principal: KeyPrincipal, { req }: RouterContext, deps: ReadLimitsDeps): Actor => {
  const address = addressOf(req, deps)
  return { principal, ...(address !== undefined && { address }) }
}

const missingScope = ({ scopes }: KeyPrincipal, scope: Scope | undefined): MissingScope | undefined =>
  (scope === undefined || scopes.includes(scope) ? undefined : { _tag: 'MissingScope', scope })

const parameterReader = <Path extends Shape, Query extends Shape>(
  path: Path | undefined, query: Query | undefined,
): ((ctx: RouterContext) => E.Either<HttpFailure, FieldsOf<Path, Query>>) => {
  const codec = fields<Path, Query>(path, query)
  const without = decode(codec, {})
  if (path === undefined && query === undefined) return () => without
  return (ctx) => decode(codec, { ...given(ctx.query), ...ctx.params })
}

/** An empty query parameter counts as absent. */
const given = (query: RouterContext['query']): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

const idempotencyOf = (ctx: RouterContext): E.Either<InvalidIdempotencyKey, { readonly idempotencyKey?: IdempotencyKey }> => {
  const [text, ...more] = valuesOf(ctx.req, 'idempotency-key')
  if (text === undefined) return E.right({})
  if (more.length > 0) return E.left({ _tag: 'InvalidIdempotencyKey' })
  const key = parseIdempotencyKey(text)
  return E.isLeft(key) ? key : E.right({ idempotencyKey: key.right })
}
