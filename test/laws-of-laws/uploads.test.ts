import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import type { Transport, TransportResult } from '../../adapters/cloud-api/transport.js'
import type { Conversation, MediaId, MediaUpload } from '../../core/messages/conversation.js'
import { openConversationFixture } from '../adapters/cloud-api/conversation-fixture.js'
import { type UploadsFixture, uploadsLaws } from '../laws/uploads.js'
import { describeMutations } from './mutation.js'

type Upload = Conversation['uploadMedia']

const overTransport = (spoilUpload: (send: Transport) => Transport) => (): Promise<UploadsFixture> =>
  openConversationFixture(makeGotTransport(), { spoilUpload })

const broken = (defect: (upload: Upload) => Upload) => async (): Promise<UploadsFixture> => {
  const fixture = await openConversationFixture(makeGotTransport())
  return { ...fixture, conversation: { ...fixture.conversation, uploadMedia: defect(fixture.conversation.uploadMedia) } }
}

const changed = (change: (upload: MediaUpload) => MediaUpload) => broken((upload) => (file) => upload(change(file)))

const answering = (change: (result: TransportResult) => TransportResult) =>
  overTransport((send) => async (request) => change(await send(request)))

async function* upperHalf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) yield piece.map((byte) => byte & 0x7f)
}

async function* withoutErrors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch {
    // What came is taken for all.
  }
}

/** Takes all bytes before the first of them is sent. */
async function* whole(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Array<Uint8Array> = []
  for await (const piece of bytes) pieces.push(piece)
  yield* pieces
}

const ARRIVES = 'a file arrives byte for byte, once, with its type and its name, and its id is the platform’s'
const LARGE = 'a large file arrives, whether its size is known, known a little too large, or not known'
const BREAKS_OFF = 'where the bytes break off the upload fails, and the platform gets no file'
const OTHER_SIZE = 'a file of another size than was announced is not taken for whole'
const REFUSED = 'an upload that is refused is answered so, with the platform’s error object, whole, and is not repeated'
const UNANSWERED = 'a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline, and the upload is not repeated'

describeMutations('uploads', uploadsLaws, [
  { defect: 'clears a bit of each byte', open: changed((file) => ({ ...file, bytes: upperHalf(file.bytes) })), breaks: [ARRIVES, LARGE] },
  { defect: 'loses the name', open: changed((file) => ({ ...file, name: 'file' })), breaks: [ARRIVES] },
  { defect: 'loses the type', open: changed((file) => ({ ...file, type: 'application/octet-stream' })), breaks: [ARRIVES] },
  {
    defect: 'gives an id of its own',
    open: broken((upload) => async (file) => E.map(() => '1' as MediaId)(await upload(file))),
    breaks: [ARRIVES],
  },
  { defect: 'uploads twice', open: broken((upload) => async (file) => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of whole(file.bytes)) pieces.push(piece)
    const again = async function* (): AsyncGenerator<Uint8Array> { yield* pieces }
    await upload({ ...file, bytes: again() })
    return upload({ ...file, bytes: again() })
  }), breaks: [ARRIVES, LARGE, BREAKS_OFF, REFUSED, UNANSWERED, 'the bytes are taken only as fast as the platform takes them'] },
  { defect: 'takes all bytes at once', open: changed((file) => ({ ...file, bytes: whole(file.bytes) })), breaks: ['the bytes are taken only as fast as the platform takes them'] },
  {
    defect: 'accepts the received bytes as the whole file if the size is unknown',
    open: changed((file) => ({ ...file, sizeAtMost: undefined, bytes: withoutErrors(file.bytes) })),
    breaks: [BREAKS_OFF, OTHER_SIZE],
  },
  {
    defect: 'shortens the platform’s error',
    open: answering((result) =>
      result._tag === 'Answered' ? { ...result, body: result.body.replace(/"error_data":\{[^}]*\},?/, '') } : result),
    breaks: [REFUSED],
  },
  {
    defect: 'takes every answer for a success',
    open: answering((result) => (result._tag === 'Answered' && result.status === 200 ? { ...result, body: '{"id":"1"}' } : result)),
    breaks: [ARRIVES, UNANSWERED],
  },
  { defect: 'has causes that carry the request', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered'
      ? result
      : { ...result, cause: Object.assign(result.cause, { request: { headers: request.headers } }) }
  }), breaks: ['no answer to an upload carries the access token'] },
])
