import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../../core/access/access.js'
import type { Act, KeyPrincipal } from '../../core/kernel/actor.js'
import type { Api } from '../../core/api.js'
import { type AuthenticateDeps, type AuthenticateError, scopeOf, WORKSPACE_KEYS, type WorkspaceFacts } from './authenticate.js'
import { BODY_FAILURES, contentOf, LINES_FAILURES, needsBody, type RequestBody } from './body.js'
import { jsonContent, pathParametersOf, queryParametersOf, tagsOf } from './document.js'
import type { ReadLimitsDeps } from './limits.js'
import { failureResponses } from './openapi-failures.js'
import {
  type HeaderName, headerRefs, type Operation as DocumentedOperation, type Parameter, parameterRefs, type parameters as sharedParameters,
  type Responses, type Schema, type Verb,
} from './openapi-types.js'
import { type CallerRequest, type Handler, type InnerHandler, makeHandler, makeInnerHandler, type Steps } from './pipeline.js'
import { type Defect, type Failures, type HttpFailure, jsonReply, type MethodNotAllowed, type Reply } from './reply.js'
import type { Log } from './request.js'
import { type Codec, type FieldsOf, type NoFields, partsOf, type Shape } from './schema.js'

/** Which optional parts of the contract an app serves; its document leaves out the others. */
export type ServedParts = {
  readonly answering: boolean
  readonly batches: boolean
  readonly events: boolean
  readonly webhook: boolean
  readonly appWebhooks: boolean
  readonly metrics: boolean
  readonly quoting: boolean
  readonly templates: boolean
  readonly templateResults: boolean
  readonly senders: boolean
  readonly files: boolean
  readonly pages: boolean
  readonly queue: boolean
  readonly consent: boolean
}

/** What every operation of a workspace gets: the use cases, by group. */
export type UseCases = { readonly postern: Api }

/** A use case of an optional part, for an app that serves the part. */
export const served = <UseCase>(useCase: UseCase | undefined): UseCase => {
  if (useCase === undefined) throw new TypeError('an operation is served without its use case')
  return useCase
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
  /** The act that the caller of its requests must be allowed to do; none if any caller is enough, or if none is needed. */
  readonly act?: Act
  readonly document: DocumentedOperation
  readonly definitions: Readonly<Record<string, Schema>>
  /** The codecs of the parameters in its path. A path with a value of another form does not match this operation. */
  readonly pathParameters: Shape
  readonly handler: (deps: Deps, log: Log) => Handler
  /** Answers the same requests if they are a part of another request; only operations for a workspace have it. */
  readonly inner?: (deps: Deps, log: Log) => InnerHandler<KeyPrincipal>
}

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
  const {
    id, method, path, tag, summary, description, part, parameters = [], pathParameters = {}, requestBody, replies, definitions = {},
    failures, isLimited = false, handler,
  } = root
  return {
    method, path, isVersioned: false, definitions, pathParameters, isLimited, handler,
    ...(part !== undefined && { part }),
    document: {
      operationId: id, tags: [tag], summary, description, security: [],
      parameters: [...pathParametersOf(pathParameters), ...parameters, ...parameterRefs()],
      ...(requestBody && { requestBody }),
      responses: {
        ...replies, ...failureResponses([...tagsOf(failures), ...(isLimited ? ['TooManyRequests' as const] : []), 'MethodNotAllowed']),
      },
    },
  }
}

/** The content of a workspace's request. */
export type WorkspaceRequest<Parameters = NoFields, Body = undefined> = CallerRequest<KeyPrincipal, WorkspaceFacts, Parameters, Body>

/** An operation for a workspace, whose requests contain an API key. It creates its replies itself. */
export type KeyedOperation<
  Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, Prefetched = undefined,
> = OperationInfo &
  Omit<Steps<Deps, KeyPrincipal, WorkspaceFacts, Path, Query, Body, Failure, Prefetched>, 'body' | 'keyInQuery'> & {
    /** The optional part of the contract that it belongs to; without one it is always served. */
    readonly part?: keyof ServedParts
    readonly body?: RequestBody<Body>
    /** The shared parameters that it also accepts. */
    readonly parameters?: ReadonlyArray<keyof typeof sharedParameters>
    /** Its replies other than failures, and the schemas that they refer to. */
    readonly replies: Responses
    readonly definitions?: Readonly<Record<string, Schema>>
    /** The failures of `run`, in addition to `PortFailure`, which every operation of a workspace has. */
    readonly failures: Failures<Exclude<Failure, CommonFailure>>
  }

/** How every operation of a workspace can fail. */
export type CommonFailure = AuthenticateError | MethodNotAllowed | Defect | Forbidden

/** `Forbidden` is the refusal of a scope by a use case, so it is described together with the scope. */
const COMMON: Failures<Exclude<CommonFailure, Forbidden>> = {
  UnknownApiKey: true, RateLimited: true, PortFailure: true, MethodNotAllowed: true, Defect: true,
}

/** Creates an operation for a workspace: it authenticates, reads the request and runs. */
export const keyedOperation = <
  Deps, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined,
  Prefetched = undefined,
>(
  operation: KeyedOperation<Deps, Path, Query, Body, Failure, Prefetched>,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> => {
  const { id, method, path, tag, summary, description, part, act, pathParameters = {}, query = {}, body, isIdempotent = false } = operation
  const scope = scopeOf(act)
  const request = partsOf([
    ...codecsOf(pathParameters), ...codecsOf(query),
    ...(body === undefined ? [] : [body.codec, ...(body.fileForm ? [body.fileForm.codec] : [])]),
  ])
  return {
    method, path, isVersioned: true, ...(part !== undefined && { part }), ...(act !== undefined && { act }), pathParameters,
    definitions: { ...request.definitions, ...operation.definitions },
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
          ...(body === undefined ? [] : tagsOf(body.isLines === true ? LINES_FAILURES : BODY_FAILURES)),
          ...(body !== undefined && body.isLines !== true && needsBody(body) ? ['MissingParameters' as const] : []),
          ...(isIdempotent ? ['InvalidIdempotencyKey' as const] : []),
          ...tagsOf(operation.failures),
        ]),
      },
    },
    handler: (deps, log) => makeHandler(WORKSPACE_KEYS, operation, deps, log),
    inner: (deps, log) => makeInnerHandler(WORKSPACE_KEYS, operation, deps, log),
  }
}

/** The result of a request: a value and headers for the reply, or a failure. */
export type Outcome<Failure extends HttpFailure, View> = Promise<E.Either<Failure, Result<View>>>
type Result<View> = {
  readonly value: View
  readonly headers?: Readonly<Partial<Record<HeaderName, string>>>
  /** The status of its reply, if it is not that of the operation. */
  readonly status?: 202
}

/** A reply with another status, for the document. */
type OtherReply<View> = {
  readonly description: string
  readonly codec: Codec<View>
  readonly example: NoInfer<View>
  readonly headers?: ReadonlyArray<HeaderName>
}

/** An operation for a workspace whose reply is a JSON value. */
export type WorkspaceOperation<
  Deps, Path extends Shape, Query extends Shape, Body, Failure extends HttpFailure, View, Prefetched = undefined,
> =
  Omit<KeyedOperation<Deps, Path, Query, Body, Failure, Prefetched>, 'parameters' | 'replies' | 'definitions' | 'run'> & {
    readonly reply: {
      /** 200 if it is not given. */
      readonly status?: 200 | 201 | 202
      readonly description: string
      readonly codec: Codec<View>
      readonly example: NoInfer<View>
      readonly headers?: ReadonlyArray<HeaderName>
    }
    /** The reply of a result with the status 202, if the operation has one. */
    readonly accepted?: OtherReply<View>
    readonly run: (
      deps: Deps, request: WorkspaceRequest<FieldsOf<Path, Query>, Body>, prefetched: Prefetched | undefined,
    ) => Outcome<Failure, NoInfer<View>>
  }

/** Creates an operation for a workspace: it authenticates, reads the request, runs, and writes the reply. */
export const workspaceOperation = <
  Deps, View, Failure extends HttpFailure, Path extends Shape = NoFields, Query extends Shape = NoFields, Body = undefined,
  Prefetched = undefined,
>(
  { reply: { status = 200, description, codec, example, headers = [] }, accepted, run, ...operation }: WorkspaceOperation<
    Deps, Path, Query, Body, Failure, View, Prefetched
  >,
): Operation<Deps & AuthenticateDeps & ReadLimitsDeps> =>
  keyedOperation<Deps, Failure, Path, Query, Body, Prefetched>({
    ...operation,
    replies: {
      [status]: { description, headers: headerRefs(...headers), content: jsonContent(codec, example) },
      ...(accepted && {
        202: {
          description: accepted.description, headers: headerRefs(...accepted.headers ?? []),
          content: jsonContent(accepted.codec, accepted.example),
        },
      }),
    },
    definitions: { ...codec.definitions, ...accepted?.codec.definitions },
    run: async (deps, request, _log, prefetched) => {
      const result = await run(deps, request, prefetched)
      return E.isLeft(result) ? result : E.right(jsonReply(result.right.status ?? status, result.right.value, result.right.headers))
    },
  })

const codecsOf = (shape: Shape): ReadonlyArray<Codec<unknown>> => Object.values(shape)
