import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import { type EndpointCommand, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Removes an endpoint with its delivery log. What is being delivered to it at this moment may still arrive. */
export type RemoveEndpoint = (command: EndpointCommand) => TE.TaskEither<FindEndpointError, void>

/** What removing an endpoint needs. */
export type RemoveEndpointDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'remove'> }

/** Makes the use case of what it needs. */
export const makeRemoveEndpoint = ({ eventEndpoints }: RemoveEndpointDeps): RemoveEndpoint => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return (command) => async () => {
    const endpoint = await findEndpoint(command)()
    if (E.isLeft(endpoint)) return endpoint
    const removed = await eventEndpoints.remove(endpoint.right.id)()
    if (E.isLeft(removed)) return removed
    return removed.right ? E.right(undefined) : E.left({ _tag: 'EndpointNotFound', id: command.id })
  }
}
