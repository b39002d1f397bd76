import * as E from 'fp-ts/lib/Either.js'
import type { EndpointActError } from '../../../core/events/endpoint-use-cases.js'
import type { EndpointId } from '../../../core/events/endpoint.js'
import { EndpointName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { headerRefs } from '../openapi-headers.js'
import type { Reply } from '../reply.js'
import { keyedOperation, type WorkspaceRequest } from '../workspace-operation.js'

/** `DELETE /event-endpoints/{id}` */
export const removeEndpoint = keyedOperation({
  id: 'removeEndpoint',
  method: 'delete',
  path: '/event-endpoints/{id}',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Remove an endpoint',
  description: 'Ends the deliveries to it, and forgets its secret, what waits to be delivered, and the log of its deliveries.',
  pathParameters: { id: EndpointName },
  replies: { 204: { description: 'It is removed.', headers: headerRefs() } },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Promise<E.Either<EndpointActError | NotFound, Reply>> => {
    const removed = await requireEventUseCases(deps).removeEndpoint({ by, workspace, id })()
    return E.isLeft(removed) ? removed : E.right({ status: 204, headers: {}, body: '' })
  },
})
