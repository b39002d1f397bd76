import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { SenderId } from '../senders/sender.js'
import { type MediaId, UNKNOWN_MEDIA_TYPE } from './conversation.js'

/** A file that the platform would not accept as its declared type; `reason` is a sentence without a full stop, and quotes nothing of the file. */
export type MediaInvalid = { readonly _tag: 'MediaInvalid'; readonly reason: string }

/** The types of messages that carry a file. */
export const FILE_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** A type of message that carries a file. */
export type FileType = (typeof FILE_TYPES)[number]

/** A file on its way to the platform. */
export type IncomingFile = {
  /** The name of the file at its source, such as `invoice-1742.pdf`. */
  readonly name: string | undefined
  /** The content type that its owner declares. */
  readonly declared: string | undefined
  /** The maximum number of bytes, if it is known before they arrive; up to `SIZE_SLACK` fewer may arrive. */
  readonly sizeAtMost: number | undefined
  /** The bytes, to be read once, as fast as the reader requests them. It throws if the file breaks off. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** How many bytes fewer than announced a file may have: the length of the end of a form is known only at its end. */
export const SIZE_SLACK = 64

/** Reads the bytes of files, which the core cannot do because it is pure. */
export interface FileBytes {
  /** The content type that the first bytes of a file show, some thousand of them; `undefined` if they show none, as in a plain text. */
  readonly typeOf: (first: Uint8Array) => Promise<string | undefined>
  /** A SHA-256 of bytes that arrive in pieces, in lowercase hexadecimal digits. */
  readonly newDigest: () => { readonly update: (bytes: Uint8Array) => void; readonly hex: () => string }
}

/** Identifies the same file: its bytes, as one content type, through one phone number of a workspace. */
export type UploadKey = {
  readonly workspace: WorkspaceId
  readonly phoneNumberId: SenderId
  /** The SHA-256 of the bytes, in lowercase hexadecimal digits. */
  readonly sha256: string
  readonly type: string
}

/** A file that the platform has for a phone number. */
export type UploadedFile = UploadKey & {
  /** The platform's id of it, which a message names. */
  readonly id: MediaId
  /** In bytes. */
  readonly size: number
  /** Until when it may be used in messages. */
  readonly expiresAt: Instant
}

/**
 * How long an uploaded file is used again without another upload. The platform keeps a file for 30 days:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media>.
 */
export const UPLOAD_KEPT_MS = 29 * DAY_MS

/** The files that were uploaded and that the platform still has, so that the same bytes are uploaded only once. Their bytes are not stored. */
export interface UploadedFiles {
  /** The upload of a file that has not expired at a given time. */
  readonly find: (key: UploadKey, now: Instant) => Promise<E.Either<PortFailure, Option<UploadedFile>>>
  /** Stores an upload, replaces an earlier one with the same key, and removes the uploads of its phone number that expired before `now`. */
  readonly note: (upload: UploadedFile, now: Instant) => Promise<E.Either<PortFailure, void>>
  /** Records that an upload was sent to a customer. Erasing a customer deletes the uploads that were sent only to this customer. */
  readonly sentTo: (key: UploadKey, customer: CustomerId) => Promise<E.Either<PortFailure, void>>
  /** Forgets an upload that the platform no longer has. */
  readonly forget: (key: UploadKey) => Promise<E.Either<PortFailure, void>>
}

const KIB = 1024
const MIB = 1024 * KIB

/** The limits for files of a type of message. */
export type FileLimits = {
  /** The accepted content types; every type if absent. */
  readonly types?: ReadonlyArray<string>
  readonly maxBytes: number
}

/** The limits of each type: <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types>. */
export const FILE_LIMITS: Readonly<Record<FileType, FileLimits>> = {
  image: { types: ['image/jpeg', 'image/png'], maxBytes: 5 * MIB },
  video: { types: ['video/mp4', 'video/3gpp'], maxBytes: 16 * MIB },
  audio: { types: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'], maxBytes: 16 * MIB },
  document: { maxBytes: 100 * MIB },
  sticker: { types: ['image/webp'], maxBytes: 500 * KIB },
}

/** The maximum size of a file of any type, in bytes. */
export const MAX_FILE_BYTES = Math.max(...Object.values(FILE_LIMITS).map(({ maxBytes }) => maxBytes))

/** The maximum size of a sticker that is not animated, in bytes. */
export const STATIC_STICKER_BYTES = 100 * KIB

/** Whether a WebP image is animated, by a flag of its extended header: <https://developers.google.com/speed/webp/docs/riff_container#extended_file_format>. */
const isAnimated = (first: Uint8Array): boolean =>
  String.fromCharCode(...first.subarray(12, 16)) === 'VP8X' && ((first[20] ?? 0) & 0b10) !== 0

/** The maximum size of a file in bytes, depending on its first bytes. */
export const maxBytesOf = (type: FileType, first: Uint8Array): number =>
  (type === 'sticker' && !isAnimated(first) ? STATIC_STICKER_BYTES : FILE_LIMITS[type].maxBytes)

/** The failure for a file of the wrong size. */
export const wrongSize = (type: FileType, most: number): MediaInvalid =>
  invalid(`The file is too large: ${type === 'sticker' && most === STATIC_STICKER_BYTES ? 'a static sticker' : withArticle(type)} may have at most ${sizeText(most)}`)

const invalid = (reason: string): MediaInvalid => ({ _tag: 'MediaInvalid', reason })

/** A file without any bytes. */
export const emptyFile = invalid('The file is empty')

/** A file whose bytes broke off. */
export const brokenFile = invalid('The file was not received completely')

const withArticle = (type: FileType, article: 'a' | 'A' = 'a'): string => `${article}${/^[aiou]/.test(type) ? 'n' : ''} ${type}`

/** A size in the largest unit in which it is a whole number. */
export const sizeText = (bytes: number): string => (bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes / KIB} KiB`)

/** Content types by the ending of a name, for callers that declare no type; those that the platform lists as documents. */
const BY_ENDING: Readonly<Record<string, string>> = {
  csv: 'text/csv', txt: 'text/plain', pdf: 'application/pdf', doc: 'application/msword', xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** The platform's names of types that also have other names. */
const SAME: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4', 'audio/m4a': 'audio/mp4', 'audio/mp3': 'audio/mpeg', 'audio/opus': 'audio/ogg', 'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
}

const TYPE_FORM = /^[a-z0-9]{1,19}\/[a-z0-9!#$&^_.+-]{1,80}$/

/** A content type without its parameters, as the platform names it; a text that is not a content type counts as unknown bytes. */
const plainType = (type: string): string => {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase()
  return TYPE_FORM.test(plain) ? SAME[plain] ?? plain : UNKNOWN_MEDIA_TYPE
}

/** The content type that the caller declares, otherwise the type of the name's ending; `undefined` if there is neither. */
const saidType = ({ declared, name }: Pick<IncomingFile, 'declared' | 'name'>): string | undefined => {
  const type = plainType(declared ?? '')
  return type === UNKNOWN_MEDIA_TYPE ? BY_ENDING[/\.([A-Za-z0-9]+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''] : type
}

const ARCHIVE = 'application/zip'
const OLE = 'application/x-cfb'

/** Types that are based on another type, which is all that the first bytes may show. */
const isMadeOf = (said: string, shown: string): boolean => {
  if (shown === ARCHIVE) {
    return /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|vnd\.apple\.|vnd\.android\.package-archive$)|\+zip$/.test(
      said,
    )
  }
  if (shown === OLE) {
    return ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint', 'application/vnd.ms-outlook'].includes(said)
  }
  return shown === 'video/mp4' && said === 'audio/mp4'
}

/** Types whose first bytes always show them, so a file whose first bytes do not is not of that type. */
const showsItself = (said: string): boolean =>
  /^(?:image\/(?!svg)|video\/|audio\/)/.test(said) || said === 'application/pdf' || isMadeOf(said, ARCHIVE) || isMadeOf(said, OLE)
  || said === ARCHIVE

const NUL = 0

/**
 * The content type of a file that is to be sent as a type of message, or why it cannot be sent.
 *
 * `shown` is the type that its first bytes show. The declared type counts only if the bytes confirm it: a ZIP that is declared as a PDF is refused here, and
 * not days later by the platform.
 */
export const contentTypeOf = (
  type: FileType, file: Pick<IncomingFile, 'declared' | 'name'>, first: Uint8Array, shown: string | undefined,
): E.Either<MediaInvalid, string> => {
  const said = saidType(file)
  const seen = shown === undefined ? undefined : plainType(shown)
  const { types } = FILE_LIMITS[type]
  if (types !== undefined) {
    // An audio recording may be in a container that looks like a video.
    const fitting = type === 'audio' && seen === 'video/mp4' ? 'audio/mp4' : seen
    return fitting !== undefined && types.includes(fitting)
      ? E.right(fitting)
      : E.left(invalid(`${withArticle(type, 'A')} must be ${types.join(', ')}; the first bytes of this file show ${seen ?? 'none of them'}`))
  }
  if (said === undefined) return E.right(seen ?? (first.includes(NUL) ? UNKNOWN_MEDIA_TYPE : 'text/plain'))
  if (seen === said || (seen !== undefined && isMadeOf(said, seen))) return E.right(said)
  if (showsItself(said)) return E.left(invalid(`The file is declared as ${said}, but its first bytes show ${seen ?? 'something else'}`))
  return E.right(seen ?? said)
}

/** The type of message for a content type, if the caller names none; `document` accepts every content type. */
export const fileTypeOf = (contentType: string | undefined): FileType =>
  FILE_TYPES.find((type) => contentType !== undefined && FILE_LIMITS[type].types?.includes(plainType(contentType))) ?? 'document'
