import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import {
  type ByteRange, type Conversation, type Media, type MediaError, UNKNOWN_MEDIA_TYPE, type WantedMedia,
} from '../../core/messages/conversation.js'
import { makeLimiter } from '../shared/limiter.js'
import { numberOf, readBody } from './read-answer.js'
import {
  type Answered, baseOf, type BodyLimits, type CloudApiDeps, type Download, type DownloadAddress, type DownloadResult, makeDownloadRequest,
  makeMediaRequest, MAX_DOWNLOADS, type Opened, readDownloadAddress, repeatable, retryAfterOf, type TransportResult, unanswered,
} from './transport.js'

/** The platform's description of an attachment, and the address of its bytes. */
export type MediaDescription = { readonly address: DownloadAddress; readonly type: string; readonly sha256?: string }

/** The largest attachment of the platform: <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media>. */
export const MAX_MEDIA_BYTES = 100 * 1024 * 1024

/** Reads the answer to a request for the description of an attachment. */
export const readDescription = (result: TransportResult, platformOrigin: string, now: Instant): E.Either<MediaError, MediaDescription> => {
  const answer = readBody(result, now)
  if (E.isLeft(answer)) return E.left(isGone(answer.left) ? { _tag: 'MediaGone' } : repeatable(answer.left))
  if (isAnotherObject(answer.right)) return E.left({ _tag: 'MediaGone' })
  const address = readDownloadAddress(answer.right['url'], platformOrigin)
  if (address === undefined) return E.left(unanswered('The platform gave no address of an attachment that the access token may go to'))
  const size = numberOf(answer.right['file_size'])
  if (size !== undefined && size > MAX_MEDIA_BYTES) return E.left(unanswered(`The attachment is longer than ${MAX_MEDIA_BYTES} bytes`))
  const sha256 = digestOf(answer.right['sha256'])
  return E.right({ address, type: mediaTypeOf(answer.right['mime_type']), ...(sha256 !== undefined && { sha256 }) })
}

/** The platform writes the digest in hexadecimal digits in a description, and in Base64 in a notification. */
const digestOf = (text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : undefined
}

/** The id may belong to another object, such as another number of the same business, which the platform describes as well. */
const isAnotherObject = ({ id, url, mime_type: type }: JsonObject): boolean =>
  typeof id === 'string' && url === undefined && type === undefined

/** The request has no parameters except the two ids, so a complaint about a parameter (100) is about these. */
const isGone = (error: PlatformError): boolean =>
  (error._tag === 'PlatformRejected' || error._tag === 'CredentialsRefused') && numberOf(error.error['code']) === 100

/** Reads the head of a download. A response that is not the attachment is closed. */
export const readDownload = (
  result: DownloadResult, { type, sha256 }: MediaDescription, range: ByteRange | undefined, now: Instant,
): E.Either<MediaError, Media> => {
  if (result._tag === 'NoAnswer') return E.left(unanswered(result.cause))
  const media = readHead(result, type, range, now)
  if (E.isLeft(media)) result.close()
  return E.isLeft(media) || sha256 === undefined ? media : E.right({ ...media.right, sha256 })
}

const readHead = (opened: Opened, type: string, range: ByteRange | undefined, now: Instant): E.Either<MediaError, Media> => {
  const { status, headers, bytes, close } = opened
  if (status !== 200 && !(status === 206 && range !== undefined)) return E.left(refusalOf(opened, now))
  const fault = faultOf(headers, type)
  if (fault !== undefined) return E.left(unanswered(fault))
  const length = numberOf(textOf(headers['content-length']))
  if (status === 200) return E.right({ type, length, part: undefined, bytes, close })
  const part = readPart(textOf(headers['content-range']))
  return part === undefined || (length ?? lengthOf(part)) !== lengthOf(part)
    ? E.left(unanswered('The download address answered a part of the attachment without saying which'))
    : E.right({ type, length: lengthOf(part), part, bytes, close })
}

/** The documentation gives 404 for an expired address; this address was just issued, so the attachment itself is gone. */
const refusalOf = ({ status, headers }: Opened, now: Instant): MediaError => {
  const error = { message: `The download address answered ${status}` }
  switch (status) {
    case 401: case 403: return { _tag: 'CredentialsRefused', error }
    case 404: case 410: return { _tag: 'MediaGone' }
    case 416: return {
      _tag: 'RangeNotSatisfiable', size: numberOf(/^bytes \*\/([0-9]+)$/.exec(textOf(headers['content-range']) ?? '')?.[1]),
    }
    case 429: {
      const retryAfterSeconds = retryAfterOf(headers, 429, now)
      return { _tag: 'PlatformThrottled', error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    }
    default: return unanswered(`${error.message}${status >= 300 && status <= 399 ? ', and no redirect is followed' : ''}`)
  }
}

/** Types of a page or an error, which a server returns instead of an attachment. */
const PAGE_TYPES: ReadonlySet<string> = new Set([
  'text/html', 'application/json', 'application/xhtml+xml', 'text/javascript', 'application/javascript',
])

/** Why the body cannot be the attachment. The type in the description decides, because an address may declare any bytes as an octet stream. */
const faultOf = (headers: Answered['headers'], type: string): string | undefined => {
  const given = mediaTypeOf(textOf(headers['content-type']))
  if (given !== type && PAGE_TYPES.has(given)) return `The download address answered ${given} for an attachment of the type ${type}`
  if ((textOf(headers['content-encoding']) ?? 'identity') !== 'identity') return 'The download address answered in an encoding that was not asked for'
  const length = numberOf(textOf(headers['content-length']))
  return length !== undefined && length > MAX_MEDIA_BYTES ? `The download is longer than ${MAX_MEDIA_BYTES} bytes` : undefined
}

const TYPE_FORM = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

const mediaTypeOf = (text: unknown): string => {
  const type = typeof text === 'string' ? (text.split(';')[0] ?? '').trim().toLowerCase() : ''
  return TYPE_FORM.test(type) ? type : UNKNOWN_MEDIA_TYPE
}

const readPart = (text: string | undefined): NonNullable<Media['part']> | undefined => {
  const [, from, to, of] = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15}|\*)$/.exec(text ?? '') ?? []
  const part = { first: Number(from), last: Number(to), size: numberOf(of) }
  return part.first <= part.last && part.last < (part.size ?? Infinity) ? part : undefined
}

const lengthOf = ({ first, last }: NonNullable<Media['part']>): number => last - first + 1

const textOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0]

/** How long the bytes of an attachment may take. */
export type MediaDeadlines = Omit<BodyLimits, 'maxBytes'>

/** What opening attachments needs: the platform's address, and a transport that reaches it. */
export type MediaDeps = CloudApiDeps & {
  readonly download: Download
  /** How long the bytes of an attachment may take; 30 seconds without a byte and ten minutes in all by default. */
  readonly mediaDeadlines?: MediaDeadlines
}

const DEADLINES: MediaDeadlines = { idleMs: 30 * SECOND_MS, totalMs: 600 * SECOND_MS }

/** How many attachments of one sender may be open simultaneously, so that those of other senders can be opened too. */
const MAX_OF_SENDER = MAX_DOWNLOADS / 4

/** Creates the opening of attachments: one call finds the address of the bytes, and a second call downloads them. */
export const makeOpenMedia = ({
  transport, download, now = Date.now, mediaDeadlines = DEADLINES, ...endpoint
}: MediaDeps): Conversation['openMedia'] => {
  const mediaRequest = makeMediaRequest(endpoint)
  const downloadRequest = makeDownloadRequest(endpoint, { maxBytes: MAX_MEDIA_BYTES, ...mediaDeadlines })
  const { origin } = baseOf(endpoint)
  const open = async (wanted: WantedMedia, onClosed: () => void): Promise<E.Either<MediaError, Media>> => {
    const described = readDescription(await transport(mediaRequest(wanted)), origin, now())
    if (E.isLeft(described)) return described
    const opened = await download(downloadRequest(wanted, described.right.address))
    const media = readDownload(opened, described.right, wanted.range, now())
    if (E.isRight(media) && opened._tag === 'Opened') void opened.closed.then(onClosed)
    return media
  }
  const limiter = makeLimiter({ limit: 'attachments', atOnce: MAX_OF_SENDER, now })
  return async (wanted) => {
    const entered = limiter.enter(wanted.sender.phoneNumberId)
    if (E.isLeft(entered)) return E.left(unanswered(`${MAX_OF_SENDER} attachments of this sender are being read already`))
    const { leave } = entered.right
    const media = await open(wanted, leave)
    if (E.isLeft(media)) leave()
    return media
  }
}
