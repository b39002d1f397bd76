import type { Attachment } from './media.js'

const KILO = 1_024
const MEGA = KILO * KILO

const IMAGES = ['image/jpeg', 'image/png']
const VIDEOS = ['video/mp4', 'video/3gpp']
const AUDIOS = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']
const STICKERS = ['image/webp']
const VOICE = 'audio/ogg'

const LARGEST_STATIC_STICKER = 100 * KILO
const LARGEST_STICKER = 500 * KILO

/** The largest limit of all, the limit of a document. */
export const LARGEST_FILE = 100 * MEGA

/** How a message can show a medium. */
export type ShownAs = { readonly kind: string; readonly isVoice: boolean }

/** The content type without its parameters. */
export const plainType = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** The maximum size in bytes of a file of a content type. A type that belongs to no other kind is a document. */
export const largestOf = (type: string): number => {
  const plain = plainType(type)
  if (IMAGES.includes(plain)) return 5 * MEGA
  if (VIDEOS.includes(plain) || AUDIOS.includes(plain)) return 16 * MEGA
  return STICKERS.includes(plain) ? LARGEST_STICKER : LARGEST_FILE
}

/** The content types of a kind of medium; undefined for documents, which accept any type. */
const typesOf = (kind: string): ReadonlyArray<string> | undefined => {
  switch (kind) {
    case 'image': return IMAGES
    case 'video': return VIDEOS
    case 'audio': return AUDIOS
    case 'sticker': return STICKERS
    default: return undefined
  }
}

/** Why an upload cannot be shown in a message, in one sentence; undefined if it can. Codecs and colours are not checked. */
export const unfitUpload = ({ kind, isVoice }: ShownAs, { type, size, bytes }: Attachment): string | undefined => {
  const plain = plainType(type)
  const wrongType = unfitType({ kind, isVoice }, plain)
  if (wrongType !== undefined) return wrongType
  const head = bytes(0, HEAD)
  if (SIGNATURES[plain]?.(head) === false) return `The file is not of the type ${plain}, as its first bytes show`
  if (isVoice && !head.includes('OpusHead')) return 'A voice message must be encoded with Opus'
  return kind === 'sticker' && !isAnimated(head) && size > LARGEST_STATIC_STICKER
    ? `A static sticker has at most ${LARGEST_STATIC_STICKER} bytes`
    : undefined
}

const unfitType = ({ kind, isVoice }: ShownAs, type: string): string | undefined => {
  if (isVoice && type !== VOICE) return `A voice message must be of the type ${VOICE}, not ${type}`
  return typesOf(kind)?.includes(type) === false ? `The type ${type} is not supported for ${kind}` : undefined
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', svg: 'image/svg+xml', bmp: 'image/bmp', webp: 'image/webp',
  mp4: 'video/mp4', '3gp': 'video/3gpp', webm: 'video/webm', mov: 'video/quicktime', avi: 'video/x-msvideo', aac: 'audio/aac',
  amr: 'audio/amr', mp3: 'audio/mpeg', m4a: 'audio/mp4', ogg: 'audio/ogg', opus: 'audio/ogg', wav: 'audio/wav', flac: 'audio/flac',
  txt: 'text/plain', html: 'text/html', pdf: 'application/pdf', zip: 'application/zip',
}

/** Why the platform could not fetch or use the file at an address, in one sentence. Nothing is fetched: a host that never exists or the file extension decides. */
export const unfitLink = (shownAs: ShownAs, link: string): string | undefined => {
  const { hostname, pathname } = new URL(link)
  if (/(^|\.)invalid$/.test(hostname)) return `The media could not be downloaded from ${hostname}`
  const type = EXTENSIONS[/\.([a-z0-9]+)$/i.exec(pathname)?.[1]?.toLowerCase() ?? '']
  return type === undefined ? undefined : unfitType(shownAs, type)
}

const HEAD = 128

const starts = (bytes: string, at = 0) => (head: Buffer): boolean =>
  head.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))
const anyOf = (...signs: ReadonlyArray<(head: Buffer) => boolean>) => (head: Buffer): boolean => signs.some((sign) => sign(head))

const ZIP = starts('PK\x03\x04')
const OLD_OFFICE = starts('\xd0\xcf\x11\xe0')
const MP4 = starts('ftyp', 4)
const OFFICE = 'application/vnd.openxmlformats-officedocument'
/** A frame of MPEG audio, with or without the layer, begins with eleven or twelve bits that are set. */
const frame = (head: Buffer): boolean => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0

/** Checks of the first bytes of a file, by content type; files of other types are not checked. */
const SIGNATURES: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/jpeg': starts('\xff\xd8\xff'), 'image/png': starts('\x89PNG\r\n\x1a\n'),
  'image/webp': (head) => starts('RIFF')(head) && starts('WEBP', 8)(head), 'video/mp4': MP4, 'video/3gpp': MP4, 'audio/mp4': MP4,
  'audio/ogg': starts('OggS'), 'audio/amr': starts('#!AMR'), 'audio/mpeg': anyOf(starts('ID3'), frame),
  'audio/aac': anyOf(starts('ADIF'), frame), 'application/pdf': starts('%PDF-'), 'application/msword': OLD_OFFICE,
  'application/vnd.ms-excel': OLD_OFFICE, 'application/vnd.ms-powerpoint': OLD_OFFICE, [`${OFFICE}.wordprocessingml.document`]: ZIP,
  [`${OFFICE}.spreadsheetml.sheet`]: ZIP, [`${OFFICE}.presentationml.presentation`]: ZIP,
}

/** Whether a WebP is animated, according to the second bit of its flags. */
const isAnimated = (head: Buffer): boolean => starts('VP8X', 12)(head) && ((head[20] ?? 0) & 0x02) !== 0
