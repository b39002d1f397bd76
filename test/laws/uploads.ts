import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { ConversationError, MediaId, MediaUpload } from '../../core/messages/conversation.js'
import type { ConversationFixture } from './conversation.js'
import { done, holds, same } from './expect.js'
import { assertHidden } from './hidden.js'
import type { Law } from './law.js'

/** A file as the network received it. */
export type TakenFile = { readonly type: string; readonly name: string; readonly bytes: Uint8Array }

/** The uploads of a conversation, and control over how the network accepts them. */
export type UploadsFixture = Pick<
  ConversationFixture,
  'conversation' | 'sender' | 'willReject' | 'willThrottle' | 'willRefuseCredentials' | 'goDown' | 'willHang' | 'willAnswerNothing'
> & {
  /** The network accepts files; resolves to the id that it assigns to the next one. */
  readonly willTake: () => Promise<MediaId>
  /** The network stops reading incoming data. */
  readonly willStopReading: () => Promise<void>
  /** The files that arrived completely, in order. */
  readonly taken: () => Promise<ReadonlyArray<TakenFile>>
  /** How many uploads have started at the network. */
  readonly begun: () => number
}

const SMALL = Uint8Array.of(0, 200, 13, 10, 45, 45, 255)
const LARGE = Uint8Array.from({ length: 1_000_000 }, (_, place) => (place * 31 + (place >> 8)) & 0xff)

/** More than all buffers on the way to a server can hold. */
const HUGE_PIECES = 512

async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise((resolve) => { setImmediate(resolve) })
    yield bytes.subarray(at, at + size)
  }
}

const upload = ({ conversation, sender }: UploadsFixture, more: Partial<MediaUpload> = {}): Promise<E.Either<ConversationError, MediaId>> =>
  conversation.uploadMedia({
    sender, type: 'application/pdf', name: 'invoice.pdf', sizeAtMost: SMALL.length, bytes: inPieces(SMALL), ...more,
  })

const failureOf = async (answer: Promise<E.Either<ConversationError, MediaId>>): Promise<ConversationError> => {
  const outcome = await answer
  return E.isLeft(outcome) ? outcome.left : assert.fail('the upload failed')
}

/** The promises of every `Conversation` about uploads. */
export const uploadsLaws: ReadonlyArray<Law<UploadsFixture>> = [
  {
    name: 'a file arrives byte for byte, once, with its type and its name, and its id is the platform’s',
    check: async (fixture) => {
      const names = ['invoice.pdf', 'Rechnung "März".pdf', '請求書.pdf']
      const ids: Array<readonly [expected: MediaId, given: MediaId]> = []
      for (const name of names) ids.push([await fixture.willTake(), await done('an upload', upload(fixture, { name }))])
      for (const [expected, given] of ids) same('the id of the file', given, expected)
      const taken = await fixture.taken()
      same('what has arrived', taken.map(({ type, name }) => ({ type, name })), names.map((name) => ({ type: 'application/pdf', name })))
      for (const { bytes } of taken) holds('the bytes are the same', Buffer.from(bytes).equals(SMALL), bytes.length)
    },
  },
  {
    name: 'a large file arrives, whether its size is known, known a little too large, or not known',
    check: async (fixture) => {
      const sizes = [LARGE.length, LARGE.length + 1, LARGE.length + 2, LARGE.length + 64, undefined]
      for (const sizeAtMost of sizes) {
        await fixture.willTake()
        await done(`an upload of ${sizeAtMost ?? 'unknown'} bytes`, upload(fixture, { sizeAtMost, bytes: inPieces(LARGE) }))
      }
      const taken = await fixture.taken()
      same('the number of files', taken.length, sizes.length)
      for (const { bytes } of taken) holds('the bytes are the same', Buffer.from(bytes).equals(LARGE), bytes.length)
    },
  },
  {
    name: 'the bytes are taken only as fast as the platform takes them',
    check: async (fixture) => {
      await fixture.willStopReading()
      const seen = { given: 0, ended: false }
      const huge = async function* (): AsyncGenerator<Uint8Array> {
        try {
          for (; seen.given < HUGE_PIECES; seen.given += 1) yield LARGE.subarray(0, 65_536)
        } finally {
          seen.ended = true
        }
      }
      const failure = await failureOf(upload(fixture, { sizeAtMost: HUGE_PIECES * 65_536, bytes: huge() }))
      same('an upload that is not read ends within a deadline', failure._tag, 'PlatformUnanswered')
      holds('most of the bytes were never asked for', seen.given < HUGE_PIECES / 2, seen.given)
      holds('the source is ended', seen.ended, seen.given)
    },
  },
  {
    name: 'where the bytes break off the upload fails, and the platform gets no file',
    check: async (fixture) => {
      await fixture.willTake()
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield* inPieces(LARGE.subarray(0, 600_000))
        throw new Error('the sender is gone')
      }
      for (const sizeAtMost of [LARGE.length, undefined]) {
        same('the failure', (await failureOf(upload(fixture, { sizeAtMost, bytes: broken() })))._tag, 'PlatformUnanswered')
      }
      same('the files that have arrived', await fixture.taken(), [])
    },
  },
  {
    name: 'a file of another size than was announced is not taken for whole',
    check: async (fixture) => {
      await fixture.willTake()
      for (const sizeAtMost of [LARGE.length - 1, LARGE.length + 1_000]) {
        same('the failure', (await failureOf(upload(fixture, { sizeAtMost, bytes: inPieces(LARGE) })))._tag, 'PlatformUnanswered')
      }
      same('the files that have arrived', await fixture.taken(), [])
    },
  },
  {
    name: 'an upload that is refused is answered so, with the platform’s error object, whole, and is not repeated',
    check: async (fixture) => {
      for (const [refuse, tag] of [
        [fixture.willReject, 'PlatformRejected'],
        [fixture.willThrottle, 'PlatformThrottled'],
        [fixture.willRefuseCredentials, 'CredentialsRefused'],
      ] as const) {
        const error = await refuse()
        const begun = fixture.begun()
        const failure = await failureOf(upload(fixture))
        same('the failure', [failure._tag, 'error' in failure ? failure.error : undefined], [tag, error])
        same('the uploads that were begun', fixture.begun() - begun, 1)
      }
    },
  },
  {
    name: 'a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline, and the upload is not repeated',
    check: async (fixture) => {
      for (const power of [fixture.willAnswerNothing, fixture.willHang]) {
        await power()
        const begun = fixture.begun()
        same('the failure', (await failureOf(upload(fixture)))._tag, 'PlatformUnanswered')
        same('the uploads that were begun', fixture.begun() - begun, 1)
      }
      await fixture.goDown()
      same('the failure of a platform that is down', (await failureOf(upload(fixture)))._tag, 'PlatformUnanswered')
    },
  },
  {
    name: 'no answer to an upload carries the access token',
    check: async (fixture) => {
      for (const power of [fixture.willReject, fixture.willAnswerNothing, fixture.willHang, fixture.goDown]) {
        await power()
        assertHidden(fixture.sender.accessToken, await failureOf(upload(fixture)))
      }
    },
  },
]
