import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import type { Download, Transport } from '../../adapters/cloud-api/transport.js'
import type { Conversation, Media, MediaError } from '../../core/messages/conversation.js'
import { openConversationFixture } from '../adapters/cloud-api/conversation-fixture.js'
import { type MediaFixture, mediaLaws } from '../laws/media.js'
import { describeMutations } from './mutation.js'

type Open = Conversation['openMedia']

const overTransport = (spoil: (send: Transport) => Transport) => (): Promise<MediaFixture> =>
  openConversationFixture(makeGotTransport(), { spoil })
const overDownload = (spoilDownload: (download: Download) => Download) => (): Promise<MediaFixture> =>
  openConversationFixture(makeGotTransport(), { spoilDownload })

const broken = (defect: (open: Open) => Open) => async (): Promise<MediaFixture> => {
  const fixture = await openConversationFixture(makeGotTransport())
  return { ...fixture, conversation: { ...fixture.conversation, openMedia: defect(fixture.conversation.openMedia) } }
}

/** Changes what is opened. */
const opening = (change: (media: Media) => Media) => broken((open) => async (wanted) => {
  const media = await open(wanted)
  return E.isRight(media) ? E.right(change(media.right)) : media
})

/** Changes the failures. */
const failing = (change: (error: MediaError) => MediaError) => broken((open) => async (wanted) => {
  const media = await open(wanted)
  return E.isLeft(media) ? E.left(change(media.left)) : media
})

/** Changes the chunks, and whether an error of the platform gets through. */
const reading = (change: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) =>
  opening((media) => ({ ...media, bytes: change(media.bytes) }))

async function* upperHalf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) yield chunk.map((byte) => byte & 0x7f)
}

async function* withoutErrors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch {
    // The reader accepts the received bytes as the whole file.
  }
}

/** Takes everything before the reader gets the first byte, and cannot be left. */
const whole = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const reader = bytes[Symbol.asyncIterator]()
    return { next: () => reader.next() }
  },
})

async function* empty(): AsyncGenerator<Uint8Array> {}

/** A `fetch` that goes wherever it is sent, with the token. */
const trusting: Download = async ({ origin, path, headers }) => {
  const response = await fetch(`${origin}${path}`, { headers, signal: AbortSignal.timeout(1_000) })
  return {
    _tag: 'Opened', status: response.status, headers: Object.fromEntries(response.headers), bytes: response.body ?? empty(),
    close: () => void response.body?.cancel(), closed: Promise.resolve(),
  }
}

const BYTE_FOR_BYTE = 'an attachment comes byte for byte, with the type that the platform names'
const GONE = 'an attachment that the sender did not receive is MediaGone, whether no sender or another one received it'
const REFUSED = 'an attachment that the platform refuses to give is answered so, with the error object where it has one'
const UNANSWERED = 'an attachment of a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline'
const ENDS = 'a download ends where it is closed, also unread, and where its reader leaves'
const RANGE = 'a range gives its bytes and says which they are, or gives all bytes'

describeMutations('attachments', mediaLaws, [
  { defect: 'changes bytes', open: reading(upperHalf), breaks: [BYTE_FOR_BYTE] },
  { defect: 'guesses the type', open: opening((media) => ({ ...media, type: 'image/jpeg' })), breaks: [BYTE_FOR_BYTE] },
  { defect: 'passes the type on as the platform writes it', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? { ...result, body: result.body.replace('; codecs=opus', '-codecs-opus') } : result
  }), breaks: ['the parameters of a type are left out, and a type that is none is an octet stream'] },
  { defect: 'says that all bytes come where a part does', open: opening((media) => ({ ...media, part: undefined })), breaks: [RANGE] },
  { defect: 'counts the bytes of a part from 1', open: opening((media) => (
    media.part === undefined
      ? media
      : { ...media, part: { ...media.part, first: media.part.first + 1, last: media.part.last + 1 } })), breaks: [RANGE] },
  {
    defect: 'takes a range without any byte for a missing attachment',
    open: failing((error) => (error._tag === 'RangeNotSatisfiable' ? { _tag: 'MediaGone' } : error)),
    breaks: [
      'a range without any byte is RangeNotSatisfiable, or gives all bytes',
    ],
  },
  {
    defect: 'takes a missing attachment for wrong credentials',
    open: failing((error) => (error._tag === 'MediaGone' ? { _tag: 'CredentialsRefused', error: {} } : error)),
    breaks: [GONE],
  },
  { defect: 'keeps what it opened', open: broken((open) => {
    const answers = new Map<string, ReturnType<typeof open>>()
    return (wanted) => {
      const answer = answers.get(wanted.id) ?? open(wanted)
      answers.set(wanted.id, answer)
      return answer
    }
  }), breaks: ['an attachment can be opened again, and the platform is asked again'] },
  {
    defect: 'hides the platform\'s error',
    open: failing((error) => ('error' in error ? { ...error, error: {} } : error)),
    breaks: [REFUSED],
  },
  { defect: 'takes every failure for a missing attachment', open: failing(() => ({ _tag: 'MediaGone' })), breaks: [REFUSED, UNANSWERED] },
  { defect: 'takes what came of a lost download for all', open: reading(withoutErrors), breaks: ['a download that breaks off or stands still ends with an error, within a deadline'] },
  {
    defect: 'goes on downloading after the client has left',
    open: opening((media) => ({ ...media, bytes: whole(media.bytes), close: () => undefined })),
    breaks: [ENDS],
  },
  { defect: 'trusts every address and follows redirects', open: overDownload(() => trusting), breaks: ['the access token is sent only to the platform, wherever an attachment is said to be'] },
  { defect: 'opens nothing more after a failure', open: broken((open) => {
    let failed = false
    return async (wanted) => {
      if (failed) return E.left<MediaError>({ _tag: 'PlatformUnanswered', cause: new Error('the circuit is open') })
      const media = await open(wanted)
      failed = E.isLeft(media)
      return media
    }
  }), breaks: ['attachments that were refused or lost are no reason to refuse the next'] },
  { defect: 'throws errors that carry the request', open: overDownload((download) => async (request) => {
    const result = await download(request)
    return result._tag === 'Opened' ? { ...result, bytes: throwing(result.bytes, request) } : result
  }), breaks: ['no answer and no error of a download carries the access token'] },
])

async function* throwing(bytes: AsyncIterable<Uint8Array>, request: object): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw Object.assign(error as Error, { request })
  }
}
