import * as E from 'fp-ts/lib/Either.js'
import { type DeliveryView, deliveryView, MAX_REDELIVERED } from '../../../core/events/delivery.js'
import type { FindEndpointError } from '../../../core/events/endpoint-use-cases.js'
import type { EndpointId } from '../../../core/events/endpoint.js'
import type { ListEventsError, RedeliverEventError, RedeliverFailedError } from '../../../core/events/use-cases.js'
import { exampleEvent } from '../../../core/explanations/event-examples.js'
import type { EventId } from '../../../core/kernel/ids.js'
import type { PageQuery } from '../../../core/kernel/page.js'
import { type EventFilter, eventView, type EventView } from '../../../core/kernel/outbox.js'
import {
  DeliveryStatusWord, EndpointIdText, EndpointName, EventFilterBody, EventFilterQuery, EventIdText, EventName, EventTypeWord, HttpStatus,
  Moment, NextCursor, nextCursor, pageLimit, pageParameters, pageQuery, Time,
} from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { MissingParameters, NotFound } from '../reply.js'
import { anyObject, array, type Codec, count, described, fields, literal, named, nullable, record, string, type TypeOf } from '../schema.js'

/** An attempt to deliver an event in a reply. */
export const Delivery: Codec<DeliveryView> = named('Delivery', described(record({
  id: string(),
  event: EventIdText,
  type: EventTypeWord,
  status: DeliveryStatusWord,
  http_status: HttpStatus,
  duration_ms: described(count, 'How long the attempt took, in milliseconds.'),
  error: nullable(string(), 'Why it failed, in a sentence; null if it was delivered.'),
  answer: nullable(string(), 'The beginning of the body of the answer, at most 8 KiB; null if there is none.'),
  at: described(Time, 'When the attempt was made.'),
  next_attempt_at: nullable(Time, 'When the event is tried again; null if it was delivered or given up.'),
}), 'One attempt to deliver an event to an endpoint.'))

/** An attempt as shown in examples. */
export const DELIVERY_EXAMPLE: DeliveryView = {
  id: '0199c3a87c2e7b1f9d5a4e6b8c0d2f41', event: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.delivered', status: 'delivered',
  http_status: 204, duration_ms: 38, error: null, answer: null, at: '2026-03-01T12:00:03.000Z', next_attempt_at: null,
}

type Deliveries = { readonly deliveries: ReadonlyArray<DeliveryView>; readonly next_cursor: string | null }

/** `GET /event-endpoints/{id}/deliveries` */
export const listDeliveries = workspaceOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/event-endpoints/{id}/deliveries',
  part: 'events',
  act: 'event.view',
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
    { postern }: UseCases, { workspace, parameters: { id, ...page } }: WorkspaceRequest<{ readonly id: EndpointId } & Partial<PageQuery>>,
  ): Outcome<FindEndpointError | NotFound, Deliveries> => {
    const found = await served(postern.events).listDeliveries({ workspace, id }, pageQuery(page))
    if (E.isLeft(found)) return found
    return E.right({ value: { deliveries: found.right.items.map(deliveryView), next_cursor: nextCursor('deliveries', found.right) } })
  },
})

const Event: Codec<EventView> = named('Event', described(record({
  id: EventIdText,
  type: EventTypeWord,
  workspace: string(),
  created_at: described(Time, 'When it was stored.'),
  data: described(anyObject, 'The subject of the event. For a `message.*` event, the message as `GET /messages/{id}` shows it.'),
}), 'Something that happened to the workspace.'))

type EventsView = { readonly events: ReadonlyArray<EventView>; readonly next: string | null }

const Events: Codec<EventsView> = named('Events', record({
  events: described(array(Event), 'Oldest first.'),
  next: nullable(EventIdText, 'The event to send as `after` in the next request; null if there is no event yet. With `types`, it may be an event that is not listed.'),
}))

const EXAMPLE = exampleEvent('message.delivered')

/** `GET /events` */
export const listEvents = workspaceOperation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  part: 'events',
  act: 'event.view',
  isList: true,
  tag: 'Events',
  summary: 'List events',
  description:
    'The events of the workspace, oldest first, for applications that cannot receive requests. Send `after=` with the `next` of the previous answer: no event is left out, and none '
      + 'is repeated. Events are created for a workspace that has an endpoint, or that requested events within a week; so the first request may return none.',
  query: {
    after: described(EventIdText, 'Only events after this one: the `next` of the previous answer. Without it, the list starts at the oldest stored event.'),
    types: EventFilterQuery,
    limit: pageLimit,
  },
  reply: { description: 'The events.', codec: Events, example: { events: [EXAMPLE], next: EXAMPLE.id } },
  failures: { InvalidEventId: true, InvalidEventTypes: true, UnknownEventType: true },
  run: async (
    { postern }: UseCases,
    { workspace, parameters: { after, types, limit } }: WorkspaceRequest<{
      readonly after?: EventId
      readonly types?: EventFilter
      readonly limit?: number
    }>,
  ): Outcome<ListEventsError, EventsView> => {
    const found = await served(postern.events).listEvents(workspace, {
      after, types, ...pageQuery({ ...(limit !== undefined && { limit }) }),
    })
    return E.isLeft(found) ? found : E.right({ value: { events: found.right.events.map(eventView), next: found.right.next ?? null } })
  },
})

const RedeliverEventRequest = named('RedeliverEventRequest', described(fields({ endpoint: EndpointIdText }), 'Unknown fields are ignored.'))

const Accepted = record({ status: literal('success') })

/** `POST /events/{id}/redeliver` */
export const redeliverEvent = workspaceOperation({
  id: 'redeliverEvent',
  method: 'post',
  path: '/events/{id}/redeliver',
  part: 'events',
  act: 'event.redeliver',
  tag: 'Events',
  summary: 'Deliver an event again',
  description:
    'Soon delivers one event to an endpoint again, with the same `webhook-id`, whether or not the endpoint received it before. An event that is no longer stored is not found.',
  pathParameters: { id: EventName },
  body: {
    codec: RedeliverEventRequest, forms: false, examples: { endpoint: { value: { endpoint: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' } } },
  },
  reply: { status: 202, description: 'It will be delivered again.', codec: Accepted, example: { status: 'success' } },
  failures: { NotFound: true, EndpointNotFound: true, EventNotFound: true, EndpointDisabled: true },
  run: async (
    { postern }: UseCases,
    { workspace, by, parameters: { id }, body: { endpoint } }: WorkspaceRequest<{ readonly id: EventId }, TypeOf<
      typeof RedeliverEventRequest
    >>,
  ): Outcome<RedeliverEventError | NotFound, TypeOf<typeof Accepted>> => {
    const accepted = await served(postern.events).redeliverEvent({ by, workspace, event: id, id: endpoint })
    return E.isLeft(accepted) ? accepted : E.right({ value: { status: 'success' } })
  },
})

const RedeliverRequest = named('RedeliverRequest', described(fields({}, {
  since: described(Moment, 'Only events from this date and time on. Required without `status`.'),
  status: described(literal('failed'), 'Only events whose latest attempt failed.'),
  until: described(Moment, 'Only failed events before this date and time.'),
  types: described(EventFilterBody, 'Only failed events of these types.'),
  http_status: described(count, 'Only failed events whose latest attempt got this HTTP status.'),
}), '`until`, `types` and `http_status` need `status`. Unknown fields are ignored.'))

type RedeliveredView = { readonly status: 'success'; readonly events: number }

const Redelivered: Codec<RedeliveredView> = named('Redelivered', record({
  status: literal('success'),
  events: described(count, 'How many events will be delivered again.'),
}))

/** `POST /event-endpoints/{id}/redeliver` */
export const redeliverMany = workspaceOperation({
  id: 'redeliverMany',
  method: 'post',
  path: '/event-endpoints/{id}/redeliver',
  part: 'events',
  act: 'event.redeliver',
  tag: 'Events',
  summary: 'Deliver failed events, or all events since a date and time, again',
  description:
    'Soon delivers stored events to the endpoint again, oldest first, each with its own `webhook-id`. With `"status":"failed"`: every event whose latest attempt failed and that matches '
      + 'the other fields; an event that already waits for such a redelivery is not counted again. With `since` alone: every event since then that the endpoint subscribes to, after your '
      + `application lost events, or after the endpoint was disabled. At most ${MAX_REDELIVERED} events per request; if the answer reports that many, repeat the request, with a later `
      + '`since` if it has no `status`.',
  pathParameters: { id: EndpointName },
  body: {
    codec: RedeliverRequest, forms: false,
    examples: {
      failed: {
        value: { status: 'failed', types: ['message.*'], since: '2026-03-01T12:00:00Z', until: '2026-03-01T13:00:00Z', http_status: 503 },
      },
      noon: { value: { since: '2026-03-01T12:00:00Z' } },
    },
  },
  reply: { status: 202, description: 'They will be delivered again.', codec: Redelivered, example: { status: 'success', events: 12 } },
  failures: {
    NotFound: true, EndpointNotFound: true, EndpointDisabled: true, InvalidEventTypes: true, UnknownEventType: true,
    MissingParameters: true,
  },
  run: async (
    { postern }: UseCases,
    { workspace, by, parameters: { id }, body }: WorkspaceRequest<{ readonly id: EndpointId }, TypeOf<typeof RedeliverRequest>>,
  ): Outcome<RedeliverFailedError | NotFound | MissingParameters, RedeliveredView> => {
    const { since, status, until, types, http_status: httpStatus } = body
    const { redeliverFailed, redeliverSince } = served(postern.events)
    const missing = status !== undefined || (until ?? types ?? httpStatus) === undefined ? 'since' : 'status'
    if (status === undefined && (since === undefined || missing === 'status')) {
      return E.left({ _tag: 'MissingParameters', names: [missing] })
    }
    const redelivered = status === undefined
      ? await redeliverSince({ by, workspace, id, since: since ?? 0 })
      : await redeliverFailed({ by, workspace, id, filter: { since, until, types, httpStatus } })
    return E.isLeft(redelivered) ? redelivered : E.right({ value: { status: 'success', events: redelivered.right } })
  },
})
