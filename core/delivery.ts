import type { JsonObject } from './json.js'
import type { PlatformId } from './message.js'
import type { Instant } from './time.js'

/**
 * Where a message is in its life.
 *
 * `pending` is durable and perhaps on its way; `accepted` by the platform; `sent`, `delivered`, `read` and `failed` are
 * what the platform reports later; `refused` never left; `unconfirmed` may or may not have gone; `released` was given up.
 */
export type MessageState =
  | 'pending' | 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'refused' | 'unconfirmed' | 'released'

/** Something learnt about a message: the state it speaks of, when that happened, and what came with it. */
export type Change = {
  readonly state: Exclude<MessageState, 'pending'>
  readonly at: Instant
  readonly platformId?: PlatformId
  /** Why it was refused or failed; the platform's own error object where the platform said so. */
  readonly error?: JsonObject
  /** What the platform reports on billing: `pricing` of a status. */
  readonly pricing?: JsonObject
}

/** What the money set aside for a message should become. */
export type MoneyMove = 'keep' | 'capture' | 'release' | 'refund'

const RANK: Record<MessageState, number> = {
  pending: 0, unconfirmed: 1, refused: 2, released: 2, accepted: 3, sent: 4, failed: 5, delivered: 6, read: 7,
}

/**
 * The state after a change is heard of: sent < delivered < read, never back.
 *
 * `failed` is terminal, and comes too late once the message is known to be delivered. A message that was refused or given
 * up moves on if the platform reports on it after all. Hearing a change again, or late, changes nothing.
 */
export const merge = (from: MessageState, to: MessageState): MessageState =>
  from !== 'failed' && RANK[to] > RANK[from] ? to : from

/** Whether a change leaves a mark in the message's history: every one that moves the state does, and some that come too late to. */
export const isRemembered = (from: MessageState, to: MessageState): boolean =>
  merge(from, to) === to || (RANK[from] >= RANK.sent && from !== 'failed' && (to === 'sent' || to === 'delivered'))

/** What a message's state says of its money. */
export const moneyMove = (state: MessageState): MoneyMove => {
  switch (state) {
    case 'pending': case 'unconfirmed': return 'keep'
    case 'accepted': case 'sent': case 'delivered': case 'read': return 'capture'
    case 'refused': case 'released': return 'release'
    case 'failed': return 'refund'
  }
}

/** Whether the message may have gone or has gone, so that its idempotency key must go on guarding it. */
export const guardsKey = (state: MessageState): boolean => state !== 'refused' && state !== 'released'

/** Whether the outcome of the message is not known yet. */
export const isOpenEnded = (state: MessageState): boolean => state === 'pending' || state === 'unconfirmed'
