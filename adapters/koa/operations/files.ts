import * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnanswered } from '../../../core/kernel/failure.js'
import { type FileType, type MediaInvalid, UPLOAD_KEPT_MS } from '../../../core/messages/files.js'
import { DAY_MS, iso } from '../../../core/kernel/time.js'
import type { ContentMessage } from '../../../core/messages/message.js'
import type { FileMessage, SendFileError, Upload, UploadError } from '../../../core/sending/files.js'
import type { SendError } from '../../../core/sending/send.js'
import { BODY_FAILURES, type FileForm } from '../body.js'
import { Metadata, NamedSender, Quoted, wellFormed, WrittenCustomerId } from '../codecs.js'
import { FormFile, type ReadingFile } from '../file-body.js'
import { jsonContent } from '../document.js'
import { headerRefs } from '../openapi-types.js'
import { keyedOperation, served, type UseCases, type WorkspaceRequest } from '../operation.js'
import { type BodyFailure, type Failures, type HttpFailure, type InvalidParameter, jsonReply, type Reply } from '../reply.js'
import {
  type Codec, codec, count, described, fields, form, length, named, type NoFields, record, string, type TypeOf, word,
} from '../schema.js'
import { ConfirmWithin, Through, withoutNotYet } from './send.js'

/** A form field whose text is JSON, because a form has no objects. */
const jsonText = <A>(inner: Codec<A>): Codec<A> => codec(`the JSON text of ${inner.name}`, {
  definitions: inner.definitions,
  schema: { type: 'string', contentMediaType: 'application/json', contentSchema: inner.schema },
}, (value, context) => inner.validate(typeof value === 'string' ? parsedJson(value) : value, context))

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const FileTypeName = word<FileType>({ image: '', video: '', audio: '', document: '', sticker: '' })

const MAX_NAME = 240

const LATER = 'upload the file with POST /v1/media, and send its id'

const FileFields = withoutNotYet(fields({ to: WrittenCustomerId, type: FileTypeName, file: FormFile }, {
  caption: described(string(), 'The text below an image, a video or a document.'),
  filename: described(string(length(MAX_NAME), wellFormed), 'The name of a document that the customer sees; the name of the file if omitted.'),
  context: jsonText(Quoted),
  metadata: jsonText(Metadata),
  confirm_within: jsonText(ConfirmWithin),
  sender: Through,
}), { queue: LATER, send_at: LATER, deliver_between: LATER })

/** A message and its file. */
export type FileSend = TypeOf<typeof FileFields>

/** The form of a message with its file. */
export const fileForm: FileForm<FileSend> = {
  codec: FileFields,
  examples: {
    invoice: { summary: 'A document', value: { to: '33639980001', type: 'document', caption: 'Your invoice', file: '%PDF-1.7 …' } },
  },
}

const CAPTIONED: ReadonlySet<FileType> = new Set(['image', 'video', 'document'])

/** The message in a form. */
export const fileMessageOf = ({ to, type, caption, filename, context, metadata }: FileSend): E.Either<InvalidParameter, FileMessage> => {
  if (caption !== undefined && !CAPTIONED.has(type)) return E.left({ _tag: 'InvalidParameter', sentence: `caption must be left out, because the type is ${type}` })
  if (filename !== undefined && type !== 'document') return E.left({ _tag: 'InvalidParameter', sentence: `filename must be left out, because the type is ${type}` })
  return E.right({
    to, type, ...(caption !== undefined && caption !== '' && { caption }), ...(filename !== undefined && { filename }),
    ...(context && { context }), ...(metadata && { metadata }),
  })
}

/** If reading the bytes of a file failed, that failure is more specific than the fact that they did not arrive. */
export const withReason = <A, Failure extends HttpFailure>(
  outcome: E.Either<Failure, A>, { failure }: ReadingFile,
): E.Either<Failure | BodyFailure, A> => {
  const met = failure()
  return E.isLeft(outcome) && met !== undefined ? E.left(met) : outcome
}

/** How a message with its file can fail. */
export type FileSendError = SendFileError | SendError<ContentMessage> | BodyFailure

/** Additional reasons to refuse a message with its file. */
export const FILE_FAILURES: Failures<MediaInvalid | PlatformUnanswered | BodyFailure> = {
  MediaInvalid: true, PlatformUnanswered: true, ...BODY_FAILURES,
}

const UploadView = named('Upload', record({
  id: described(string(form(/^[0-9]{1,64}$/, "the platform's id of a file")), "The platform's id of the file, by which messages name it."),
  type: described(string(), 'Its content type.'),
  size: described(count, 'In bytes.'),
  sha256: described(string(form(/^[0-9a-f]{64}$/, '64 hexadecimal digits')), 'The SHA-256 of its bytes, in hexadecimal digits.'),
  expires_at: described(string(), 'Until when it can be sent.'),
}))

const viewOf = ({ id, type, size, sha256, expiresAt }: Upload): TypeOf<typeof UploadView> =>
  ({ id, type, size, sha256, expires_at: iso(expiresAt) })

const EXAMPLE: TypeOf<typeof UploadView> = {
  id: '1003383421387256', type: 'application/pdf', size: 48_213, sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  expires_at: '2026-12-25T10:00:00.000Z',
}

const UploadForm = fields({ file: FormFile }, {
  type: described(FileTypeName, 'The type of message in which it will be sent, whose limits apply; derived from its content type if omitted.'),
  sender: described(NamedSender, 'The phone number id of the sender whose messages will contain the file; the default sender of the workspace if omitted.'),
})

/** `POST /media` */
export const uploadMedia = keyedOperation({
  id: 'uploadMedia',
  method: 'post',
  path: '/media',
  part: 'files',
  act: 'message.send',
  tag: 'Sending',
  summary: 'Upload a file',
  description:
    'Uploads a file to the platform, to be sent by its id. It costs nothing. The bytes are passed on while they arrive and are not stored; the same bytes are uploaded once '
      + `within ${UPLOAD_KEPT_MS / DAY_MS} days. An image may have 5 MiB (JPEG, PNG), a video (MP4, 3GPP) and a sound (AAC, AMR, MP3, M4A, OGG) 16 MiB, a sticker (WebP) 100 KiB, or 500 KiB if it is animated, `
      + 'and a document of any type 100 MiB. Its first bytes must match its declared type.',
  body: {
    codec: UploadForm,
    forms: false,
    isFile: true,
    examples: {},
    fileForm: { codec: UploadForm, examples: { file: { value: { file: '%PDF-1.7 …' } } } },
  },
  replies: {
    200: {
      description: 'The platform has the same bytes of this sender already.', headers: headerRefs(),
      content: jsonContent(UploadView, EXAMPLE),
    },
    201: { description: 'The platform has the file.', headers: headerRefs(), content: jsonContent(UploadView, EXAMPLE) },
  },
  definitions: UploadView.definitions,
  failures: {
    ...FILE_FAILURES, SenderNotConfigured: true, UnknownSender: true, PlatformRejected: true, PlatformThrottled: true,
    CredentialsRefused: true, PlatformUnreachable: true,
  },
  run: async (
    { postern: { sending } }: UseCases, { workspace, body: { file, type, sender } }: WorkspaceRequest<NoFields, TypeOf<typeof UploadForm>>,
  ): Promise<E.Either<UploadError | BodyFailure, Reply>> => {
    const uploaded = withReason(await served(sending.uploadFile)({ workspace, sender, file, ...(type && { type }) }), file)
    return E.map((upload: Upload) => jsonReply(upload.isNew ? 201 : 200, viewOf(upload)))(uploaded)
  },
})
