import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PlatformError } from '../errors.js'
import type { Message, MessageId, PlatformId } from '../message.js'
import type { Sender } from './senders.js'

export type { CredentialsRefused, OutcomeUnknown, PlatformError, PlatformRejected, PlatformThrottled, PlatformUnreachable } from '../errors.js'
export type { Message, MessageId, PlatformId } from '../message.js'
export type { Sender } from './senders.js'

/** The messaging network's cloud API. */
export interface Platform {
  /**
   * Hands a message over, once, through a sender, marked with our id so that later reports can be matched.
   *
   * Right: the platform accepted it, under this id. `PlatformRejected`, `PlatformThrottled`, `CredentialsRefused`: it
   * answered that it did not. `PlatformUnreachable`: it was never reached. `OutcomeUnknown`: it may have accepted the
   * message; this is the answer in every case where that cannot be ruled out. Nothing is ever sent twice, and
   * an answer comes within a deadline.
   */
  readonly send: (outbound: Outbound) => TaskEither<PlatformError, PlatformId>
}

/** A message on its way out. */
export type Outbound = { readonly id: MessageId; readonly sender: Sender; readonly message: Message }
