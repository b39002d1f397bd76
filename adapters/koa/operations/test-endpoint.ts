import * as E from 'fp-ts/lib/Either.js'
import { deliveryView, type DeliveryView } from '../../../core/events/delivery.js'
import type { EndpointActError } from '../../../core/events/endpoint-use-cases.js'
import type { EndpointId } from '../../../core/events/endpoint.js'
import { EndpointName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Delivery, DELIVERY_EXAMPLE } from './delivery-view.js'

/** `POST /event-endpoints/{id}/test` */
export const testEndpoint = workspaceOperation({
  id: 'testEndpoint',
  method: 'post',
  path: '/event-endpoints/{id}/test',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Test an endpoint',
  description:
    'Delivers an `endpoint.test` event now, once, and answers what came back: within 20 seconds, also where the endpoint does not answer. The log of deliveries ' +
    'has it too. It is not tried again, and does not change whether the endpoint counts as healthy. A disabled endpoint can be tested too.',
  pathParameters: { id: EndpointName },
  reply: { description: 'What came back.', codec: Delivery, example: { ...DELIVERY_EXAMPLE, type: 'endpoint.test' } },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<EndpointActError | NotFound, DeliveryView> => {
    const result = await requireEventUseCases(deps).testEndpoint({ by, workspace, id })()
    return E.isLeft(result) ? result : E.right({ value: deliveryView(result.right) })
  },
})
