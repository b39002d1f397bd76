import * as E from 'fp-ts/lib/Either.js'
import type { UnknownApiKey } from '../../../core/access/keys.js'
import { deliveryView, type DeliveryView } from '../../../core/events/delivery.js'
import type { AddEndpointError, ChangeEndpointError, EndpointActError, FindEndpointError } from '../../../core/events/endpoint-use-cases.js'
import { type EndpointId, type EndpointView, endpointView } from '../../../core/events/endpoint.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import {
  DeliveryStatusWord, Description, EndpointFormatWord, EndpointIdText, EndpointName, EndpointStatusWord, EndpointUrl, EventFilterBody,
  EventPattern, HttpStatus, Time,
} from '../codecs.js'
import { headerRefs } from '../openapi-types.js'
import { keyedOperation, type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { NotFound, Reply } from '../reply.js'
import { array, type Codec, described, fields, form, named, type NoFields, nullable, record, string, type TypeOf } from '../schema.js'
import { Delivery, DELIVERY_EXAMPLE } from './deliveries.js'

const endpointFields = {
  id: EndpointIdText,
  url: string(),
  format: EndpointFormatWord,
  types: described(array(EventPattern), 'The types of events that it receives; empty if it receives notifications of the platform.'),
  description: described(string(), 'Its purpose; empty if none was given.'),
  status: EndpointStatusWord,
  failing_since: nullable(Time, 'Since when every attempt has failed; null while it is healthy.'),
  last_delivery: nullable(record({ at: Time, status: DeliveryStatusWord, http_status: HttpStatus }), 'The latest attempt; null before the first one.'),
  created_at: Time,
}

/** An endpoint in a reply. */
export const Endpoint: Codec<EndpointView> = named('EventEndpoint', described(record(endpointFields), 'An address to which events of the workspace are delivered.'))

/** An endpoint with its secret: only if it was just created. */
export type EndpointSecretView = EndpointView & { readonly secret: string }

/** An endpoint in the reply that contains its secret. */
export const EndpointWithSecret: Codec<EndpointSecretView> = named('EventEndpointWithSecret', described(record({
  ...endpointFields,
  secret: described(
    string(form(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'a secret')), 'Signs the deliveries, as Standard Webhooks describes it. It is shown only in this reply, so store it now.',
  ),
}), 'An endpoint, and the secret with which its deliveries are signed.'))

/** An endpoint as shown in examples. */
export const ENDPOINT_EXAMPLE: EndpointView = {
  id: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', url: 'https://shop.example/postern', format: 'postern', types: ['message.*'],
  description: 'the shop', status: 'enabled', failing_since: null,
  last_delivery: { at: '2026-03-01T12:00:03.000Z', status: 'delivered', http_status: 204 }, created_at: '2026-03-01T12:00:00.000Z',
}

/** A new endpoint as shown in examples. */
export const NEW_ENDPOINT_EXAMPLE: EndpointSecretView = {
  ...ENDPOINT_EXAMPLE, last_delivery: null, secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
}

const AddEndpointRequest = named('AddEndpointRequest', described(fields({ url: EndpointUrl }, {
  format: EndpointFormatWord,
  types: described(EventFilterBody, 'The types of events that it receives; all if omitted. It must be omitted with the format `platform`.'),
  description: Description,
}), 'Unknown fields are ignored.'))

/** A key is useless once its workspace is removed. */
const KEY_OF_NO_WORKSPACE: UnknownApiKey = { _tag: 'UnknownApiKey' }

/** `POST /event-endpoints` */
export const addEndpoint = workspaceOperation({
  id: 'addEndpoint',
  method: 'post',
  path: '/event-endpoints',
  part: 'events',
  act: 'endpoint.add',
  tag: 'Events',
  summary: 'Add an endpoint',
  description:
    'From now on events of the workspace are delivered to an address of your application, as Standard Webhooks 1.0 describes it: `POST` with the event as JSON, '
      + '`webhook-id`, `webhook-timestamp` and `webhook-signature`. Only a 2xx within 15 seconds counts. Other answers are tried again for five days; then the endpoint '
      + 'is disabled. An event may be delivered more than once, always with the same `webhook-id`. With `"format": "platform"` the address instead receives the notifications about the '
      + 'workspace\'s sender, as the platform sends them, with `X-Hub-Signature-256`, whose key is the whole `secret`.',
  body: {
    codec: AddEndpointRequest,
    forms: false,
    examples: { messages: { value: { url: 'https://shop.example/postern', types: ['message.*'], description: 'the shop' } } },
  },
  reply: {
    status: 201,
    description: 'The endpoint, with the secret that signs its deliveries.',
    codec: EndpointWithSecret,
    example: NEW_ENDPOINT_EXAMPLE,
  },
  failures: { InvalidEndpointUrl: true, InvalidEventTypes: true, UnknownEventType: true, InvalidDescription: true, TooManyEndpoints: true },
  run: async (
    { postern }: UseCases, { workspace, by, body }: WorkspaceRequest<NoFields, TypeOf<typeof AddEndpointRequest>>,
  ): Outcome<Exclude<AddEndpointError, UnknownWorkspace> | UnknownApiKey, EndpointSecretView> => {
    const added = await served(postern.events).addEndpoint({ by, workspace, ...body })
    if (E.isLeft(added)) return E.left(added.left._tag === 'UnknownWorkspace' ? KEY_OF_NO_WORKSPACE : added.left)
    const { endpoint, secret } = added.right
    return E.right({ value: { ...endpointView(endpoint), secret } })
  },
})

const ChangeEndpointRequest = named('ChangeEndpointRequest', described(fields({}, {
  url: EndpointUrl,
  types: described(EventFilterBody, 'The types of events that it receives from now on.'),
  description: Description,
  status: EndpointStatusWord,
}), 'Omitted fields stay unchanged. Unknown fields are ignored.'))

/** `PATCH /event-endpoints/{id}` */
export const changeEndpoint = workspaceOperation({
  id: 'changeEndpoint',
  method: 'patch',
  path: '/event-endpoints/{id}',
  part: 'events',
  act: 'endpoint.change',
  tag: 'Events',
  summary: 'Change an endpoint',
  description:
    'Changes the given fields. A disabled endpoint receives no events, and its pending attempts are dropped; once it is enabled, it receives the events from then on. '
      + '`POST …/redeliver` delivers the events that it missed. The format cannot be changed.',
  pathParameters: { id: EndpointName },
  body: {
    codec: ChangeEndpointRequest,
    forms: false,
    examples: { enable: { value: { status: 'enabled' } }, move: { value: { url: 'https://shop.example/events' } } },
  },
  reply: { description: 'The endpoint as it is now.', codec: Endpoint, example: ENDPOINT_EXAMPLE },
  failures: {
    NotFound: true, EndpointNotFound: true, InvalidEndpointUrl: true, InvalidEventTypes: true, UnknownEventType: true,
    InvalidDescription: true,
  },
  run: async (
    { postern }: UseCases,
    { workspace, by, parameters: { id }, body }: WorkspaceRequest<{ readonly id: EndpointId }, TypeOf<typeof ChangeEndpointRequest>>,
  ): Outcome<ChangeEndpointError | NotFound, EndpointView> => {
    const changed = await served(postern.events).changeEndpoint({ by, workspace, id, change: body })
    return E.isLeft(changed) ? changed : E.right({ value: endpointView(changed.right) })
  },
})

/** `GET /event-endpoints/{id}` */
export const getEndpoint = workspaceOperation({
  id: 'getEndpoint',
  method: 'get',
  path: '/event-endpoints/{id}',
  part: 'events',
  act: 'event.view',
  tag: 'Events',
  summary: 'Look up an endpoint',
  description: 'One endpoint, without its secret. An endpoint of another workspace is not found.',
  pathParameters: { id: EndpointName },
  reply: { description: 'The endpoint.', codec: Endpoint, example: ENDPOINT_EXAMPLE },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    { postern }: UseCases, { workspace, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<FindEndpointError | NotFound, EndpointView> => {
    const endpoint = await served(postern.events).findEndpoint({ workspace, id })
    return E.isLeft(endpoint) ? endpoint : E.right({ value: endpointView(endpoint.right) })
  },
})

type Endpoints = { readonly endpoints: ReadonlyArray<EndpointView> }

/** `GET /event-endpoints` */
export const listEndpoints = workspaceOperation({
  id: 'listEndpoints',
  method: 'get',
  path: '/event-endpoints',
  part: 'events',
  act: 'event.view',
  tag: 'Events',
  summary: 'List endpoints',
  description: 'All endpoints of the workspace, without their secrets.',
  reply: {
    description: 'The endpoints.',
    codec: named('EventEndpoints', record({ endpoints: described(array(Endpoint), 'Oldest first.') })),
    example: { endpoints: [ENDPOINT_EXAMPLE] },
  },
  failures: {},
  run: async ({ postern }: UseCases, { workspace }: WorkspaceRequest): Outcome<PortFailure, Endpoints> => {
    const endpoints = await served(postern.events).listEndpoints(workspace)
    return E.isLeft(endpoints) ? endpoints : E.right({ value: { endpoints: endpoints.right.map(endpointView) } })
  },
})

/** `DELETE /event-endpoints/{id}` */
export const removeEndpoint = keyedOperation({
  id: 'removeEndpoint',
  method: 'delete',
  path: '/event-endpoints/{id}',
  part: 'events',
  act: 'endpoint.remove',
  tag: 'Events',
  summary: 'Remove an endpoint',
  description: 'Ends the deliveries to it, and deletes its secret, its pending deliveries and its delivery log.',
  pathParameters: { id: EndpointName },
  replies: { 204: { description: 'It is removed.', headers: headerRefs() } },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    { postern }: UseCases, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Promise<E.Either<EndpointActError | NotFound, Reply>> => {
    const removed = await served(postern.events).removeEndpoint({ by, workspace, id })
    return E.isLeft(removed) ? removed : E.right({ status: 204, headers: {}, body: '' })
  },
})

/** `POST /event-endpoints/{id}/rotate-secret` */
export const rotateSecret = workspaceOperation({
  id: 'rotateSecret',
  method: 'post',
  path: '/event-endpoints/{id}/rotate-secret',
  part: 'events',
  act: 'endpoint.rotate_secret',
  tag: 'Events',
  summary: "Replace an endpoint's secret",
  description:
    'Creates a new secret. For 24 hours, deliveries carry the signatures of both secrets, so that your application can switch; after that, the old secret is no longer valid. '
      + 'Each request creates another secret.',
  pathParameters: { id: EndpointName },
  reply: { description: 'The endpoint, with its new secret.', codec: EndpointWithSecret, example: NEW_ENDPOINT_EXAMPLE },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    { postern }: UseCases, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<EndpointActError | NotFound, EndpointSecretView> => {
    const rotated = await served(postern.events).rotateSecret({ by, workspace, id })
    if (E.isLeft(rotated)) return rotated
    const { endpoint, secret } = rotated.right
    return E.right({ value: { ...endpointView(endpoint), secret } })
  },
})

/** `POST /event-endpoints/{id}/test` */
export const testEndpoint = workspaceOperation({
  id: 'testEndpoint',
  method: 'post',
  path: '/event-endpoints/{id}/test',
  part: 'events',
  act: 'endpoint.test',
  tag: 'Events',
  summary: 'Test an endpoint',
  description:
    'Delivers an `endpoint.test` event now, once, and returns the result within 20 seconds, even if the endpoint does not answer. The delivery log '
      + 'contains it too. It is not retried, and does not change whether the endpoint counts as healthy. A disabled endpoint can be tested too.',
  pathParameters: { id: EndpointName },
  reply: { description: 'What came back.', codec: Delivery, example: { ...DELIVERY_EXAMPLE, type: 'endpoint.test' } },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    { postern }: UseCases, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<EndpointActError | NotFound, DeliveryView> => {
    const result = await served(postern.events).testEndpoint({ by, workspace, id })
    return E.isLeft(result) ? result : E.right({ value: deliveryView(result.right) })
  },
})
