import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AttemptResult, DeliveryAttempt } from '../delivery.js'
import type { EndpointNotFound, PortFailure } from '../errors.js'
import type { Event, EventId } from '../event.js'
import { type EndpointSecret, type EventEndpoint, signingSecrets } from '../event-endpoint.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { EventSink } from '../ports/event-sink.js'
import type { Clock, Instant } from '../time.js'
import type { ActDeps } from './acting.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActError } from './endpoint-act.js'

/**
 * Delivers an `endpoint.test` event to an endpoint now, also to a disabled one. Right: what came of it, as the delivery log keeps it.
 *
 * The event is neither stored nor tried again.
 */
export type TestEndpoint = (command: EndpointActCommand) => TE.TaskEither<EndpointActError, DeliveryAttempt>

/** Where deliveries go to and how they are signed, the current secret first. */
export type SinkAddress = { readonly url: string; readonly secrets: ReadonlyArray<EndpointSecret> }

/** What testing an endpoint needs. */
export type TestEndpointDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'secretsOf'>
  readonly eventDeliveries: Pick<EventDeliveries, 'log'>
  /** Makes the receiver at an address. */
  readonly sinkFor: (address: SinkAddress) => EventSink
  /** A new event id. */
  readonly newEventId: () => EventId
  /** 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly newAttemptId: () => string
  readonly now: Clock
}

/** Makes the use case of what it needs. */
export const makeTestEndpoint =
  (deps: TestEndpointDeps): TestEndpoint =>
  (command) =>
  () =>
    actOnEndpoint(deps, command, { act: 'endpoint.test' }, async (endpoint): Promise<E.Either<EndpointNotFound | PortFailure, DeliveryAttempt>> => {
      const secrets = await deps.eventEndpoints.secretsOf(endpoint.id)()
      if (E.isLeft(secrets)) return secrets
      if (O.isNone(secrets.right)) return E.left({ _tag: 'EndpointNotFound', id: endpoint.id })
      const at = deps.now()
      const event = testEvent(deps.newEventId(), endpoint, at)
      const result = await deps.sinkFor({ url: endpoint.url, secrets: signingSecrets(secrets.right.value, at) }).deliver(event)()
      const attempt = attemptOf(deps.newAttemptId(), endpoint, event, result)
      const logged = await deps.eventDeliveries.log(attempt)()
      return E.isLeft(logged) ? logged : E.right(attempt)
    })

const testEvent = (id: EventId, { id: endpoint, workspace }: EventEndpoint, at: Instant): Event =>
  ({ id, type: 'endpoint.test', workspace, at, subject: endpoint, data: { endpoint } })

const attemptOf = (
  id: string, endpoint: EventEndpoint, event: Event, { delivered, httpStatus, error, answer, durationMs }: AttemptResult,
): DeliveryAttempt => ({
  id, endpoint: endpoint.id, event: event.id, type: event.type, at: event.at, delivered, httpStatus, error, answer, durationMs, nextAttemptAt: undefined,
})
