import type { DeliveryAttempt, DeliveryProgress, Retry } from '../../core/events/delivery.js'
import type { NewEndpoint } from '../../core/events/endpoint.js'
import type { Event, StoredEvent } from '../../core/kernel/outbox.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { type EventEndpointsFixture, NOON, openEndpoint, positionOf, stored } from './event-fixture.js'
import { done } from './expect.js'

type Endpoint = Pick<NewEndpoint, 'id'>

/** Records the results of deliveries. */
export const record = ({ eventDeliveries }: EventEndpointsFixture, progress: DeliveryProgress): Promise<boolean> =>
  done('progress is noted', eventDeliveries.record(progress))

/** The retries that are due. */
export const retriesOf = (
  { eventDeliveries }: EventEndpointsFixture, { id }: Endpoint, at = NOON, limit = 100,
): Promise<ReadonlyArray<Retry>> =>
  done('retries are read', eventDeliveries.retries(id, at, limit))

/** The events of `retriesOf`. */
export const waiting = async (fixture: EventEndpointsFixture, endpoint: Endpoint, at = NOON): Promise<ReadonlyArray<string>> =>
  (await retriesOf(fixture, endpoint, at)).map(({ event }) => event.id)

/** The log of an endpoint. */
export const logOf = async ({ eventDeliveries }: EventEndpointsFixture, { id }: Endpoint): Promise<ReadonlyArray<DeliveryAttempt>> =>
  (await done('the log is read', eventDeliveries.attempts(id, { limit: 100 }))).items

/** An endpoint with events after its position. */
export const withEvents = async (fixture: EventEndpointsFixture, ...events: ReadonlyArray<Partial<Event>>) => {
  const endpoint = await openEndpoint(fixture)
  const all = await stored(fixture, endpoint.workspace, ...events)
  return { endpoint, events: all as readonly [StoredEvent, StoredEvent, StoredEvent], from: (await positionOf(fixture, endpoint)) ?? 0 }
}

/** A retry of an event at a given time. */
export const retryOf = ({ id }: StoredEvent, at: number, attempts = 1) => ({ event: id, attempts, firstAttemptAt: NOON - MINUTE_MS, at })

/** The ids of endpoints that are due. */
export const ids = (tasks: ReadonlyArray<{ readonly endpoint: Endpoint }>): ReadonlyArray<string> =>
  tasks.map(({ endpoint }) => endpoint.id)
