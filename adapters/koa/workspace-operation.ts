import * as E from 'fp-ts/lib/Either.js'
import type { AuthenticateDeps } from './authenticate.js'
import type { HttpFailure } from './failures.js'
import { keyedOperation, type KeyedOperation, type WorkspaceRequest } from './keyed-operation.js'
import { headerRefs, type HeaderName } from './openapi-headers.js'
import { jsonContent, type Operation } from './operation.js'
import { jsonReply } from './reply.js'
import type { Codec, FieldsOf, NoFields, Shape } from './schema.js'

export type { RequestBody, WorkspaceRequest } from './keyed-operation.js'

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
): Operation<Deps & AuthenticateDeps> =>
  keyedOperation<Deps, Failure, Path, Query, Body, Ahead>({
    ...operation,
    replies: { [status]: { description, headers: headerRefs(...headers), content: jsonContent(codec, example) } },
    definitions: codec.definitions,
    run: async (deps, request, _log, ahead) => {
      const result = await run(deps, request, ahead)
      return E.isLeft(result) ? result : E.right(jsonReply(status, result.right.value, result.right.headers))
    },
  })
