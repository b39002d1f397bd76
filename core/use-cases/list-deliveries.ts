import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { DeliveryAttempt } from '../delivery.js'
import type { Page, PageQuery } from '../page.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import { type EndpointCommand, type FindEndpointDeps, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Lists the attempts to deliver to an endpoint, newest first. */
export type ListDeliveries = (command: EndpointCommand, query: PageQuery) => TE.TaskEither<FindEndpointError, Page<DeliveryAttempt>>

/** What listing attempts needs. */
export type ListDeliveriesDeps = FindEndpointDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'attempts'> }

/** Makes the use case of what it needs. */
export const makeListDeliveries = ({ eventEndpoints, eventDeliveries }: ListDeliveriesDeps): ListDeliveries => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return (command, query) => async () => {
    const endpoint = await findEndpoint(command)()
    return E.isLeft(endpoint) ? endpoint : eventDeliveries.attempts(endpoint.right.id, query)()
  }
}
