import type { DeliveryView } from '../../../core/events/delivery.js'
import { Time } from '../codecs.js'
import { DeliveryStatusWord, EventIdText, EventTypeWord, HttpStatus } from '../event-codecs.js'
import { type Codec, count, described, named, nullable, record, string } from '../schema.js'

/** An attempt to deliver an event in a reply. */
export const Delivery: Codec<DeliveryView> = named('Delivery', described(record({
  id: string(),
  event: EventIdText,
  type: EventTypeWord,
  status: DeliveryStatusWord,
  http_status: HttpStatus,
  duration_ms: described(count, 'How long the attempt took, in milliseconds.'),
  error: nullable(string(), 'Why it failed, in a sentence; null where it was delivered.'),
  answer: nullable(string(), 'The beginning of the body of the answer, at most 8 KiB; null where there is none.'),
  at: described(Time, 'When the attempt was made.'),
  next_attempt_at: nullable(Time, 'When the event is tried again; null where it was delivered or given up.'),
}), 'One attempt to deliver an event to an endpoint.'))

/** An attempt as examples show it. */
export const DELIVERY_EXAMPLE: DeliveryView = {
  id: '0199c3a87c2e7b1f9d5a4e6b8c0d2f41', event: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.delivered', status: 'delivered', http_status: 204,
  duration_ms: 38, error: null, answer: null, at: '2026-03-01T12:00:03.000Z', next_attempt_at: null,
}
