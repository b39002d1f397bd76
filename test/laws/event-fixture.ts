import {
  type DeliveryAttempt, type DeliveryProgress, type DeliveryTask, type DueQuery, type EventDeliveries, SHARDS,
} from '../../core/events/delivery.js'
import { endpointIdOf, type EndpointSecret, endpointSecretOf, type EventEndpoints, type NewEndpoint } from '../../core/events/endpoint.js'
import { eventIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Event, EventOutbox, EventPosition, StoredEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { done } from './expect.js'
import { newName, times } from './ids.js'

/** The endpoints, their deliveries and the events, over the same storage, and the control over the environment that their laws need. */
export type EventEndpointsFixture = {
  readonly eventEndpoints: EventEndpoints
  readonly eventDeliveries: EventDeliveries
  readonly eventOutbox: Pick<EventOutbox, 'append' | 'after'>
  /** Opens a workspace that has no endpoint. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

/** Later than every time that `longAgo` returns, and earlier than the present. */
export const NOON = Date.UTC(2026, 2, 1, 12)

const uuidAt = (at: Instant): string => `${at.toString(16).padStart(12, '0')}7${newName().slice(13)}`

/** A new secret. */
export const newEndpointSecret = (): EndpointSecret => endpointSecretOf(btoa(newName().slice(8)))

/** An endpoint for adding to a workspace, with a new id. */
export const newEndpoint = (workspace: WorkspaceId, more: Partial<NewEndpoint> = {}): NewEndpoint => ({
  id: endpointIdOf(uuidAt(more.createdAt ?? NOON)), workspace, url: 'https://app.example/events', types: ['*'], description: '',
  createdAt: NOON, secret: newEndpointSecret(), ...more,
})

/** Adds an endpoint to a workspace. */
export const addedEndpoint = async (
  { eventEndpoints }: EventEndpointsFixture, workspace: WorkspaceId, more: Partial<NewEndpoint> = {},
): Promise<NewEndpoint> => {
  const endpoint = newEndpoint(workspace, more)
  await done('an endpoint is added', eventEndpoints.add(endpoint))
  return endpoint
}

/** Opens a workspace with an endpoint. */
export const openEndpoint = async (fixture: EventEndpointsFixture, more: Partial<NewEndpoint> = {}): Promise<NewEndpoint> =>
  addedEndpoint(fixture, (await fixture.openWorkspace()).workspace, more)

/** A new event of a workspace. */
export const newEvent = (workspace: WorkspaceId, more: Partial<Event> = {}): Event => ({
  id: eventIdOf(uuidAt(more.at ?? NOON)), type: 'message.sent', workspace, at: NOON, subject: newName(), data: { state: 'sent' }, ...more,
})

/** Stores events of a workspace and returns them as they were stored. */
export const stored = async (
  { eventOutbox }: EventEndpointsFixture, workspace: WorkspaceId, ...events: ReadonlyArray<Partial<Event>>
): Promise<ReadonlyArray<StoredEvent>> => {
  const added = events.map((event) => newEvent(workspace, event))
  await done('events are stored', eventOutbox.append(workspace, added))
  const all = await allEvents({ eventOutbox }, workspace)
  return added.flatMap(({ id }) => all.filter((event) => event.id === id))
}

/** Every event of a workspace. */
export const allEvents = (
  { eventOutbox }: Pick<EventEndpointsFixture, 'eventOutbox'>, workspace: WorkspaceId,
): Promise<ReadonlyArray<StoredEvent>> =>
  done('the events of a workspace are read', eventOutbox.after(workspace, 0, 1_000))

/** A query for endpoints of every shard, independent of the waiting events. */
export const everyShard = (more: Partial<DueQuery> = {}): DueQuery =>
  ({ shards: times(SHARDS, (shard) => shard), at: NOON, limit: 10_000, except: [], ...more })

/** The due deliveries of some endpoints; laws run in fixtures in which other endpoints may have due deliveries too. */
export const dueOf = async (
  { eventDeliveries }: EventEndpointsFixture, endpoints: ReadonlyArray<Pick<NewEndpoint, 'id'>>, more: Partial<DueQuery> = {},
): Promise<ReadonlyArray<DeliveryTask>> =>
  (await done('what is due is read', eventDeliveries.due(everyShard(more)))).filter(({ endpoint }) =>
    endpoints.some(({ id }) => id === endpoint.id))

/** The position of an endpoint that is due. */
export const positionOf = async (fixture: EventEndpointsFixture, endpoint: Pick<NewEndpoint, 'id'>): Promise<EventPosition | undefined> =>
  (await dueOf(fixture, [endpoint]))[0]?.position

/** A completed attempt to deliver an event to an endpoint. */
export const newAttempt = ({ id: endpoint }: Pick<NewEndpoint, 'id'>, event: Event, more: Partial<DeliveryAttempt> = {}): DeliveryAttempt =>
  ({
    id: uuidAt(more.at ?? NOON), endpoint, event: event.id, type: event.type, at: NOON, delivered: true, httpStatus: 200, error: undefined,
    answer: 'ok', durationMs: 12, nextAttemptAt: undefined, ...more,
  })

/** Progress that moves nothing. */
export const progressOf = ({ id }: Pick<NewEndpoint, 'id'>, at: EventPosition, more: Partial<DeliveryProgress> = {}): DeliveryProgress => ({
  endpoint: id, from: at, to: at, attempts: [], retry: [], done: [], failures: 0, failingSince: undefined, pausedUntil: undefined, ...more,
})

/** An endpoint with an event that has failed once and waits until a given time. */
export const withRetry = async (fixture: EventEndpointsFixture, at: Instant, more: Partial<NewEndpoint> = {}) => {
  const endpoint = await openEndpoint(fixture, more)
  const [event] = (await stored(fixture, endpoint.workspace, {})) as readonly [StoredEvent]
  const from = (await positionOf(fixture, endpoint)) ?? 0
  const retry = { event: event.id, attempts: 1, firstAttemptAt: NOON, at }
  const failed = newAttempt(endpoint, event, { delivered: false, httpStatus: 500, nextAttemptAt: at })
  const progress = progressOf(endpoint, from, { to: event.position, attempts: [failed], retry: [retry] })
  await done('a failed attempt is noted', fixture.eventDeliveries.record(progress))
  return { endpoint, event, failed, position: event.position }
}
