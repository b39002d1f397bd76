import type { MessageState } from '../../core/delivery.js'

const EACH: Record<MessageState, true> = {
  pending: true, accepted: true, sent: true, delivered: true, read: true, failed: true,
  refused: true, unconfirmed: true, released: true,
}

/** Every state of a message; the record above does not compile without one that is added. */
export const STATES = Object.keys(EACH) as ReadonlyArray<MessageState>
