import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PlatformError } from '../errors.js'
import type { Accepted, Message, MessageId } from '../message.js'
import type { Sender } from './senders.js'

export type { CredentialsRefused, OutcomeUnknown, PlatformError, PlatformRejected, PlatformThrottled, PlatformUnreachable } from '../errors.js'
export type { Accepted, Message, MessageId, PlatformId } from '../message.js'
export type { Sender } from './senders.js'

/** The messaging network's cloud API. */
export interface Platform {
  /**
   * Sends a message once, through a sender, with our id so that later reports can be matched.
   *
   * Right: the platform's id of the accepted message, and the ids of the customer where its answer names them. `PlatformRejected`, `PlatformThrottled`, `CredentialsRefused`: the platform
   * answered that it did not accept it. `PlatformUnreachable`: the platform was not reached. `OutcomeUnknown`: the platform may have
   * accepted it; every doubtful case is this one. Nothing is ever sent twice, and an answer comes within a deadline.
   */
  readonly send: (outbound: Outbound) => TaskEither<PlatformError, Accepted>
}

/** A message to send, with its sender. */
export type Outbound = { readonly id: MessageId; readonly sender: Sender; readonly message: Message }
