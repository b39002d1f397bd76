import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { describeCause } from '../../../core/kernel/failure.js'
import { type Media, MEDIA_TYPES, type MediaId, type OpenMediaError, UNKNOWN_MEDIA_TYPE } from '../../../core/messages/conversation.js'
import type { SenderId } from '../../../core/senders/sender.js'
import { MediaName, NamedSender } from '../codecs.js'
import { type Content, headerRefs } from '../openapi-types.js'
import { keyedOperation, served, type UseCases, type WorkspaceRequest } from '../operation.js'
import type { NotFound, Reply } from '../reply.js'
import type { Log } from '../request.js'
import { described, rangeIn } from '../schema.js'

const BYTES: Content = Object.fromEntries(
  [...MEDIA_TYPES, UNKNOWN_MEDIA_TYPE].map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

/** `GET /media/{id}` */
export const getMedia = keyedOperation({
  id: 'getMedia',
  method: 'get',
  path: '/media/{id}',
  part: 'answering',
  act: 'attachment.view',
  tag: 'Answering',
  summary: 'Download an attachment',
  description:
    "The bytes of an attachment of a customer's message, as the platform has them: up to 100 MB, for some days. They are passed on while they arrive and not "
      + `stored. A type that the platform does not document is returned as \`${UNKNOWN_MEDIA_TYPE}\`; its real name is in the notification. If the download breaks off, so does `
      + 'the reply. Only the sender that received an attachment can open it; through any other sender it is not found.',
  pathParameters: { id: MediaName },
  query: { sender: described(NamedSender, 'The phone number id of the sender that received the message, as `sender` in its event; the default sender if omitted.') },
  parameters: ['range'],
  replies: {
    200: { description: 'All bytes.', headers: headerRefs('Content-Disposition'), content: BYTES },
    206: { description: 'The bytes of the range.', headers: headerRefs('Content-Disposition', 'Content-Range'), content: BYTES },
  },
  failures: {
    NotFound: true, MediaGone: true, RangeNotSatisfiable: true, SenderNotConfigured: true, UnknownSender: true, PlatformRejected: true,
    PlatformThrottled: true, CredentialsRefused: true, PlatformUnanswered: true,
  },
  run: async (
    { postern }: UseCases,
    { workspace, parameters: { id, sender }, headers, requestId }: WorkspaceRequest<{ readonly id: MediaId; readonly sender?: SenderId }>,
    log: Log,
  ): Promise<E.Either<OpenMediaError | NotFound, Reply>> => {
    const range = rangeIn(headers)
    const media = await served(postern.conversation).openMedia({ workspace, sender, id, ...(range !== undefined && { range }) })
    if (E.isLeft(media)) return media
    return E.right(mediaReply(media.right, (cause) => log('warn', 'media_broken', { request_id: requestId, cause: describeCause(cause) })))
  },
})

/** A browser that opens the address saves the bytes, and uses only the type in the header. */
const mediaReply = (media: Media, onBroken: (cause: unknown) => void): Reply => {
  const { type, length, part } = media
  return {
    status: part === undefined ? 200 : 206,
    headers: {
      'Content-Type': MEDIA_TYPES.includes(type) ? type : UNKNOWN_MEDIA_TYPE,
      'Content-Disposition': 'attachment',
      'Cache-Control': 'private, no-store',
      ...(length !== undefined && { 'Content-Length': String(length) }),
      ...(part !== undefined && { 'Content-Range': `bytes ${part.first}-${part.last}/${part.size ?? '*'}` }),
    },
    body: streamOf(media, onBroken),
  }
}

/**
 * The bytes as a stream of Node.js, which reads on only as fast as the caller reads.
 *
 * The download ends immediately when the caller disconnects, even if the platform has not sent the next byte; `Readable.from` would wait for that byte.
 */
const streamOf = ({ bytes, close }: Media, onBroken: (cause: unknown) => void): Readable => {
  const iterator = bytes[Symbol.asyncIterator]()
  const stream = new Readable({
    read: () => {
      iterator.next().then(({ done, value }) => stream.push(done === true ? null : value), (cause: unknown) => {
        if (!stream.destroyed) onBroken(cause)
        stream.destroy(cause instanceof Error ? cause : new Error('The download failed'))
      })
    },
    destroy: (error, done) => {
      close()
      done(error)
    },
  })
  // Koa adds its own listener only for a reply with a body.
  return stream.on('error', () => undefined)
}
