import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointDisabled, EventNotFound, Forbidden } from '../errors.js'
import { isEventId } from '../event.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import type { Clock } from '../time.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActDeps, type EndpointActError } from './endpoint-act.js'

/** Has one stored event delivered to an endpoint again, also one of a type that the endpoint does not ask for. */
export type RedeliverEvent = (command: RedeliverEventCommand) => TE.TaskEither<RedeliverEventError, void>

/** The endpoint and the event, whose id may be any text. */
export type RedeliverEventCommand = EndpointActCommand & { readonly event: string }

/** How delivering an event again can fail. */
export type RedeliverEventError = EventNotFound | EndpointDisabled | EndpointActError

/** What delivering an event again needs. */
export type RedeliverEventDeps = EndpointActDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'redeliver'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRedeliverEvent =
  ({ eventDeliveries, now, ...deps }: RedeliverEventDeps): RedeliverEvent =>
  ({ event, ...command }) =>
  () =>
    actOnEndpoint(
      deps, command, { act: 'event.redeliver', details: { event } },
      async ({ id, status }): Promise<E.Either<Exclude<RedeliverEventError, Forbidden>, void>> => {
        if (!isEventId(event)) return E.left({ _tag: 'EventNotFound', id: event })
        if (status === 'disabled') return E.left({ _tag: 'EndpointDisabled', id })
        const found = await eventDeliveries.redeliver(id, event, now())()
        if (E.isLeft(found)) return found
        return found.right ? E.right(undefined) : E.left({ _tag: 'EventNotFound', id: event })
      })
