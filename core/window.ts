import * as O from 'fp-ts/lib/Option.js'
import { HOUR_MS, type Instant } from './time.js'

/** How long a customer's message keeps the customer service window open. */
export const WINDOW_MS = 24 * HOUR_MS

/** The moment at which the window that a customer's message opened is closed. */
export const closesAt = (lastInbound: Instant): Instant => lastInbound + WINDOW_MS

/** Whether the window is open: it is at 23:59:59.999 after the customer's latest message and no longer at 24:00:00.000. */
export const isOpen = (now: Instant, lastInbound: O.Option<Instant>): boolean =>
  O.isSome(lastInbound) && now < closesAt(lastInbound.value)
