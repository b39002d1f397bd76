import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import type { WindowClock } from '../customers/window.js'
import type { PlatformUnreachable, PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Conversation, ConversationError } from '../messages/conversation.js'
import {
  brokenFile, contentTypeOf, emptyFile, type FileBytes, type FileType, fileTypeOf, type IncomingFile, maxBytesOf, type MediaInvalid,
  SIZE_SLACK, UPLOAD_KEPT_MS, type UploadedFile, type UploadedFiles, type UploadKey, wrongSize,
} from '../messages/files.js'
import { type Addressed, type ContentMessage, type IdempotencyKey, requestOf, type Sent } from '../messages/message.js'
import type { SendingKey } from '../money/wallet.js'
import { type NoSender, requiredSender, type Sender, type SenderDirectory, type SenderId } from '../senders/sender.js'
import type { QuoteError, QuoteMessage } from './quote.js'
import { type AsPerson, noted, type ReplayDeps, type ReplayError, replayOf, type SendAsPersonDeps, type SendError } from './send.js'

/** Uploads a file to the platform through the sender of a workspace. A file that the platform still has is not uploaded again. It costs nothing. */
export type UploadFile = (command: UploadCommand) => Promise<E.Either<UploadError, Upload>>

/** A file for the sender, or for the default sender, and the type of message that it is for; by default its content type decides. */
export type UploadCommand = {
  readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly file: IncomingFile; readonly type?: FileType }

/** An uploaded file; `isNew` if this call uploaded it. */
export type Upload = UploadedFile & { readonly isNew: boolean }

/**
 * How an upload can fail. Nothing was sent and nothing charged.
 *
 * `MediaInvalid`: the file is empty, too large, not of its type, or did not arrive whole. `PlatformUnreachable`: too many calls are waiting for the platform.
 */
export type UploadError = MediaInvalid | NoSender | PlatformUnreachable | ConversationError | PortFailure

/** The dependencies of an upload. */
export type UploadDeps = {
  readonly conversation: Pick<Conversation, 'uploadMedia'>
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly fileBytes: FileBytes
  readonly uploadedFiles: UploadedFiles
}

/** How many bytes of a file are read before its upload starts. The digest of a file that is not larger is known before its upload. */
const HELD_BYTES = 256 * 1024

/** How many of the first bytes are read to detect the type of a file. */
const FIRST_BYTES = 4_100

export const makeUploadFile =
  (deps: UploadDeps): UploadFile =>
  async ({ workspace, sender: named, file, type }) => {
    const sender = await requiredSender(deps.senders, { workspace, sender: named })
    if (E.isLeft(sender)) return sender
    const bytes = file.bytes[Symbol.asyncIterator]()
    try {
      const opened = await openFile(deps, file, type, bytes)
      return E.isLeft(opened) ? opened : await uploadOpened(deps, { workspace, sender: sender.right }, file, opened.right)
    } finally {
      await bytes.return?.()
    }
  }

type Bytes = AsyncIterator<Uint8Array>

/** A file whose first bytes were read and match its declared type. */
type OpenedFile = {
  readonly contentType: string
  readonly for: FileType
  readonly maxBytes: number
  readonly head: Head
  readonly bytes: Bytes
}

const openFile = async (
  { fileBytes }: Pick<UploadDeps, 'fileBytes'>, file: IncomingFile, type: FileType | undefined, bytes: Bytes,
): Promise<E.Either<MediaInvalid, OpenedFile>> => {
  const head = await headOf(bytes)
  if (head === undefined) return E.left(brokenFile)
  const first = head.bytes.subarray(0, FIRST_BYTES)
  if (first.length === 0) return E.left(emptyFile)
  const shown = await fileBytes.typeOf(first)
  const purpose = type ?? fileTypeOf(shown)
  const contentType = contentTypeOf(purpose, file, first, shown)
  if (E.isLeft(contentType)) return contentType
  const maxBytes = maxBytesOf(purpose, first)
  if (Math.max((file.sizeAtMost ?? 0) - SIZE_SLACK, head.bytes.length) > maxBytes) return E.left(wrongSize(purpose, maxBytes))
  return E.right({ contentType: contentType.right, for: purpose, maxBytes, head, bytes })
}

/** The beginning of a file; `isWhole` if nothing follows. */
type Head = { readonly bytes: Uint8Array; readonly isWhole: boolean }

/** Reads the beginning of a file; `undefined` if the file breaks off before that. */
const headOf = async (bytes: Bytes): Promise<Head | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    while (size < HELD_BYTES) {
      const next = await bytes.next()
      if (next.done === true) return { bytes: joined(chunks, size), isWhole: true }
      chunks.push(next.value)
      size += next.value.length
    }
  } catch {
    return undefined
  }
  return { bytes: joined(chunks, size), isWhole: false }
}

const joined = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

type Through = { readonly workspace: WorkspaceId; readonly sender: Sender }

/**
 * Uploads a file while it arrives, unless the platform already has the same bytes.
 *
 * The digest is known only after the last byte, so the last piece is held back until the digest was looked up. The upload of known bytes is aborted before its
 * end, and the platform keeps nothing of it.
 */
const uploadOpened = async (
  { conversation, fileBytes, uploadedFiles, windowClock }: UploadDeps, { workspace, sender }: Through, { name, sizeAtMost }: IncomingFile,
  opened: OpenedFile,
): Promise<E.Either<UploadError, Upload>> => {
  const { contentType, head } = opened
  const digest = fileBytes.newDigest()
  let taken = 0
  const state: { key?: UploadKey; ended?: E.Either<MediaInvalid | PortFailure, Upload> } = {}

  const take = (piece: Uint8Array): void => {
    taken += piece.length
    digest.update(piece)
  }
  /** Looks up whether the platform has the bytes that were read, once all were read. */
  const lookUp = async (): Promise<void> => {
    state.key = { workspace, phoneNumberId: sender.phoneNumberId, sha256: digest.hex(), type: contentType }
    const found = await uploadedFiles.find(state.key, windowClock.now())
    if (E.isLeft(found)) state.ended = found
    else if (O.isSome(found.right)) state.ended = E.right({ ...found.right.value, isNew: false })
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let held = head.bytes
    for (;;) {
      const next = await nextOf(opened.bytes)
      if (next === undefined) state.ended = E.left(brokenFile)
      else if (next.done !== true) {
        take(next.value)
        if (taken > opened.maxBytes) state.ended = E.left(wrongSize(opened.for, opened.maxBytes))
      } else await lookUp()
      if (state.ended !== undefined) throw new Error('the upload is broken off')
      yield held
      if (next?.done !== false) return
      held = next.value
    }
  }

  take(head.bytes)
  if (head.isWhole) {
    await lookUp()
    if (state.ended !== undefined) return state.ended
  }
  const uploaded = await conversation.uploadMedia({
    sender, type: contentType, name: name ?? 'file', sizeAtMost: head.isWhole ? taken : sizeAtMost,
    bytes: head.isWhole ? onePiece(head.bytes) : pieces(),
  })
  const { ended, key } = state
  if (ended !== undefined) return ended
  if (E.isLeft(uploaded)) return uploaded
  // The platform answered before it had received all bytes, so it does not have this file.
  if (key === undefined) return E.left({ _tag: 'PlatformUnanswered', cause: 'the platform answered an upload before its end' })
  const now = windowClock.now()
  const upload: UploadedFile = { ...key, id: uploaded.right, size: taken, expiresAt: now + UPLOAD_KEPT_MS }
  // If this fails, the same file is uploaded again, which costs nothing.
  await uploadedFiles.note(upload, now)
  return E.right({ ...upload, isNew: true })
}

async function* onePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}

const nextOf = async (bytes: Bytes): Promise<IteratorResult<Uint8Array> | undefined> => {
  try {
    return await bytes.next()
  } catch {
    return undefined
  }
}

/** A message with a file that still has to be uploaded. A document without a `filename` gets the name of the file. */
export type FileMessage = Addressed & {
  readonly type: FileType
  readonly caption?: string
  readonly filename?: string
  readonly voice?: true
}

/**
 * Uploads a file and sends it with a message, by a given send.
 *
 * Whether the message could be sent and paid is checked before the upload, and again after it. A request whose idempotency key guards a message with
 * the same bytes gets the answer of that message, even if the message could not be sent now.
 */
export type SendFile = <Failure extends { readonly _tag: string }>(
  command: SendFileCommand, send: (message: ContentMessage) => Promise<E.Either<Failure, Sent>>,
) => Promise<E.Either<Failure | SendFileError, Sent>>

/** A message, its file, and the key with which the request may be repeated. */
export type SendFileCommand = {
  readonly workspace: WorkspaceId
  /** The sender through which it goes; if absent, the default sender. */
  readonly sender?: SenderId | undefined
  readonly message: FileMessage
  readonly file: IncomingFile
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that sends it, whose limit counts. */
  readonly key?: SendingKey
  /** As in `SendOptions`; the given send has it too. */
  readonly confirmWithinMs?: number | undefined
}

/** How sending a file can fail before the send of its message. */
export type SendFileError = QuoteError<ContentMessage> | UploadError | ReplayError

/** The dependencies of sending a file. */
export type SendFileDeps = UploadDeps & ReplayDeps & { readonly quote: QuoteMessage; readonly upload: UploadFile }

export const makeSendFile =
  (deps: SendFileDeps): SendFile =>
  async ({ workspace, sender, message: given, file, idempotencyKey, key: sendingKey, confirmWithinMs }, send) => {
    const message = given.type === 'document' && file.name !== undefined ? { filename: file.name, ...given } : given
    const quoted = await deps.quote({ workspace, sender, message: contentMessage(message, ''), ...(sendingKey && { key: sendingKey }) })
    if (E.isLeft(quoted)) {
      if (idempotencyKey === undefined || quoted.left._tag === 'PortFailure') return quoted
      const sha256 = await digestOf(deps, file, message.type)
      if (sha256 === undefined) return quoted
      const request = requestOf(contentMessage(message, '', sha256), sender, confirmWithinMs)
      const earlier = await replayOf(deps, { workspace, claim: { key: idempotencyKey, request } }, deps.windowClock.now())
      return earlier ?? quoted
    }
    const uploaded = await deps.upload({ workspace, sender, file, type: message.type })
    if (E.isLeft(uploaded)) return uploaded
    const { isNew, id, ...key } = uploaded.right
    const sent = await send(contentMessage(message, id, key.sha256))
    // A message of unknown outcome may have been sent to the customer too.
    if (E.isRight(sent) || sent.left._tag === 'OutcomeUnknown') await deps.uploadedFiles.sentTo(key, message.to)
    // The platform may have deleted the file; the next request uploads it again.
    else if (!isNew && sent.left._tag === 'PlatformRejected') await deps.uploadedFiles.forget(key)
    return sent
  }

const contentMessage = ({ type, caption, filename, voice, ...addressed }: FileMessage, id: string, file?: string): ContentMessage => ({
  ...addressed, _tag: 'Content', type,
  content: { id, ...(caption !== undefined && { caption }), ...(filename !== undefined && { filename }), ...(voice && { voice }) },
  ...(file !== undefined && { file }),
})

/** Uploads a file and sends it with a message of a person, which adds an entry to the audit log. If the person may not send, no byte of the file is read. */
export type SendFileAsPerson =
  (command: FileAsPerson) => Promise<E.Either<SendError<ContentMessage> | SendFileError | Forbidden | PortFailure, Sent>>

/** A message, its file, and the person who sends it. */
export type FileAsPerson = SendFileCommand & Pick<AsPerson<ContentMessage>, 'by'>

export const makeSendFileAsPerson =
  ({ sendFile, send, ...deps }: SendAsPersonDeps & { readonly sendFile: SendFile }): SendFileAsPerson =>
  ({ by, ...command }) => {
    const { workspace, sender, message, idempotencyKey, confirmWithinMs } = command
    return noted(deps, by, workspace, { kind: message.type }, (outboxEntries) =>
      sendFile(command, (content) =>
        send({
          workspace, sender, message: content, confirmWithinMs, outboxEntries, ...(idempotencyKey !== undefined && { idempotencyKey }),
        })))
  }

/** The digest of a file that is not uploaded; `undefined` if the file would not be accepted. */
const digestOf = async ({ fileBytes }: Pick<UploadDeps, 'fileBytes'>, file: IncomingFile, type: FileType): Promise<string | undefined> => {
  const bytes = file.bytes[Symbol.asyncIterator]()
  try {
    const opened = await openFile({ fileBytes }, file, type, bytes)
    if (E.isLeft(opened)) return undefined
    const digest = fileBytes.newDigest()
    let size = opened.right.head.bytes.length
    digest.update(opened.right.head.bytes)
    for (let next = await nextOf(bytes); next?.done !== true; next = await nextOf(bytes)) {
      if (next === undefined) return undefined
      size += next.value.length
      if (size > opened.right.maxBytes) return undefined
      digest.update(next.value)
    }
    return digest.hex()
  } finally {
    await bytes.return?.()
  }
}
