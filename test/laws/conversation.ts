import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Conversation, ConversationError, ReadMark } from '../../core/messages/conversation.js'
import type { PlatformId } from '../../core/messages/message.js'
import type { Sender } from '../../core/senders/sender.js'
import { assertHidden } from './hidden.js'
import type { Law } from './law.js'

/**
 * A conversation, and control over the behaviour of the messaging network behind it.
 *
 * Each control stays in effect until another is used. Controls that make the network refuse resolve to the error object that it will return.
 */
export type ConversationFixture = {
  readonly conversation: Conversation
  /** A sender that the network knows. */
  readonly sender: Sender
  /** Messages can be marked as read. */
  readonly willMark: () => Promise<void>
  /** The network responds without an error, but does not confirm that it marked a message. */
  readonly willAnswerNothing: () => Promise<void>
  /** The network refuses the request. */
  readonly willReject: () => Promise<JsonObject>
  /** The network refuses because of too many requests. */
  readonly willThrottle: () => Promise<JsonObject>
  /** The sender's credentials are refused. */
  readonly willRefuseCredentials: () => Promise<JsonObject>
  /** The network cannot be reached. */
  readonly goDown: () => Promise<void>
  /** Requests arrive and never get a response. */
  readonly willHang: () => Promise<void>
  /** Every mark that arrived at the network, with any response, in order of arrival. */
  readonly marked: () => ReadonlyArray<Omit<ReadMark, 'sender'>>
}

/** The promises of every `Conversation`. */
export const conversationLaws: ReadonlyArray<Law<ConversationFixture>> = [
  {
    name: 'a message is marked as read once, under its own id',
    check: async (fixture) => {
      await fixture.willMark()
      assert.deepEqual(await mark(fixture), E.right(undefined), 'the mark succeeds')
      assertMarkedOnce(fixture)
    },
  },
  {
    name: 'typing is shown where it is asked for, and only there',
    check: async (fixture) => {
      await fixture.willMark()
      for (const typing of [true, false]) await mark(fixture, { typing })
      assert.deepEqual(fixture.marked(), [{ message, typing: true }, { message, typing: false }], 'each mark says whether typing is shown')
    },
  },
  {
    name: 'any text that can be an id of a message arrives unchanged',
    check: async (fixture) => {
      await fixture.willMark()
      for (const odd of ODD_IDS) await mark(fixture, { message: odd })
      assert.deepEqual(fixture.marked().map((one) => one.message), ODD_IDS, 'the network is given the very id')
    },
  },
  {
    name: 'marking again is harmless and succeeds',
    check: async (fixture) => {
      await fixture.willMark()
      for (let times = 0; times < 2; times += 1) assert.deepEqual(await mark(fixture), E.right(undefined), 'each mark succeeds')
    },
  },
  {
    name: 'marking again asks the platform again',
    check: async (fixture) => {
      await fixture.willMark()
      await mark(fixture)
      await mark(fixture)
      assert.equal(fixture.marked().length, 2, 'each call is one mark')
    },
  },
  {
    name: 'a mark that is refused is rejected with the platform\'s error object, whole, and is not repeated',
    check: async (fixture) => {
      const error = await fixture.willReject()
      assert.deepEqual(leftOf(await mark(fixture)), { _tag: 'PlatformRejected', error }, 'the rejection carries the error object')
      assertMarkedOnce(fixture)
    },
  },
  {
    name: 'a throttled mark is answered so, with the platform\'s error object, whole, and is not repeated',
    check: async (fixture) => {
      const error = await fixture.willThrottle()
      const left = leftOf(await mark(fixture))
      assert.equal(left._tag, 'PlatformThrottled', 'the answer says that it is throttled')
      assert.deepEqual('error' in left && left.error, error, 'the answer carries the error object')
      assertMarkedOnce(fixture)
    },
  },
  {
    name: 'refused credentials are answered so, with the platform\'s error object, whole, and the mark is not repeated',
    check: async (fixture) => {
      const error = await fixture.willRefuseCredentials()
      assert.deepEqual(leftOf(await mark(fixture)), { _tag: 'CredentialsRefused', error }, 'the refusal carries the error object')
      assertMarkedOnce(fixture)
    },
  },
  {
    name: 'a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline, and the mark is not repeated',
    check: async (fixture) => {
      const powers = [fixture.willHang, fixture.willAnswerNothing, fixture.goDown]
      for (const power of powers) {
        await power()
        assert.equal(leftOf(await mark(fixture))._tag, 'PlatformUnanswered', 'what the platform did not confirm is unanswered')
      }
      assert.equal(fixture.marked().length, powers.length - 1, 'each mark arrived once, except where the platform is down')
    },
  },
  {
    name: 'one that was refused or lost is no reason to refuse the next',
    check: async (fixture) => {
      for (const power of [fixture.willReject, fixture.willHang]) {
        await power()
        await mark(fixture)
      }
      await fixture.willMark()
      assert.deepEqual(await mark(fixture), E.right(undefined), 'the next message is marked')
    },
  },
  {
    name: 'no answer to a mark carries the access token',
    check: async (fixture) => {
      const { willReject, willRefuseCredentials, willHang, willAnswerNothing, goDown } = fixture
      for (const power of [willReject, willRefuseCredentials, willHang, willAnswerNothing, goDown]) {
        await power()
        assertHidden(fixture.sender.accessToken, leftOf(await mark(fixture)))
      }
    },
  },
]

const message = 'wamid.HBgNNDkxNTExMjM0NTY3OBUCABIYEjNB' as PlatformId
const ODD_IDS = ['wamid.a/b+c==', 'wamid.../../1', 'wamid."}\\', 'wamid.%2f?x=1#y', `wamid.${'x'.repeat(249)}`]
  .map((id) => id as PlatformId)

const markOf = ({ sender }: ConversationFixture, more: Partial<ReadMark> = {}): ReadMark => ({ sender, message, typing: false, ...more })

const mark = (fixture: ConversationFixture, more: Partial<ReadMark> = {}): Promise<E.Either<ConversationError, void>> =>
  fixture.conversation.markRead(markOf(fixture, more))

const leftOf = (answer: E.Either<ConversationError, unknown>): ConversationError => {
  assert.ok(E.isLeft(answer), 'what the platform did not do is answered with a left')
  return answer.left
}

const assertMarkedOnce = (fixture: ConversationFixture): void =>
  assert.deepEqual(fixture.marked(), [{ message, typing: false }], 'the mark arrived exactly once')
