import * as E from 'fp-ts/lib/Either.js'
import { deliveryView, type DeliveryView } from '../../../core/events/delivery.js'
import type { FindEndpointError } from '../../../core/events/endpoint-use-cases.js'
import type { EndpointId } from '../../../core/events/endpoint.js'
import type { PageQuery } from '../../../core/kernel/json.js'
import { NextCursor, nextCursor, pageParameters, pageQuery } from '../codecs.js'
import { EndpointName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { array, described, named, record } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Delivery, DELIVERY_EXAMPLE } from './delivery-view.js'

type Deliveries = { readonly deliveries: ReadonlyArray<DeliveryView>; readonly next_cursor: string | null }

/** `GET /event-endpoints/{id}/deliveries` */
export const listDeliveries = workspaceOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/event-endpoints/{id}/deliveries',
  part: 'events',
  scope: 'events',
  isList: true,
  tag: 'Events',
  summary: 'List deliveries',
  description: 'Each attempt to deliver an event to the endpoint, newest first, in pages.',
  pathParameters: { id: EndpointName },
  query: pageParameters('deliveries'),
  reply: {
    description: 'A page of the list.',
    codec: named('Deliveries', record({ deliveries: described(array(Delivery), 'Newest first.'), next_cursor: NextCursor })),
    example: { deliveries: [DELIVERY_EXAMPLE], next_cursor: null },
  },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    deps: EventOperationsDeps, { workspace, parameters: { id, ...page } }: WorkspaceRequest<{ readonly id: EndpointId } & Partial<PageQuery>>,
  ): Outcome<FindEndpointError | NotFound, Deliveries> => {
    const found = await requireEventUseCases(deps).listDeliveries({ workspace, id }, pageQuery(page))()
    if (E.isLeft(found)) return found
    return E.right({ value: { deliveries: found.right.items.map(deliveryView), next_cursor: nextCursor('deliveries', found.right) } })
  },
})
