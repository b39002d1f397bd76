import type { JsonObject } from './json.js'
import type { PlatformId } from './message.js'
import type { Instant } from './time.js'

/**
 * The states of a message, each before the states that it leads to.
 *
 * `pending` is durable and perhaps on its way; `unconfirmed` may or may not have gone; `refused` was never sent; `released`
 * was given up; `accepted` by the platform; `sent`, `failed`, `delivered` and `read` are what the platform reports later.
 */
export const MESSAGE_STATES = [
  'pending', 'unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read',
] as const

/** The state of a message. */
export type MessageState = (typeof MESSAGE_STATES)[number]

/** A report on a message: the state it came into, when, and what the report said besides. */
export type StateChange = {
  readonly state: Exclude<MessageState, 'pending'>
  readonly at: Instant
  readonly platformId?: PlatformId
  /** Why it was refused or failed; the platform's own error object where the platform said so. */
  readonly error?: JsonObject
  /** What the platform reports on billing: `pricing` of a status. */
  readonly pricing?: JsonObject
}

/** What is to be done with the money held for a message. */
export type MoneyMove = 'keep' | 'capture' | 'release' | 'refund'

const RANK: Record<MessageState, number> = {
  pending: 0, unconfirmed: 1, refused: 2, released: 2, accepted: 3, sent: 4, failed: 5, delivered: 6, read: 7,
}

/**
 * The state after a change: sent < delivered < read, and never back.
 *
 * `failed` is final, and changes nothing once the message is known to be delivered. A message that was refused or released
 * moves on if the platform reports on it after all. A repeated or late change changes nothing.
 */
export const merge = (from: MessageState, to: MessageState): MessageState =>
  from !== 'failed' && RANK[to] > RANK[from] ? to : from

/** Whether a change enters the message's history: every change that moves the state does, and so do `sent` and `delivered` that come late. */
export const entersHistory = (from: MessageState, to: MessageState): boolean =>
  merge(from, to) === to || (RANK[from] >= RANK.sent && from !== 'failed' && (to === 'sent' || to === 'delivered'))

/** What a message's state requires of its money. */
export const moneyMove = (state: MessageState): MoneyMove => {
  switch (state) {
    case 'pending': case 'unconfirmed': return 'keep'
    case 'accepted': case 'sent': case 'delivered': case 'read': return 'capture'
    case 'refused': case 'released': return 'release'
    case 'failed': return 'refund'
  }
}

/** Whether the idempotency key goes on guarding the message, because it has gone or may have gone. */
export const keepsIdempotencyKey = (state: MessageState): boolean => state !== 'refused' && state !== 'released'

/** Whether it is not known yet whether the platform accepted the message. */
export const isOutcomeUnknown = (state: MessageState): boolean => state === 'pending' || state === 'unconfirmed'
