import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointNotFound, PortFailure } from '../errors.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { ActDeps } from './acting.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActError } from './endpoint-act.js'

/** Removes an endpoint with its delivery log. What is being delivered to it at this moment may still arrive. */
export type RemoveEndpoint = (command: EndpointActCommand) => TE.TaskEither<EndpointActError, void>

/** What removing an endpoint needs. */
export type RemoveEndpointDeps = ActDeps & { readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'remove'> }

/** Makes the use case of what it needs. */
export const makeRemoveEndpoint =
  (deps: RemoveEndpointDeps): RemoveEndpoint =>
  (command) =>
  () =>
    actOnEndpoint(deps, command, { act: 'endpoint.remove' }, async ({ id }, along): Promise<E.Either<EndpointNotFound | PortFailure, void>> => {
      const removed = await deps.eventEndpoints.remove(id, along)()
      if (E.isLeft(removed)) return removed
      return removed.right ? E.right(undefined) : E.left({ _tag: 'EndpointNotFound', id })
    })
