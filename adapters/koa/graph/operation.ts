import type { IncomingHttpHeaders } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { KeyPrincipal } from '../../../core/kernel/actor.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { ListedSender } from '../../../core/senders/sender.js'
import { type AuthenticateDeps, WORKSPACE_KEYS, type WorkspaceFacts } from '../authenticate.js'
import type { ReadLimitsDeps } from '../limits.js'
import { type Operation, served, type UseCases, type WorkspaceRequest } from '../operation.js'
import { makeHandler, type Steps } from '../pipeline.js'
import type { HttpFailure, NotFound } from '../reply.js'
import { codec, type Codec, form, length, type NoFields, orElse, parsed, type Shape, string } from '../schema.js'

/** The dependencies of the Graph-compatible API: every address that the platform's own clients call, below `/graph`. */
export type GraphDeps = UseCases & {
  /**
   * The address of this app for its clients, without a slash at the end; addresses in replies begin with it. If it is absent, they begin with the address that the
   * request used: its `Host`, and https if `X-Forwarded-Proto` contains it. An app that is mounted below a path needs it.
   */
  readonly publicUrl?: string
}

/** The dependencies of the operations of the Graph-compatible API. */
export type GraphOperationDeps = GraphDeps & AuthenticateDeps & ReadLimitsDeps

/** One operation of the Graph-compatible API. Its requests and replies follow the platform's contract, so it has no documentation of its own. */
export type GraphOperation = Pick<Operation<GraphOperationDeps>, 'method' | 'path' | 'isVersioned' | 'pathParameters' | 'handler'>

/** Creates an operation of the Graph-compatible API, whose key may also be in the query. */
export const graphOperation = <
  Path extends Shape, Failure extends HttpFailure, Query extends Shape = NoFields, Body = undefined, Prefetched = undefined,
>(
  { method, path, pathParameters, ...steps }: Pick<GraphOperation, 'method' | 'path'> & { readonly pathParameters: Path } &
  Omit<Steps<GraphDeps, KeyPrincipal, WorkspaceFacts, Path, Query, Body, Failure, Prefetched>, 'keyInQuery' | 'pathParameters'>,
): GraphOperation => ({
  method, path, pathParameters, isVersioned: false,
  handler: (deps, log) => makeHandler(WORKSPACE_KEYS, { ...steps, pathParameters, keyInQuery: true }, deps, log),
})

/** A version of the platform's API, or none. Any version is accepted, because the Graph-compatible API supports the common part of all versions. */
export const Version: Codec<string> = orElse(string(form(/^(v[0-9]{1,3}\.[0-9]{1,2})?$/, 'a version, such as v23.0')), { _tag: 'NotFound' })

/** The same operation at its address without a version, which the platform also accepts. */
export const unversioned = ({
  path, pathParameters: { version: _, ...pathParameters }, handler, ...rest
}: GraphOperation): GraphOperation => ({
  ...rest, path: path.replace('/{version}', ''), pathParameters,
  handler: (deps, log) => {
    const handle = handler(deps, log)
    return (ctx) => {
      ctx.params['version'] = ''
      return handle(ctx)
    }
  },
})

/** The id of an object in an address: a business number, a business account or an attachment. */
export const ObjectId: Codec<string> = orElse(string(length(128), form(/^[!-~]*$/, 'an id')), { _tag: 'NotFound' })

/** An object that does not exist, or belongs to another workspace: the platform does not distinguish the two either. */
export const noSuchObject = (object: string): NotFound => ({ _tag: 'NotFound', object })

/** A request whose address contains an id of a sender. */
type ToSender = Pick<WorkspaceRequest<{ readonly object: string }>, 'parameters' | 'workspace'>

/** The senders with an id that an address contains, at least one, the default sender first. The sender of another workspace does not exist for the caller. */
export const namedSenders = async (
  { postern }: UseCases, { workspace, parameters: { object } }: ToSender, idOf: (sender: ListedSender) => string | undefined,
): Promise<E.Either<NotFound | PortFailure, ReadonlyNonEmptyArray<ListedSender>>> => {
  const senders = await served(postern.workspaces).listSenders(workspace)
  if (E.isLeft(senders)) return senders
  const [first, ...others] = senders.right.filter((sender) => idOf(sender) === object)
  return first === undefined ? E.left(noSuchObject(object)) : E.right([first, ...others])
}

/** The first of these senders. */
export const namedSender = (
  deps: UseCases, request: ToSender, idOf: (sender: ListedSender) => string | undefined,
): Promise<E.Either<NotFound | PortFailure, ListedSender>> =>
  namedSenders(deps, request, idOf).then(E.map(([first]: ReadonlyNonEmptyArray<ListedSender>) => first))

/** A codec of values that are read from a text. */
export const readFrom = <A>(must: string, read: (text: string) => A | undefined): Codec<A> => parsed({ type: 'string' }, must, read)

/** A codec that refuses every value. */
export const notTaken = (why: string): Codec<never> =>
  codec(why, { schema: { not: {} } }, (value, context) => E.left([{ value, context, message: `left out: ${why}` }]))

/** The address of this app for the client of a request. */
export const baseUrl = ({ publicUrl }: GraphDeps, headers: IncomingHttpHeaders): string =>
  publicUrl ?? `${/^\s*https\b/i.test(String(headers['x-forwarded-proto'] ?? '')) ? 'https' : 'http'}://${headers.host ?? 'localhost'}`
