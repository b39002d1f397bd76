import type { RouterContext } from '@koa/router'
import type * as E from 'fp-ts/lib/Either.js'
import type { Scope } from '../../core/kernel/actor.js'
import type { Failures, FailureTag, HttpFailure } from './failures.js'
import type { Log } from './log.js'
import { failureResponses } from './openapi-failures.js'
import { headerRefs, parameterRefs } from './openapi-headers.js'
import type { Content, Operation as DocumentedOperation, Parameter, Response, Responses, Schema, Verb } from './openapi-types.js'
import type { Reply } from './reply.js'
import type { Codec, Shape } from './schema.js'

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
  /** The scope that the API key of its requests must have; none where any key will do, or where none is needed. */
  readonly scope?: Scope
  readonly document: DocumentedOperation
  readonly definitions: Readonly<Record<string, Schema>>
  /** The codecs of the parameters in its path. A path with a value of another form is not of this operation. */
  readonly pathParameters: Shape
  readonly handler: (deps: Deps, log: Log) => Handler
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
  /** Whether it is one of the documents, of which not everyone may read as many as he likes. */
  readonly isLimited?: true
  readonly handler: (deps: Deps, log: Log) => (ctx: RouterContext) => Promise<E.Either<Failure, Reply>>
}

/** Makes an operation at the root. Any other method is answered 405. */
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
    return { name, ...where, ...(rest.type === 'array' && { explode: false }), description, schema: rest }
  })

/** The documentation of a reply that is not an `HttpFailure`. */
export const responseOf = (description: string, content: Content): Response => ({ description, headers: headerRefs(), content })

/** The documentation of a JSON body. */
export const jsonContent = <A>({ schema }: Codec<A>, example: NoInfer<A>): Content =>
  ({ 'application/json': { schema, examples: { reply: { value: example } } } })

/** The documentation of a text body. */
export const textContent = (type: string, description: string): Content => ({ [type]: { schema: { type: 'string', description } } })
