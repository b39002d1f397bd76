import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointDisabled, EventNotFound } from '../errors.js'
import { isEventId } from '../event.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import type { Clock } from '../time.js'
import { type EndpointCommand, type FindEndpointDeps, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Has one stored event delivered to an endpoint again, also one of a type that the endpoint does not ask for. */
export type RedeliverEvent = (command: RedeliverEventCommand) => TE.TaskEither<RedeliverEventError, void>

/** The endpoint and the event, whose id may be any text. */
export type RedeliverEventCommand = EndpointCommand & { readonly event: string }

/** How delivering an event again can fail. */
export type RedeliverEventError = EventNotFound | EndpointDisabled | FindEndpointError

/** What delivering an event again needs. */
export type RedeliverEventDeps = FindEndpointDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'redeliver'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRedeliverEvent = ({ eventEndpoints, eventDeliveries, now }: RedeliverEventDeps): RedeliverEvent => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return ({ event, ...command }) => async () => {
    const endpoint = await findEndpoint(command)()
    if (E.isLeft(endpoint)) return endpoint
    if (!isEventId(event)) return E.left({ _tag: 'EventNotFound', id: event })
    if (endpoint.right.status === 'disabled') return E.left({ _tag: 'EndpointDisabled', id: command.id })
    const found = await eventDeliveries.redeliver(endpoint.right.id, event, now())()
    if (E.isLeft(found)) return found
    return found.right ? E.right(undefined) : E.left({ _tag: 'EventNotFound', id: event })
  }
}
