import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import { type MediaId, UNKNOWN_MEDIA_TYPE } from './conversation.js'

/** A file that the platform would not take as what it is said to be; `reason` is a sentence without a full stop, and quotes nothing of the file. */
export type MediaInvalid = { readonly _tag: 'MediaInvalid'; readonly reason: string }

/** The types of messages that carry a file. */
export const FILE_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** A type of message that carries a file. */
export type FileType = (typeof FILE_TYPES)[number]

/** A file on its way to the platform. */
export type IncomingFile = {
  /** Its name where it comes from, such as `invoice-1742.pdf`. */
  readonly name: string | undefined
  /** The content type that its owner says it has. */
  readonly declared: string | undefined
  /** How many bytes will come at most, where that is known before they do; `SIZE_SLACK` fewer may come. */
  readonly sizeAtMost: number | undefined
  /** The bytes, to be taken once, as fast as they are asked for. It throws where they do not come to their end. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** How many bytes a file may have less than was announced: what a form ends with is not known before its end. */
export const SIZE_SLACK = 64

/** Looks into files, which the core cannot do, because it is pure. */
export interface FileBytes {
  /** The content type that the first bytes of a file show, some thousand of them; `undefined` where they show none, as those of a plain text. */
  readonly typeOf: (first: Uint8Array) => Promise<string | undefined>
  /** A SHA-256 of bytes that come in pieces, in lowercase hexadecimal digits. */
  readonly newDigest: () => { readonly update: (bytes: Uint8Array) => void; readonly hex: () => string }
}

/** By what the same file is known again: its bytes, as one content type, through one phone number of a workspace. */
export type UploadKey = {
  readonly workspace: WorkspaceId
  readonly phoneNumberId: string
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
  /** Until when it may be sent. */
  readonly expiresAt: Instant
}

/**
 * For how long an uploaded file is sent again without another upload. The platform keeps one for 30 days:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media>.
 */
export const UPLOAD_KEPT_MS = 29 * DAY_MS

/** The files that were uploaded and that the platform still has, so that the same bytes are uploaded once. Their bytes are kept nowhere. */
export interface UploadedFiles {
  /** The upload of a file that has not ended at a moment. */
  readonly find: (key: UploadKey, now: Instant) => Promise<E.Either<PortFailure, Option<UploadedFile>>>
  /** Notes an upload, in the place of an earlier one of the same key, and removes those of its phone number that ended before `now`. */
  readonly note: (upload: UploadedFile, now: Instant) => Promise<E.Either<PortFailure, void>>
  /** Notes that an upload was sent to a customer. Erasing a customer deletes the uploads that were sent to this customer only. */
  readonly sentTo: (key: UploadKey, customer: CustomerId) => Promise<E.Either<PortFailure, void>>
  /** Forgets an upload that the platform has no longer. */
  readonly forget: (key: UploadKey) => Promise<E.Either<PortFailure, void>>
}

const KIB = 1024
const MIB = 1024 * KIB

/** What files of a type of message may be. */
export type FileLimits = {
  /** The content types that are taken; every type where there are none. */
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

/** The largest file of any type, in bytes. */
export const MAX_FILE_BYTES = Math.max(...Object.values(FILE_LIMITS).map(({ maxBytes }) => maxBytes))

/** The most bytes of a sticker that does not move. */
export const STATIC_STICKER_BYTES = 100 * KIB

/** Whether a WebP image moves, by a flag of its extended header: <https://developers.google.com/speed/webp/docs/riff_container#extended_file_format>. */
const isAnimated = (first: Uint8Array): boolean => String.fromCharCode(...first.subarray(12, 16)) === 'VP8X' && ((first[20] ?? 0) & 0b10) !== 0

/** The most bytes that a file may have, by its first bytes. */
export const maxBytesOf = (type: FileType, first: Uint8Array): number =>
  (type === 'sticker' && !isAnimated(first) ? STATIC_STICKER_BYTES : FILE_LIMITS[type].maxBytes)

/** What is wrong with the size of a file. */
export const wrongSize = (type: FileType, most: number): MediaInvalid =>
  invalid(`The file is too large: ${type === 'sticker' && most === STATIC_STICKER_BYTES ? 'a sticker that does not move' : withArticle(type)} may have at most ${sizeText(most)}`)

const invalid = (reason: string): MediaInvalid => ({ _tag: 'MediaInvalid', reason })

/** A file without a byte. */
export const emptyFile = invalid('The file is empty')

/** A file whose bytes do not come to their end. */
export const brokenFile = invalid('The file did not arrive whole')

const withArticle = (type: FileType, article: 'a' | 'A' = 'a'): string => `${article}${/^[aiou]/.test(type) ? 'n' : ''} ${type}`

/** A size in the largest unit that it is a whole number of. */
export const sizeText = (bytes: number): string => (bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes / KIB} KiB`)

/** Content types by the ending of a name, for who says no type; those that the platform names as documents. */
const BY_ENDING: Readonly<Record<string, string>> = {
  csv: 'text/csv', txt: 'text/plain', pdf: 'application/pdf', doc: 'application/msword', xls: 'application/vnd.ms-excel', ppt: 'application/vnd.ms-powerpoint',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** The names that the platform has for types of other names. */
const SAME: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4', 'audio/m4a': 'audio/mp4', 'audio/mp3': 'audio/mpeg', 'audio/opus': 'audio/ogg', 'audio/x-wav': 'audio/wav', 'image/jpg': 'image/jpeg',
}

const TYPE_FORM = /^[a-z0-9]{1,19}\/[a-z0-9!#$&^_.+-]{1,80}$/

/** A content type without its parameters, as the platform names it; what is none is of unknown bytes. */
const plainType = (type: string): string => {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase()
  return TYPE_FORM.test(plain) ? SAME[plain] ?? plain : UNKNOWN_MEDIA_TYPE
}

/** The content type that the caller declares, else the one that the ending of the name stands for; `undefined` where there is neither. */
const saidType = ({ declared, name }: Pick<IncomingFile, 'declared' | 'name'>): string | undefined => {
  const type = plainType(declared ?? '')
  return type === UNKNOWN_MEDIA_TYPE ? BY_ENDING[/\.([A-Za-z0-9]+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''] : type
}

const ARCHIVE = 'application/zip'
const OLE = 'application/x-cfb'

/** Types that are made of another one, which is all that the first bytes may show. */
const isMadeOf = (said: string, shown: string): boolean => {
  if (shown === ARCHIVE) return /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|vnd\.apple\.|vnd\.android\.package-archive$)|\+zip$/.test(said)
  if (shown === OLE) return ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint', 'application/vnd.ms-outlook'].includes(said)
  return shown === 'video/mp4' && said === 'audio/mp4'
}

/** Types whose first bytes always show them, so that a file that does not is none. */
const showsItself = (said: string): boolean =>
  /^(?:image\/(?!svg)|video\/|audio\/)/.test(said) || said === 'application/pdf' || isMadeOf(said, ARCHIVE) || isMadeOf(said, OLE) || said === ARCHIVE

const NUL = 0

/**
 * The content type of a file that is to be sent as a type of message, or why it cannot be.
 *
 * `shown` is the type that its first bytes show. What is said of a file counts only where these bear it out: a ZIP that is called a PDF is refused here, and
 * not days later by the platform.
 */
export const contentTypeOf = (
  type: FileType, file: Pick<IncomingFile, 'declared' | 'name'>, first: Uint8Array, shown: string | undefined,
): E.Either<MediaInvalid, string> => {
  const said = saidType(file)
  const seen = shown === undefined ? undefined : plainType(shown)
  const { types } = FILE_LIMITS[type]
  if (types !== undefined) {
    // A recording may be in a container that shows as a film.
    const fitting = type === 'audio' && seen === 'video/mp4' ? 'audio/mp4' : seen
    return fitting !== undefined && types.includes(fitting)
      ? E.right(fitting)
      : E.left(invalid(`${withArticle(type, 'A')} must be ${types.join(', ')}; the first bytes of this file show ${seen ?? 'none of them'}`))
  }
  if (said === undefined) return E.right(seen ?? (first.includes(NUL) ? UNKNOWN_MEDIA_TYPE : 'text/plain'))
  if (seen === said || (seen !== undefined && isMadeOf(said, seen))) return E.right(said)
  if (showsItself(said)) return E.left(invalid(`The file is said to be ${said}; its first bytes show ${seen ?? 'something else'}`))
  return E.right(seen ?? said)
}

/** The type of message that takes a content type, for a caller who names none; `document` takes every one. */
export const fileTypeOf = (contentType: string | undefined): FileType =>
  FILE_TYPES.find((type) => contentType !== undefined && FILE_LIMITS[type].types?.includes(plainType(contentType))) ?? 'document'
