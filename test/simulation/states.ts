import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId, MessageState } from '../../core/messages/message.js'
import type { HoldState } from '../../core/money/wallet.js'
import type { Spent } from './rules.js'

/** The known data of a message, which the simulation keeps separately from the storage. */
export type Known = {
  readonly workspace: WorkspaceId
  readonly id: MessageId
  readonly key: string | undefined
  readonly openedAt: Instant
  readonly wasQueued: boolean
  /** When it was claimed, if it was queued. */
  claimedAt?: Instant
  /** Taken from the free messages of its sender. */
  isFree: boolean
  micros: bigint
  state: MessageState
  hold: HoldState | undefined
  /** The limit of a key to which its price counts. */
  spent: Spent | undefined
  /** The outcome that an operator set. */
  resolved?: 'sent' | 'not_sent'
  /** The person was erased, so the platform's id is no longer known and our id counts again. */
  isForgotten?: true
}

/** The allowed next states, according to the documents; written again here, so that a fault in the core's own table is noticed. */
export const MAY_FOLLOW: Readonly<Record<MessageState, ReadonlyArray<MessageState>>> = {
  queued: ['pending', 'refused', 'canceled'],
  canceled: [],
  pending: ['unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played'],
  unconfirmed: ['refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played'],
  refused: ['accepted', 'sent', 'failed', 'delivered', 'read', 'played'],
  released: ['accepted', 'sent', 'failed', 'delivered', 'read', 'played'],
  accepted: ['sent', 'failed', 'delivered', 'read', 'played'],
  sent: ['failed', 'delivered', 'read', 'played'],
  failed: [],
  delivered: ['read', 'played'],
  read: ['played'],
  played: [],
}

/** The state of the hold of a message in each state, according to the documents. */
export const HOLD_OF: Readonly<Record<MessageState, HoldState | undefined>> = {
  queued: undefined, canceled: 'released',
  pending: 'held', unconfirmed: 'held', refused: 'released', released: 'released', accepted: 'captured', sent: 'captured',
  delivered: 'captured', read: 'captured', played: 'captured', failed: 'refunded',
}

/** The order of the states of a hold. */
export const HOLD_RANK: Readonly<Record<HoldState, number>> = { held: 0, released: 1, captured: 2, refunded: 3 }
