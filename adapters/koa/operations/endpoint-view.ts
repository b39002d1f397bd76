import type { EndpointView } from '../../../core/events/endpoint.js'
import { Time } from '../codecs.js'
import { DeliveryStatusWord, EndpointIdText, EndpointStatusWord, EventPattern, HttpStatus } from '../event-codecs.js'
import { array, type Codec, described, form, named, nullable, record, string } from '../schema.js'

const fields = {
  id: EndpointIdText,
  url: string(),
  types: described(array(EventPattern), 'Which types of events it gets.'),
  description: described(string(), 'What it is for; empty where nothing was said.'),
  status: EndpointStatusWord,
  failing_since: nullable(Time, 'Since when every attempt has failed; null while it is healthy.'),
  last_delivery: nullable(record({ at: Time, status: DeliveryStatusWord, http_status: HttpStatus }), 'The latest attempt; null before the first.'),
  created_at: Time,
}

/** An endpoint in a reply. */
export const Endpoint: Codec<EndpointView> = named('EventEndpoint', described(record(fields), 'An address to which events of the workspace are delivered.'))

/** An endpoint with its secret: only where it was just made. */
export type EndpointSecretView = EndpointView & { readonly secret: string }

/** An endpoint in the reply that has its secret. */
export const EndpointWithSecret: Codec<EndpointSecretView> = named('EventEndpointWithSecret', described(record({
  ...fields,
  secret: described(
    string(form(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'a secret')), 'Signs the deliveries, as Standard Webhooks describes it. It is shown in this reply alone, so keep it now.',
  ),
}), 'An endpoint, and the secret with which its deliveries are signed.'))

/** An endpoint as examples show it. */
export const ENDPOINT_EXAMPLE: EndpointView = {
  id: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', url: 'https://shop.example/postern', types: ['message.*'], description: 'the shop', status: 'enabled',
  failing_since: null, last_delivery: { at: '2026-03-01T12:00:03.000Z', status: 'delivered', http_status: 204 }, created_at: '2026-03-01T12:00:00.000Z',
}

/** A new endpoint as examples show it. */
export const NEW_ENDPOINT_EXAMPLE: EndpointSecretView = {
  ...ENDPOINT_EXAMPLE, last_delivery: null, secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
}
