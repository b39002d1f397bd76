import * as E from 'fp-ts/lib/Either.js'
import { MAX_SAID_LENGTH } from '../consent/words.js'
import { countedIdOf, type CustomerIds } from '../customers/customer.js'
import type {
  CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnanswered, PlatformUnreachable, PortFailure,
} from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Json, JsonObject } from '../kernel/json.js'
import type { Admission } from '../kernel/limits.js'
import type { NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import { type NoSender, requiredSender, type Sender, type SenderDirectory, type SenderId } from '../senders/sender.js'
import type { PlatformId } from './message.js'

/** The platform does not have such an attachment for this sender, or no longer has it. */
export type MediaGone = { readonly _tag: 'MediaGone' }

/** An attachment has no byte of the requested range; `size` is its number of bytes, if the platform reports it. */
export type RangeNotSatisfiable = { readonly _tag: 'RangeNotSatisfiable'; readonly size: number | undefined }

/** A message that a customer wrote: the customer, the sender to whom the customer wrote, and the time. */
export type ReceivedMessage = {
  readonly sender?: SenderId | undefined
  readonly customer: CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }
  readonly message: InboundMessage
  readonly at: Instant
}

/** A customer wrote. The platform may report it again, so the platform's id of the message is the key; its content is stored separately. */
export const messageReceived = (
  workspace: WorkspaceId, { customer, sender, message: { id, type, content, context }, at }: ReceivedMessage,
): NewEvent => ({
  type: 'message.received',
  workspace,
  subject: countedIdOf(customer) ?? id,
  key: `received:${id}`,
  data: {
    id,
    from: {
      phone_number: customer.phoneNumber ?? null, user_id: customer.userId ?? null, name: customer.name ?? null,
      username: customer.username ?? null,
    },
    sender: sender ?? null, type, content: null, context: null, at: new Date(at).toISOString(),
  },
  ...((content ?? context) !== undefined && { content: { content: content ?? null, context: context ?? null } }),
})

/** The platform's id of an attachment. */
export type MediaId = string & { readonly MediaId: unique symbol }

/** The requested bytes of an attachment: from a first byte, counted from 0, to a last byte or to the end; or the given number of last bytes. */
export type ByteRange = { readonly first: number; readonly last?: number } | { readonly lastBytes: number }

const MEDIA_ID = /^[0-9]{1,64}$/

/** The platform's id of an attachment, if the text can be one. */
export const parseMediaId = (text: string): MediaId | undefined => (MEDIA_ID.test(text) ? (text as MediaId) : undefined)

/** The content type of unknown bytes. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/**
 * The content types that the platform documents, none of which a browser runs as a program:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types>.
 *
 * A customer may attach a document of any other type.
 */
export const MEDIA_TYPES: ReadonlyArray<string> = [
  'audio/aac', 'audio/amr', 'audio/mp4', 'audio/mpeg', 'audio/ogg', 'image/jpeg', 'image/png', 'image/webp', 'video/3gpp', 'video/mp4',
  'text/plain', 'application/msword', 'application/pdf', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]

/** A message of a customer in the platform's form. */
export type InboundMessage = {
  readonly id: PlatformId
  /** The platform's name of the type, such as `text` or `image`. */
  readonly type: string
  /** The text or the attachment; absent if contents are not stored. */
  readonly content?: JsonObject
  /** The reference of the message, such as the message that it answers. */
  readonly context?: JsonObject
  /** The words of a message whose content is absent, as `wordsOf` reads them. They are compared with the words that stop messages, and are not stored. */
  readonly words?: string
}

/** The words of a message: its text, or the text of the button of a template or another message that the customer pressed; `undefined` if it has none, or is too long to be a word that stops messages. */
export const wordsOf = ({ type, content, words }: InboundMessage): string | undefined => {
  const found = content === undefined ? words : wordsIn(type, content)
  return typeof found === 'string' && found.length <= MAX_SAID_LENGTH ? found : undefined
}

const wordsIn = (type: string, content: JsonObject): Json | undefined => {
  switch (type) {
    case 'text': return content['body']
    case 'button': return content['text']
    case 'interactive': {
      const { button_reply: reply } = content
      return typeof reply === 'object' && reply !== null && 'title' in reply ? reply['title'] : undefined
    }
    default: return undefined
  }
}

/** A file for the platform. */
export type MediaUpload = {
  readonly sender: Sender
  /** Its content type, which the platform stores with it. */
  readonly type: string
  readonly name: string
  /** The maximum number of bytes, if it is known before they arrive; up to `SIZE_SLACK` fewer may arrive. */
  readonly sizeAtMost: number | undefined
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The platform's operations for a conversation with a customer, apart from sends. They cost nothing. */
export interface Conversation {
  /**
   * Marks a message of a customer as read; the platform also marks the customer's earlier messages.
   *
   * `PlatformRejected`: this message cannot be marked, for example because the sender never received it. `PlatformThrottled`, `CredentialsRefused`:
   * the platform marked nothing. `PlatformUnanswered`: the platform may have marked it. Marking again is harmless and succeeds. Each call
   * makes one request, which is never repeated, and returns before a deadline.
   */
  readonly markRead: (mark: ReadMark) => Promise<E.Either<ConversationError, void>>
  /**
   * Uploads a file as it arrives, for the messages of the sender. Right: the platform's id of the file, which can be used in messages for 30 days.
   *
   * The adapter reads bytes as fast as the platform accepts them, and stores none. If `bytes` throws, the adapter cuts the connection, and the platform keeps nothing.
   * `PlatformRejected`: it does not accept such a file. `PlatformUnanswered`: every other failure. Uploading is free. Each call makes one request,
   * which is never repeated, and has a deadline.
   */
  readonly uploadMedia: (upload: MediaUpload) => Promise<E.Either<ConversationError, MediaId>>
  /**
   * Opens an attachment that the sender received. The bytes are read from the platform as fast as the reader reads them, and are not stored.
   *
   * Right: the attachment, which must be read to its end, left, or closed. `MediaGone`: this sender received no such attachment, or the platform no longer
   * has it. `RangeNotSatisfiable`: the attachment has no byte of the range. `PlatformRejected`, `PlatformThrottled`, `CredentialsRefused`: the
   * platform refused. `PlatformUnanswered`: the platform was not reached, or its answer cannot be the attachment. The answer
   * arrives before a deadline, and so does the end of the bytes, however slow the platform or the reader is. The token is sent only to the platform.
   */
  readonly openMedia: (wanted: WantedMedia) => Promise<E.Either<MediaError, Media>>
}

/** A message of a customer to mark as read, and the sender that received it. */
export type ReadMark = {
  readonly sender: Sender
  readonly message: PlatformId
  /** Whether the customer also sees that an answer is being written: until the next message, for 25 seconds at most. */
  readonly typing: boolean
}

/** Why the platform did not do the requested operation. */
export type ConversationError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnanswered

/** An attachment to open, and the sender that received it. */
export type WantedMedia = {
  readonly sender: Sender
  readonly id: MediaId
  /** The requested part; the whole attachment if absent. The platform may return all of it anyway. */
  readonly range: ByteRange | undefined
}

/** An open attachment. */
export type Media = {
  /** The content type that the platform reports, in lower case and without parameters. A customer may choose it, so do not pass it to a program that would execute it. */
  readonly type: string
  /** The SHA-256 of the whole attachment, as 64 lowercase hexadecimal digits; absent if the platform does not report it. */
  readonly sha256?: string
  /** The number of bytes that follow; `undefined` if the platform does not report it. */
  readonly length: number | undefined
  /** Which bytes follow, counted from 0, and the total size if the platform reports it; `undefined` for the whole attachment. */
  readonly part: { readonly first: number; readonly last: number; readonly size: number | undefined } | undefined
  /**
   * The bytes, to be read once. A reader that leaves the loop ends the download. The loop throws if the download breaks off, is longer than the platform's
   * longest attachments, or stalls for too long. The thrown value is for the log and contains no secret.
   */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the download; it has no effect after the end. */
  readonly close: () => void
}

/** Why an attachment is not opened. */
export type MediaError = ConversationError | MediaGone | RangeNotSatisfiable

/** Opens an attachment of a customer's message. The caller reads it to its end, or closes it. */
export type OpenMedia = (command: OpenMediaCommand) => Promise<E.Either<OpenMediaError, Media>>

/** `id` is the platform's id of the attachment of a message to the sender, or to the default sender; without a `range` the whole attachment is opened. */
export type OpenMediaCommand = {
  readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly id: MediaId; readonly range?: ByteRange
}

/** How opening can fail. */
export type OpenMediaError = NoSender | MediaError | PortFailure

/** The dependencies of opening. */
export type OpenMediaDeps = { readonly conversation: Pick<Conversation, 'openMedia'>; readonly senders: Pick<SenderDirectory, 'senderOf'> }

export const makeOpenMedia =
  ({ conversation, senders }: OpenMediaDeps): OpenMedia =>
  async ({ workspace, sender: named, id, range }) => {
    const sender = await requiredSender(senders, { workspace, sender: named })
    return E.isLeft(sender) ? sender : conversation.openMedia({ sender: sender.right, id, range })
  }

/** Marks a customer's message as read, so that the customer sees it. It neither opens nor prolongs the customer service window. */
export type MarkRead = (command: MarkReadCommand) => Promise<E.Either<MarkReadError, void>>

/** `message` is the platform's id of the customer's message to the sender, or to the default sender; `typing` also shows that an answer is being written. */
export type MarkReadCommand = {
  readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly message: PlatformId; readonly typing: boolean
}

/** How marking can fail. `PlatformUnreachable`: too many calls are waiting for the platform. */
export type MarkReadError = NoSender | PlatformUnreachable | ConversationError | PortFailure

/** The dependencies of marking. */
export type MarkReadDeps = {
  readonly conversation: Pick<Conversation, 'markRead'>
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  /** Limits how many calls to the platform run simultaneously, including sends; if absent, every call starts immediately. */
  readonly admission?: Pick<Admission, 'admit'>
}

export const makeMarkRead =
  (deps: MarkReadDeps): MarkRead =>
  async ({ workspace, sender: named, message, typing }) => {
    const sender = await requiredSender(deps.senders, { workspace, sender: named })
    return E.isLeft(sender) ? sender : admitted(deps, workspace, { sender: sender.right, message, typing })
  }

const admitted = async (
  { conversation, admission }: MarkReadDeps, workspace: WorkspaceId, mark: ReadMark,
): Promise<E.Either<MarkReadError, void>> => {
  if (admission === undefined) return conversation.markRead(mark)
  const permit = await admission.admit(workspace)
  if (E.isLeft(permit)) return permit
  try {
    return await conversation.markRead(mark)
  } finally {
    permit.right.release()
  }
}
