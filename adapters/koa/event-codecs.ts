import * as E from 'fp-ts/lib/Either.js'
import {
  type DeliveryStatus, ENDPOINT_URL_FORM, type EndpointId, type EndpointStatus, isEndpointId, MAX_DESCRIPTION_LENGTH, MAX_ENDPOINT_URL_LENGTH, MAX_EVENT_TYPES,
  parseEndpointUrl,
} from '../../core/events/endpoint.js'
import { EVENT_ID_FORM, type EventId, isEventId } from '../../core/kernel/ids.js'
import { EVENT_TYPES, type EventFilter, type EventType, isEventPattern } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { wellFormed, withoutControls } from './codecs.js'
import { array, atMost, type Codec, commaSeparated, count, described, named, nullable, orElse, parsed, string, word } from './schema.js'

const endpointId = parsed({ type: 'string', pattern: '^ep_[0-9a-f]{32}$' }, 'an id of an endpoint, ep_…', (text) => (isEndpointId(text) ? text : undefined))
const eventId = parsed({ type: 'string', pattern: EVENT_ID_FORM.source }, 'an id of an event, evt_…', (text) => (isEventId(text) ? text : undefined))

/** An endpoint's id in an address; a text of another form is not found. */
export const EndpointName: Codec<EndpointId> =
  orElse(described(endpointId, "The endpoint's id, `ep_…`.", 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'), { _tag: 'NotFound' })

/** An event's id in an address; a text of another form is not found. */
export const EventName: Codec<EventId> =
  orElse(described(eventId, "The event's id, `evt_…`.", 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'), { _tag: 'NotFound' })

/** An endpoint's id in a body or a reply. */
export const EndpointIdText: Codec<EndpointId> = named('EndpointId', described(endpointId, "An endpoint's id."))

/** An event's id in a query or a reply. */
export const EventIdText: Codec<EventId> = named('EventId', described(eventId, "An event's id. A receiver recognises a repetition by it."))

/** What happened, in a reply. */
export const EventTypeWord: Codec<EventType> = named('EventType', word<EventType>({
  'message.accepted': 'the platform accepted a message',
  'message.sent': 'it is on its way to the customer',
  'message.delivered': 'it is on the device of the customer',
  'message.read': 'the customer has seen it',
  'message.failed': 'it was not delivered; its price was refunded',
  'message.refused': 'it was never sent; nothing was charged',
  'message.unconfirmed': 'it may or may not have been sent',
  'message.released': 'it was given up, and its price was given back',
  'message.received': 'a customer wrote',
  'window.opened': 'a customer wrote, and the customer service window was closed before',
  'customer.changed': 'a pair of ids of a customer was learned or ended',
  'wallet.topped_up': 'money was added',
  'wallet.low': 'what the wallet can spend fell below its threshold',
  'wallet.exhausted': 'the wallet could not cover a message',
  'template.changed': 'the status, the category or the quality of a template changed',
  'sender.failing': 'the platform refuses the credentials of the sender',
  'sender.recovered': 'the platform accepts them again',
  'key.minted': 'an API key was made',
  'key.revoked': 'an API key was revoked',
  'endpoint.disabled': 'an endpoint was disabled, because it failed for five days or said that it is gone',
  'endpoint.test': 'a test of an endpoint was asked for',
}))

/** The groups of types, and the types, in the order of the types. */
const PATTERNS: ReadonlyArray<string> = ['*', ...new Set(EVENT_TYPES.flatMap((type) => [type.replace(/\..*$/, '.*'), type]))]

/** A type, a group of types, or all types. */
export const EventPattern: Codec<string> = named('EventPattern', described(
  parsed({ type: 'string', enum: PATTERNS }, 'a type of event such as message.delivered, a group such as message.*, or *',
    (text) => (isEventPattern(text) ? text : undefined)),
  'A type of event, a group of types such as `message.*`, or `*` for all.',
))

/** The types of events that an endpoint gets, in a request. */
export const EventFilterBody: Codec<EventFilter> = array(EventPattern, 'an array', { minItems: 1, maxItems: MAX_EVENT_TYPES, uniqueItems: true })

/** Types of events in a query. */
export const EventFilterQuery: Codec<EventFilter> = described(commaSeparated(EventFilterBody), 'Only events of these types, separated by commas, such as `message.received,wallet.*`.')

/** Whether events are delivered to an endpoint. */
export const EndpointStatusWord = named('EndpointStatus', word<EndpointStatus>({
  enabled: 'events are delivered to it',
  disabled: 'no events are delivered to it; once it is enabled, it gets those that happen from then on',
}))

/** What came of an attempt to deliver an event. */
export const DeliveryStatusWord = named('DeliveryStatus', word<DeliveryStatus>({
  delivered: 'the endpoint took the event: it answered with a 2xx within 15 seconds', failed: 'it did not',
}))

/** The HTTP status of an endpoint's answer. */
export const HttpStatus = nullable(count, 'The HTTP status of the answer; null where none came.')

/** The address of an endpoint in a request. */
export const EndpointUrl: Codec<string> = described(
  parsed({ type: 'string', pattern: ENDPOINT_URL_FORM.source, maxLength: MAX_ENDPOINT_URL_LENGTH, 'x-maxUtf16Length': MAX_ENDPOINT_URL_LENGTH },
    `an absolute https URL without a user, a password or a fragment, of at most ${MAX_ENDPOINT_URL_LENGTH} characters`, endpointUrlOf),
  'Where events go: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only where the operator allows them; ' +
  'that is checked at each delivery.',
  'https://shop.example/postern',
)

function endpointUrlOf(text: string): string | undefined {
  const url = parseEndpointUrl(text)
  return E.isRight(url) && isUrl(url.right) ? url.right : undefined
}

/** Not `URL.canParse`: that of Node.js 22 misreads letters outside ASCII once the process has called it some hundred times. */
function isUrl(text: string): boolean {
  return (URL.parse(text)?.hostname ?? '') !== ''
}

/** What an endpoint is for, in a request. */
export const Description: Codec<string> = described(
  string(atMost(MAX_DESCRIPTION_LENGTH), wellFormed, withoutControls), `What it is for, in your words: at most ${MAX_DESCRIPTION_LENGTH} characters on one line.`,
)

const MOMENT = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/

/** A moment in a request. */
export const Moment: Codec<Instant> = described(
  parsed({ type: 'string', pattern: MOMENT.source }, 'a moment as ISO 8601 writes it, with its time zone, such as 2026-03-01T12:00:00Z', momentOf),
  'A moment as ISO 8601 writes it, with its time zone.', '2026-03-01T12:00:00Z',
)

function momentOf(text: string): Instant | undefined {
  const day = text.slice(0, 10)
  // Date.parse takes the 31st of February for the 3rd of March.
  const isDay = MOMENT.test(text) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  return isDay ? Date.parse(text) : undefined
}
