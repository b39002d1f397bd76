import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnanswered } from '../errors.js'
import type { PlatformId } from '../message.js'
import type { Sender } from './senders.js'

export type { CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnanswered } from '../errors.js'
export type { PlatformId } from '../message.js'
export type { Sender } from './senders.js'

/** What the platform offers for a conversation with a customer, besides sends. It costs nothing. */
export interface Conversation {
  /**
   * Marks a message of a customer as read; the platform marks the customer's earlier messages with it.
   *
   * `PlatformRejected`: this message cannot be marked, as where the sender never received it. `PlatformThrottled`, `CredentialsRefused`:
   * the platform marked nothing. `PlatformUnanswered`: the platform may have marked it. Marking again is harmless and succeeds. Each run
   * is one call, which is never repeated, and an answer comes within a deadline.
   */
  readonly markRead: (mark: ReadMark) => TaskEither<ConversationError, void>
}

/** A message of a customer to mark as read, and the sender that received it. */
export type ReadMark = {
  readonly sender: Sender
  readonly message: PlatformId
  /** Whether the customer is also shown that an answer is being written: until the next message, for 25 seconds at most. */
  readonly typing: boolean
}

/** Why the platform did not do what was asked. */
export type ConversationError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnanswered
