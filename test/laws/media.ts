import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { ByteRange, Media, MediaError, MediaId } from '../../core/messages/conversation.js'
import type { ConversationFixture } from './conversation.js'
import { assertHidden } from './hidden.js'
import type { Law } from './law.js'

/** The attachments of a conversation, and control over how the network sends them. */
export type MediaFixture = Pick<
  ConversationFixture,
  'conversation' | 'sender' | 'willReject' | 'willThrottle' | 'willRefuseCredentials' | 'goDown' | 'willHang' | 'willAnswerNothing'
> & {
  /** The sender received an attachment; resolves to its id. */
  readonly willHave: (type: string, bytes: Uint8Array) => Promise<MediaId>
  /** The sender received no attachments. */
  readonly willHaveNothing: () => Promise<void>
  /** Attachments are refused to this sender, because another one received them. */
  readonly willBeAnothers: () => Promise<void>
  /** Every attachment stops after some bytes. */
  readonly willStandStill: () => Promise<void>
  /** The connection is lost after some bytes of every attachment. */
  readonly willBreakOff: () => Promise<void>
  /** The network returns an address on a third-party server for every attachment. */
  readonly willPointElsewhere: () => Promise<void>
  /** The address of every attachment redirects to a third-party server. */
  readonly willRedirectElsewhere: () => Promise<void>
  /** How many requests the third-party server received. */
  readonly arrivedElsewhere: () => number
  /** Resolves when no download is running at the network; rejects if that takes as long as a stalled download may. */
  readonly untilIdle: () => Promise<void>
  /** How many requests arrived at the network. */
  readonly asked: () => number
}

/** The promises of every `Conversation` about attachments. */
export const mediaLaws: ReadonlyArray<Law<MediaFixture>> = [
  {
    name: 'an attachment comes byte for byte, with the type that the platform names',
    check: async (fixture) => {
      for (const [type, bytes] of [['image/jpeg', BYTES], ['text/html', BYTES.subarray(0, 1)]] as const) {
        const media = rightOf(await open(fixture, await fixture.willHave(type, bytes)))
        assert.equal(media.type, type, 'the type is the platform\'s')
        assert.ok(media.length === undefined || media.length === bytes.length, 'the length is that of the attachment')
        assert.equal(media.part, undefined, 'all of it comes')
        assertSame(await bytesOf(media), bytes)
      }
    },
  },
  {
    name: 'the parameters of a type are left out, and a type that is none is an octet stream',
    check: async (fixture) => {
      for (const [given, type] of [
        ['audio/ogg; codecs=opus', 'audio/ogg'], ['Image/PNG', 'image/png'], ['x\r\ny', 'application/octet-stream'],
        ['', 'application/octet-stream'],
      ] as const) {
        const media = rightOf(await open(fixture, await fixture.willHave(given, BYTES)))
        assert.equal(media.type, type, 'the type has one form')
        media.close()
      }
    },
  },
  {
    name: 'a range gives its bytes and says which they are, or gives all bytes',
    check: async (fixture) => {
      const id = await fixture.willHave('video/mp4', BYTES)
      const end = BYTES.length
      for (const [range, first, past] of [
        [{ first: 5, last: 9 }, 5, 10], [{ first: end - 3 }, end - 3, end], [{ lastBytes: 7 }, end - 7, end],
        [{ first: 0, last: end * 2 }, 0, end],
      ] as const) {
        const media = rightOf(await open(fixture, id, range))
        if (media.part !== undefined) {
          assert.deepEqual({ ...media.part, size: media.part.size ?? end }, { first, last: past - 1, size: end }, 'the part is the range')
          assert.ok(media.length === undefined || media.length === past - first, 'the length is that of the part')
        }
        assertSame(await bytesOf(media), media.part === undefined ? BYTES : BYTES.subarray(first, past))
      }
    },
  },
  {
    name: 'a range without any byte is RangeNotSatisfiable, or gives all bytes',
    check: async (fixture) => {
      const opened = await open(fixture, await fixture.willHave('video/mp4', BYTES), { first: BYTES.length })
      if (E.isRight(opened)) assertSame(await bytesOf(opened.right), BYTES)
      else assert.equal(opened.left._tag, 'RangeNotSatisfiable', 'the range has no byte')
    },
  },
  {
    name: 'an attachment that the sender did not receive is MediaGone, whether no sender or another one received it',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      for (const power of [fixture.willHaveNothing, fixture.willBeAnothers]) {
        await power()
        assert.deepEqual(leftOf(await open(fixture, id)), { _tag: 'MediaGone' }, 'the attachment is not there for this sender')
      }
    },
  },
  {
    name: 'an attachment can be opened again, and the platform is asked again',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      const before = fixture.asked()
      assertSame(await bytesOf(rightOf(await open(fixture, id))), BYTES)
      const once = fixture.asked() - before
      assertSame(await bytesOf(rightOf(await open(fixture, id))), BYTES)
      assert.equal(fixture.asked() - before, 2 * once, 'each call asks again')
    },
  },
  {
    name: 'an attachment that the platform refuses to give is answered so, with the error object where it has one',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      for (const [tag, power] of [
        ['PlatformRejected', fixture.willReject], ['PlatformThrottled', fixture.willThrottle],
        ['CredentialsRefused', fixture.willRefuseCredentials],
      ] as const) {
        const error = await power()
        const left = leftOf(await open(fixture, id))
        assert.equal(left._tag, tag, 'the failure is the platform\'s')
        assert.deepEqual('error' in left && left.error, error, 'the failure carries the error object, whole')
      }
    },
  },
  {
    name: 'an attachment of a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      for (const power of [fixture.willHang, fixture.willAnswerNothing, fixture.goDown]) {
        await power()
        assert.equal(leftOf(await open(fixture, id))._tag, 'PlatformUnanswered', 'what does not come is unanswered')
      }
    },
  },
  {
    name: 'a download that breaks off or stands still ends with an error, within a deadline',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      for (const power of [fixture.willBreakOff, fixture.willStandStill]) {
        await power()
        const media = rightOf(await open(fixture, id))
        await assert.rejects(bytesOf(media), Error, 'the bytes that came are not taken for all')
      }
      await fixture.untilIdle()
    },
  },
  {
    name: 'a download ends where it is closed, also unread, and where its reader leaves',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      await fixture.willStandStill()
      rightOf(await open(fixture, id)).close()
      await fixture.untilIdle()
      const left = rightOf(await open(fixture, id))
      for await (const chunk of left.bytes) if (chunk.length > 0) break
      await fixture.untilIdle()
      left.close()
    },
  },
  {
    name: 'the access token is sent only to the platform, wherever an attachment is said to be',
    check: async (fixture) => {
      const id = await fixture.willHave('image/png', BYTES)
      for (const power of [fixture.willPointElsewhere, fixture.willRedirectElsewhere]) {
        await power()
        assert.equal(leftOf(await open(fixture, id))._tag, 'PlatformUnanswered', 'the address of a stranger is no answer')
      }
      assert.equal(fixture.arrivedElsewhere(), 0, 'the stranger got nothing')
    },
  },
  {
    name: 'attachments that were refused or lost are no reason to refuse the next',
    check: async (fixture) => {
      for (const power of [fixture.willReject, fixture.willHang, fixture.willHaveNothing]) {
        await power()
        await open(fixture, '1' as MediaId)
      }
      assertSame(await bytesOf(rightOf(await open(fixture, await fixture.willHave('image/png', BYTES)))), BYTES)
    },
  },
  {
    name: 'no answer and no error of a download carries the access token',
    check: async (fixture) => {
      const { willReject, willRefuseCredentials, willHang, willAnswerNothing, willPointElsewhere, willRedirectElsewhere, goDown } = fixture
      const id = await fixture.willHave('image/png', BYTES)
      await fixture.willBreakOff()
      const thrown: unknown = await bytesOf(rightOf(await open(fixture, id))).catch((error: unknown) => error)
      assertHidden(fixture.sender.accessToken, thrown)
      for (const power of [
        willReject, willRefuseCredentials, willHang, willAnswerNothing, willPointElsewhere, willRedirectElsewhere, goDown,
      ]) {
        await power()
        assertHidden(fixture.sender.accessToken, leftOf(await open(fixture, id)))
      }
    },
  },
]

/** More than any buffer on the way can hold, so that its end is far from its beginning. */
const BYTES = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 31 + (index >> 8)) % 256)

const open = ({ conversation, sender }: MediaFixture, id: MediaId, range?: ByteRange): Promise<E.Either<MediaError, Media>> =>
  conversation.openMedia({ sender, id, range })

const bytesOf = async ({ bytes }: Media): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of bytes) chunks.push(chunk)
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  chunks.reduce((at, chunk) => {
    whole.set(chunk, at)
    return at + chunk.length
  }, 0)
  return whole
}

/** A difference of many bytes is not printed. */
const assertSame = (given: Uint8Array, wanted: Uint8Array): void => {
  assert.equal(given.length, wanted.length, 'as many bytes came')
  assert.equal(given.findIndex((byte, index) => byte !== wanted[index]), -1, 'every byte is the same')
}

const rightOf = (opened: E.Either<MediaError, Media>): Media => {
  assert.ok(E.isRight(opened), 'the attachment is opened')
  return opened.right
}

const leftOf = (opened: E.Either<MediaError, Media>): MediaError => {
  assert.ok(E.isLeft(opened), 'the attachment is not opened')
  return opened.left
}
