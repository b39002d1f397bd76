import * as E from 'fp-ts/lib/Either.js'
import type { FindEndpointError } from '../../../core/events/endpoint-use-cases.js'
import { type EndpointId, endpointView, type EndpointView } from '../../../core/events/endpoint.js'
import { EndpointName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Endpoint, ENDPOINT_EXAMPLE } from './endpoint-view.js'

/** `GET /event-endpoints/{id}` */
export const getEndpoint = workspaceOperation({
  id: 'getEndpoint',
  method: 'get',
  path: '/event-endpoints/{id}',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Look up an endpoint',
  description: 'One endpoint, without its secret. An endpoint of another workspace is not found.',
  pathParameters: { id: EndpointName },
  reply: { description: 'The endpoint.', codec: Endpoint, example: ENDPOINT_EXAMPLE },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    deps: EventOperationsDeps, { workspace, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<FindEndpointError | NotFound, EndpointView> => {
    const endpoint = await requireEventUseCases(deps).findEndpoint({ workspace, id })()
    return E.isLeft(endpoint) ? endpoint : E.right({ value: endpointView(endpoint.right) })
  },
})
