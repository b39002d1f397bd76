import type { ReceivedMessage } from '../../apps/simulator/journal.js'
import type { Entry } from '../../core/ports/ledger.js'
import type { MessageRecord } from '../../core/ports/message-log.js'

/** What one reply told a client; none of it where the connection broke. */
export type ClientReply = {
  readonly status: number
  readonly code: string | undefined
  readonly message: string | undefined
  readonly platformId: string | undefined
}

/**
 * One message a client wanted to go out once, to a customer of its own, and what it was told.
 *
 * It was asked for again only under its idempotency key, or after an answer that promises that nothing was sent.
 */
export type Errand = {
  readonly to: string
  readonly key: string | undefined
  readonly replies: ReadonlyArray<ClientReply | 'broken' | 'refused connection'>
}

/** Everything that is known once a run is over. */
export type Evidence = {
  readonly errands: ReadonlyArray<Errand>
  /** Every request to send that reached the platform. */
  readonly arrivals: ReadonlyArray<ReceivedMessage>
  readonly messages: ReadonlyArray<MessageRecord>
  readonly entries: ReadonlyArray<Entry>
}

/** Something that must not be, and the message or customer it is about. */
export type Finding = { readonly about: string; readonly fault: string }
