import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CredentialsRefused, MediaGone, PlatformRejected, PlatformThrottled, PlatformUnanswered, RangeNotSatisfiable } from '../errors.js'
import type { ByteRange, MediaId } from '../media.js'
import type { PlatformId } from '../message.js'
import type { Sender } from './senders.js'

export type { CredentialsRefused, MediaGone, PlatformRejected, PlatformThrottled, PlatformUnanswered, RangeNotSatisfiable } from '../errors.js'
export type { ByteRange, MediaId } from '../media.js'
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
  /**
   * Opens an attachment that the sender received. The bytes are read from the platform as the reader takes them, and are kept nowhere.
   *
   * Right: the attachment, which has to be read to its end, left, or closed. `MediaGone`: this sender received no such attachment, or the platform no longer
   * has it. `RangeNotSatisfiable`: the attachment has no byte of the range. `PlatformRejected`, `PlatformThrottled`, `CredentialsRefused`: the
   * platform refused. `PlatformUnanswered`: the platform was not reached, or answered something that cannot be the attachment. An answer
   * comes within a deadline, and so does the end of the bytes, however slowly the platform or the reader is. The token is sent only to the platform.
   */
  readonly openMedia: (wanted: WantedMedia) => TaskEither<MediaError, Media>
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

/** An attachment to open, and the sender that received it. */
export type WantedMedia = {
  readonly sender: Sender
  readonly id: MediaId
  /** The part that is wanted; all of it where there is none. The platform may give all of it anyway. */
  readonly range: ByteRange | undefined
}

/** An open attachment. */
export type Media = {
  /** The content type that the platform names, in lower case and without parameters. A customer may choose it, so nothing that would run it should get it. */
  readonly type: string
  /** How many bytes come; `undefined` where the platform does not say. */
  readonly length: number | undefined
  /** Which bytes come, counted from 0, and of how many if the platform says so; `undefined` for all of them. */
  readonly part: { readonly first: number; readonly last: number; readonly size: number | undefined } | undefined
  /**
   * The bytes, to be read once. Who leaves the loop ends the download. The loop throws if the download breaks off, is longer than the platform's
   * longest attachments, or stands still for too long; what it throws is for the log and holds no secret.
   */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the download; of no effect after the end. */
  readonly close: () => void
}

/** Why an attachment is not opened. */
export type MediaError = ConversationError | MediaGone | RangeNotSatisfiable
