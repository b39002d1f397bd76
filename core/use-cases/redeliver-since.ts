import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointDisabled } from '../errors.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import type { Clock, Instant } from '../time.js'
import { type EndpointCommand, type FindEndpointDeps, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Has all stored events since a moment that an endpoint asks for delivered to it again. Right: how many, at most `MOST_REDELIVERED`. */
export type RedeliverSince = (command: RedeliverSinceCommand) => TE.TaskEither<RedeliverSinceError, number>

/** The endpoint and the moment. */
export type RedeliverSinceCommand = EndpointCommand & { readonly since: Instant }

/** How delivering events again can fail. */
export type RedeliverSinceError = EndpointDisabled | FindEndpointError

/** What delivering events again needs. */
export type RedeliverSinceDeps = FindEndpointDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'redeliverSince'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRedeliverSince = ({ eventEndpoints, eventDeliveries, now }: RedeliverSinceDeps): RedeliverSince => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return ({ since, ...command }) => async () => {
    const endpoint = await findEndpoint(command)()
    if (E.isLeft(endpoint)) return endpoint
    if (endpoint.right.status === 'disabled') return E.left({ _tag: 'EndpointDisabled', id: command.id })
    return eventDeliveries.redeliverSince(endpoint.right.id, since, now())()
  }
}
