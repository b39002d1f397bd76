import type { WindowView } from '../../../core/customers/window.js'
import { Time } from '../codecs.js'
import { boolean, type Codec, described, named, nullable, record } from '../schema.js'

/** A customer service window in a reply. */
export const Window: Codec<WindowView> = named('Window', described(record({
  open: described(boolean, 'Whether a text may be sent now.'),
  last_inbound_at: nullable(Time, "When the customer's latest message came; null where there was none."),
  closes_at: nullable(Time, '24 hours after that; null where the customer never wrote.'),
}), 'The customer service window of one customer.'))

/** A window as examples show it. */
export const WINDOW_EXAMPLE: WindowView = { open: true, last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z' }
