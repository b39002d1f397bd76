import { createHash, randomBytes } from 'node:crypto'

/** A file: the attachment of a customer's message, whose bytes are repeated until there are enough, or an upload of the business. */
export type Attachment = {
  readonly id: string
  /** The business number that received it, or through which it was uploaded. */
  readonly phoneNumberId: string
  readonly isUpload: boolean
  /** When it was received, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly type: string
  readonly size: number
  /** In base64, as in notifications. */
  readonly sha256: string
  readonly bytes: (from: number, to: number) => Buffer
}

/** The data for a new attachment. */
export type AttachmentContent = { readonly phoneNumberId: string; readonly type: string; readonly data: Buffer; readonly size?: number }

/** The attachments of customers' messages and the uploads of the business, and their temporary download addresses. */
export type MediaStore = {
  readonly add: (content: AttachmentContent) => Attachment
  /** Stores an upload of the business. */
  readonly upload: (content: AttachmentContent) => Attachment
  /** A file that has not expired: uploads are kept 30 days, attachments of customers 7. */
  readonly find: (id: string) => Attachment | undefined
  readonly remove: (id: string) => void
  /** Creates an address for an attachment, without the origin. */
  readonly addressOf: (attachment: Attachment, now: number) => string
  /** The attachment at an address; undefined if this store did not create the address, or it is older than five minutes. */
  readonly at: (query: URLSearchParams, now: number) => Attachment | undefined
  readonly clear: () => void
}

/** The path at which attachments are downloaded. */
export const DOWNLOAD_PATH = '/whatsapp_business/attachments/'

const KEEP = 100
const KEEP_BYTES = 256_000_000
/** The minimum size that an upload counts as, so that there are not too many small uploads. */
const LEAST_BYTES = 1_000
const ADDRESS_MS = 5 * 60_000
const DAY_MS = 24 * 3_600_000
const UPLOAD_MS = 30 * DAY_MS
const RECEIVED_MS = 7 * DAY_MS
const CHUNK = 65_536

/** An empty store; it keeps the latest 100 attachments of customers, and the latest 256 MB of uploads. */
export const makeMediaStore = (ageOf: (at: number) => number = (at) => Date.now() - at): MediaStore => {
  const [received, uploads] = [new Map<string, Attachment>(), new Map<string, Attachment>()]
  let uploadedBytes = 0
  const secret = randomBytes(16)
  const hashOf = (id: string, expires: string): string => createHash('sha256').update(secret).update(`${id} ${expires}`).digest('base64url')
  const remove = (id: string): void => {
    const upload = uploads.get(id)
    if (upload !== undefined) uploadedBytes -= weightOf(upload)
    uploads.delete(id)
    received.delete(id)
  }
  const find: MediaStore['find'] = (id) => {
    const attachment = uploads.get(id) ?? received.get(id)
    if (attachment === undefined || ageOf(attachment.at) < (attachment.isUpload ? UPLOAD_MS : RECEIVED_MS)) return attachment
    remove(id)
    return undefined
  }
  return {
    add: (content) => {
      const attachment = makeAttachment(content, false)
      received.set(attachment.id, attachment)
      const [oldest] = received.keys()
      if (received.size > KEEP && oldest !== undefined) received.delete(oldest)
      return attachment
    },
    upload: (content) => {
      const attachment = makeAttachment(content, true)
      uploads.set(attachment.id, attachment)
      uploadedBytes += weightOf(attachment)
      for (const oldest of uploads.keys()) {
        if (uploadedBytes <= KEEP_BYTES) break
        remove(oldest)
      }
      return attachment
    },
    find,
    remove,
    addressOf: ({ id }, now) => {
      const expires = String(Math.floor((now + ADDRESS_MS) / 1000))
      return `${DOWNLOAD_PATH}?mid=${id}&source=getMedia&ext=${expires}&hash=${hashOf(id, expires)}`
    },
    at: (query, now) => {
      const [id, expires] = [query.get('mid') ?? '', query.get('ext') ?? '']
      return query.get('hash') === hashOf(id, expires) && Number(expires) * 1000 > now ? find(id) : undefined
    },
    clear: () => {
      uploadedBytes = 0
      received.clear()
      uploads.clear()
    },
  }
}

const weightOf = ({ size }: Attachment): number => Math.max(size, LEAST_BYTES)

const makeAttachment = ({ phoneNumberId, type, data, size = data.length }: AttachmentContent, isUpload: boolean): Attachment => {
  const bytes = (from: number, to: number): Buffer => {
    const part = Buffer.allocUnsafe(Math.max(0, Math.min(to, size) - from))
    for (let at = 0; at < part.length;) at += data.copy(part, at, (from + at) % data.length)
    return part
  }
  const hash = createHash('sha256')
  for (let at = 0; at < size; at += CHUNK) hash.update(bytes(at, at + CHUNK))
  return { id: randomDigits(), phoneNumberId, isUpload, at: Date.now(), type, size, sha256: hash.digest('base64'), bytes }
}

/** Sixteen digits, as the platform's ids of attachments have. */
const randomDigits = (): string => `1${(randomBytes(8).readBigUInt64BE() % 10n ** 15n).toString().padStart(15, '0')}`

/** The type and the bytes of an attachment that a message does not specify: the smallest valid file of each kind, or only its first bytes. */
export const SAMPLES: Readonly<Record<string, { readonly type: string; readonly data: Buffer }>> = {
  image: {
    type: 'image/jpeg',
    data: Buffer.from(
      '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
      'base64',
    ),
  },
  video: { type: 'video/mp4', data: Buffer.from('\u0000\u0000\u0000\u0018ftypmp42\u0000\u0000\u0000\u0000mp42isom', 'latin1') },
  audio: { type: 'audio/ogg; codecs=opus', data: Buffer.from('OggS\u0000\u0002', 'latin1') },
  document: { type: 'application/pdf', data: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n') },
  sticker: { type: 'image/webp', data: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64') },
}
