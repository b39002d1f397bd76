import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointDisabled, PortFailure } from '../errors.js'
import type { EventDeliveries } from '../ports/event-deliveries.js'
import type { Clock, Instant } from '../time.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActDeps, type EndpointActError } from './endpoint-act.js'

/** Has all stored events since a moment that an endpoint asks for delivered to it again. Right: how many, at most `MOST_REDELIVERED`. */
export type RedeliverSince = (command: RedeliverSinceCommand) => TE.TaskEither<RedeliverSinceError, number>

/** The endpoint and the moment. */
export type RedeliverSinceCommand = EndpointActCommand & { readonly since: Instant }

/** How delivering events again can fail. */
export type RedeliverSinceError = EndpointDisabled | EndpointActError

/** What delivering events again needs. */
export type RedeliverSinceDeps = EndpointActDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'redeliverSince'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRedeliverSince =
  ({ eventDeliveries, now, ...deps }: RedeliverSinceDeps): RedeliverSince =>
  ({ since, ...command }) =>
  () =>
    actOnEndpoint(
      deps, command, { act: 'event.redeliver', details: { since: new Date(since).toISOString() } },
      async ({ id, status }): Promise<E.Either<EndpointDisabled | PortFailure, number>> =>
        (status === 'disabled' ? E.left({ _tag: 'EndpointDisabled', id }) : eventDeliveries.redeliverSince(id, since, now())()))
