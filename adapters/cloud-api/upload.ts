import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { makeFairShares, makePace, type Pace, whoYields, type Yielding } from '../shared/fair-shares.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import {
  type Conversation, type ConversationError, type MediaId, type MediaUpload, parseMediaId,
} from '../../core/messages/conversation.js'
import { SIZE_SLACK } from '../../core/messages/files.js'
import { readBody } from './read-answer.js'
import {
  baseOf, type BodyLimits, type CloudApiDeps, type Endpoint, headersOf, type HttpRequest, MAX_UPLOADS, repeatable, startDeadline,
  type Transport, unanswered,
} from './transport.js'

/** What uploading needs: the platform's address, and a transport whose bodies may be streams. */
export type UploadDeps = Omit<CloudApiDeps, 'transport'> & {
  readonly upload: Transport
  /** How long an upload may take; 30 seconds without a byte and ten minutes in all by default. */
  readonly uploadDeadlines?: Omit<BodyLimits, 'maxBytes'>
}

const DEADLINES: Omit<BodyLimits, 'maxBytes'> = { idleMs: 30 * SECOND_MS, totalMs: 600 * SECOND_MS }

/**
 * Creates the upload of files: `POST {base}/{version}/{phone number id}/media`, a form with the file as its last part.
 *
 * The senders share the slots for uploads in progress, so that one sender leaves room for others.
 *
 * Source: <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#upload-media>.
 */
export const makeUploadMedia = ({
  upload, now = Date.now, uploadDeadlines = DEADLINES, ...endpoint
}: UploadDeps): Conversation['uploadMedia'] => {
  const uploadRequest = makeUploadRequest(endpoint, uploadDeadlines)
  const shares = makeFairShares<string>(MAX_UPLOADS)
  const underWay = new Set<UnderWay>()

  const release = (one: UnderWay): void => { if (underWay.delete(one)) shares.giveBack(one.key) }

  return async (file) => {
    const { phoneNumberId } = file.sender
    // A sender without any upload gets the slot of another upload, once the connection of that upload is free.
    const isFree = shares.mayTake(phoneNumberId)
    const ending = isFree || shares.heldBy(phoneNumberId) > 0 ? undefined : whoYields(underWay)
    if (!isFree && ending === undefined) return E.left(unanswered(TOO_MANY))
    if (ending !== undefined) release(ending)
    shares.take(phoneNumberId)
    if (ending !== undefined) {
      ending.yieldPlace()
      await ending.ended
    }
    const pace = makePace(() => performance.now())
    const request = uploadRequest({ ...file, bytes: measured(file.bytes, pace) })
    const result = upload(request)
    const one: UnderWay = {
      key: phoneNumberId,
      bytesPerSecond: pace.bytesPerSecond,
      yieldPlace: () => { request.stream.destroy(new Error(TOO_MANY)) },
      ended: result,
    }
    underWay.add(one)
    try {
      const answer = readBody(await result, now())
      return E.isLeft(answer) ? E.left(repeatable(answer.left)) : idOf(answer.right['id'])
    } finally {
      release(one)
    }
  }
}

/** An upload that holds a slot. */
type UnderWay = Yielding<string> & { readonly ended: Promise<unknown> }

const TOO_MANY = 'Too many files are being uploaded already through this sender, or through all senders'

async function* measured(bytes: AsyncIterable<Uint8Array>, pace: Pace): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    pace.add(piece.length)
    yield piece
  }
}

const idOf = (id: unknown): E.Either<ConversationError, MediaId> => {
  const parsed: MediaId | undefined = typeof id === 'string' ? parseMediaId(id) : undefined
  return parsed === undefined ? E.left(unanswered('The platform answered an upload without an id of the file')) : E.right(parsed)
}

/** A request whose body is a stream. */
type UploadRequest = HttpRequest & { readonly stream: Readable }

/**
 * Creates the calls that upload.
 *
 * Clients report that the platform refuses forms with chunked transfer encoding, so the request has a `Content-Length` if the size is known. If the file has a few
 * bytes less than `sizeAtMost`, spaces after the closing delimiter fill the rest. RFC 2046 (section 5.1.1) makes every reader ignore them.
 */
export const makeUploadRequest = (
  endpoint: Endpoint, { idleMs, totalMs }: Omit<BodyLimits, 'maxBytes'>,
): ((file: MediaUpload) => UploadRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ sender, type, name, sizeAtMost, bytes }) => {
    const boundary = `postern-${randomBytes(18).toString('hex')}`
    const opening = Buffer.from(openingOf(boundary, type, name))
    const closing = `\r\n--${boundary}--`
    return {
      method: 'POST',
      origin,
      path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}/media`,
      headers: {
        ...headersOf(sender),
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(sizeAtMost !== undefined && { 'content-length': String(opening.length + sizeAtMost + closing.length + LINE_END.length) }),
      },
      stream: streamOf(framed(opening, bytes, { closing, sizeAtMost }), idleMs),
      timeoutMs: totalMs,
      connectMs: endpoint.timeoutMs,
      answerMs: endpoint.timeoutMs,
    }
  }
}

const openingOf = (boundary: string, type: string, name: string): string => {
  const field = (header: string, value: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}`
  return [
    field('name="messaging_product"', 'whatsapp'), field('name="type"', type),
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(name)}"\r\nContent-Type: ${type}\r\n\r\n`,
  ].join('\r\n')
}

/** Escaped as browsers escape names in forms: <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data>. */
const escaped = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const LINE_END = '\r\n'

async function* framed(
  opening: Uint8Array, bytes: AsyncIterable<Uint8Array>,
  { closing, sizeAtMost }: { readonly closing: string; readonly sizeAtMost: number | undefined },
): AsyncGenerator<Uint8Array> {
  yield opening
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    yield piece
  }
  const missing = (sizeAtMost ?? size) - size
  if (missing < 0 || missing > SIZE_SLACK) throw new Error('The file has another length than it was announced with')
  yield Buffer.from(`${closing}${LINE_END}${' '.repeat(missing)}`)
}

/** A stream of the pieces, which fails if no piece was read for `idleMs`. */
const streamOf = (pieces: AsyncIterable<Uint8Array>, idleMs: number): Readable => {
  const startIdle = () => startDeadline(idleMs, () => stream.destroy(new Error(`No byte of the file within ${idleMs} ms`)))
  let idle = startIdle()
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      idle.clear()
      idle = startIdle()
      yield piece
    }
  }
  const stream: Readable = Readable.from(watched(), { objectMode: false })
  // The HTTP client gets the error from the stream as well. Without this listener, an error before the client starts reading would end the process.
  return stream.on('error', () => undefined).once('close', () => idle.clear())
}
