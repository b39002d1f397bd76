import type { ReceivedMessage } from '../../apps/simulator/control/logs.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import type { MessageId, MessageRecord } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'

/** One reply to a client. */
export type ClientReply = {
  readonly status: number
  readonly code: string | undefined
  readonly message: string | undefined
  readonly platformId: string | undefined
}

/**
 * One message that a client sends once to its own customer, and the replies.
 *
 * It was repeated only with its idempotency key, or after a response that promises that nothing was sent.
 */
export type ClientRequest = {
  readonly to: string
  readonly key: string | undefined
  readonly replies: ReadonlyArray<ClientReply | 'broken' | 'refused connection'>
}

/** The outcome that an operator set for a message, and the gateway's response. */
export type Answered = { readonly message: MessageId; readonly outcome: 'sent' | 'not_sent'; readonly result: string }

/** The data at the end of a run. */
export type RunRecord = {
  readonly requests: ReadonlyArray<ClientRequest>
  /** Every request to send that reached the platform. */
  readonly arrivals: ReadonlyArray<ReceivedMessage>
  readonly messages: ReadonlyArray<MessageRecord>
  readonly entries: ReadonlyArray<Entry>
  readonly answered?: ReadonlyArray<Answered>
  readonly audited?: ReadonlyArray<AuditEntry>
  /** How many texts of each sender are free in the month of the run. */
  readonly freeTexts?: number
}

/** A violation, and the message or customer that it concerns. */
export type Finding = { readonly about: string; readonly fault: string }
