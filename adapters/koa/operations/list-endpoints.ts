import * as E from 'fp-ts/lib/Either.js'
import { endpointView, type EndpointView } from '../../../core/events/endpoint.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import { array, described, named, record } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Endpoint, ENDPOINT_EXAMPLE } from './endpoint-view.js'

type Endpoints = { readonly endpoints: ReadonlyArray<EndpointView> }

/** `GET /event-endpoints` */
export const listEndpoints = workspaceOperation({
  id: 'listEndpoints',
  method: 'get',
  path: '/event-endpoints',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'List endpoints',
  description: 'All endpoints of the workspace, without their secrets.',
  reply: {
    description: 'The endpoints.',
    codec: named('EventEndpoints', record({ endpoints: described(array(Endpoint), 'Oldest first.') })),
    example: { endpoints: [ENDPOINT_EXAMPLE] },
  },
  failures: {},
  run: async (deps: EventOperationsDeps, { workspace }: WorkspaceRequest): Outcome<PortFailure, Endpoints> => {
    const endpoints = await requireEventUseCases(deps).listEndpoints(workspace)()
    return E.isLeft(endpoints) ? endpoints : E.right({ value: { endpoints: endpoints.right.map(endpointView) } })
  },
})
