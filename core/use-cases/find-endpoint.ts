import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointNotFound, PortFailure } from '../errors.js'
import { type EventEndpoint, isEndpointId } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { WorkspaceId } from '../workspace.js'

/** Finds an endpoint of a workspace. Another workspace's endpoint is not found, so that its ids say nothing. */
export type FindEndpoint = (command: EndpointCommand) => TE.TaskEither<FindEndpointError, EventEndpoint>

/** An endpoint and the workspace that asks for it; `id` may be any text. */
export type EndpointCommand = { readonly workspace: WorkspaceId; readonly id: string }

/** How finding an endpoint can fail. */
export type FindEndpointError = EndpointNotFound | PortFailure

/** What finding an endpoint needs. */
export type FindEndpointDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'find'> }

/** Makes the use case of what it needs. */
export const makeFindEndpoint =
  ({ eventEndpoints }: FindEndpointDeps): FindEndpoint =>
  ({ workspace, id }) =>
  async () => {
    if (!isEndpointId(id)) return E.left({ _tag: 'EndpointNotFound', id })
    const found = await eventEndpoints.find(id)()
    if (E.isLeft(found)) return found
    return O.isSome(found.right) && found.right.value.workspace === workspace ? E.right(found.right.value) : E.left({ _tag: 'EndpointNotFound', id })
  }
