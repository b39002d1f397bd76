import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { type Content, CONTENT_TYPES, type ContentType } from '../../core/messages/content.js'
import type { Accepted, Message, MessageId, PlatformId } from '../../core/messages/message.js'
import type { Sender } from '../../core/senders/sender.js'
import type { Outbound, Platform } from '../../core/sending/dispatch.js'
import { assertHidden } from './hidden.js'
import type { Law } from './law.js'

/**
 * A platform, and control over the behaviour of the messaging network behind it.
 *
 * Each control stays in effect until another is used. Controls that make the network refuse resolve to the error object that it will return.
 */
export type PlatformFixture = {
  readonly platform: Platform
  /** The messages that the platform supports; all if absent. `platformLawsFor` builds the laws from it. */
  readonly carries?: ReadonlyArray<Carried>
  /** A sender that the network knows. */
  readonly sender: Sender
  /** Messages are accepted, with the id that this resolves to. */
  readonly willAccept: () => Promise<PlatformId>
  /** Messages are refused because of their content. */
  readonly willReject: () => Promise<JsonObject>
  /** Messages are refused because there are too many. */
  readonly willThrottle: () => Promise<JsonObject>
  /** The sender's credentials are refused. */
  readonly willRefuseCredentials: () => Promise<JsonObject>
  /** The network cannot be reached. */
  readonly goDown: () => Promise<void>
  /** Messages arrive and never get a response. */
  readonly willHang: () => Promise<void>
  /** Messages are accepted, and the connection is lost before the response. */
  readonly willResetAfterAccepting: () => Promise<void>
  /** The marks of all messages that arrived at the network, with any response, in order of arrival. */
  readonly sent: () => ReadonlyArray<string>
}

/** The kinds of messages that a platform can support: `text` is a text and content of that type; `quote` stands for messages that quote another. */
export type Carried = ContentType | 'quote' | 'template'

/** All kinds that a platform can support. */
const EVERYTHING: ReadonlyArray<Carried> = [...CONTENT_TYPES, 'template', 'quote']

/**
 * The promises of a `Platform` that supports the kinds of its fixture. The list has no laws about unsupported kinds, and the other laws send supported kinds. Throws a
 * `TypeError` if it supports no kind of message.
 */
export const platformLawsFor = ({ carries = EVERYTHING }: Pick<PlatformFixture, 'carries'>): ReadonlyArray<Law<PlatformFixture>> => {
  const types = CONTENT_TYPES.filter((type) => carries.includes(type))
  const contents = types.map(contentOf)
  const texts = carries.includes('text') ? [text] : []
  const templates = carries.includes('template') ? [template] : []
  const [first, ...others] = [...texts, ...contents, ...templates]
  if (first === undefined) throw new TypeError('A platform carries at least one kind of message, such as text.')
  return [
    ...texts.map(acceptedText), ...templates.map(acceptedTemplate),
    ...(types.length > 0 ? [acceptedContent(types)] : []),
    ...(carries.includes('quote') ? [acceptedQuotes([...texts, ...templates, ...contents.slice(-1)])] : []),
    ...answerLaws(first, others.at(-1) ?? first),
  ]
}

const acceptedText = (message: Message): Law<PlatformFixture> => ({
  name: 'an accepted text is answered with the id the platform gave it',
  check: async (fixture) => {
    const id = await fixture.willAccept()
    assert.deepEqual(await send(fixture, message), E.right(id), 'the answer is the accepted id')
  },
})

const acceptedTemplate = (message: Message): Law<PlatformFixture> => ({
  name: 'an accepted template is answered with the id the platform gave it',
  check: async (fixture) => {
    const id = await fixture.willAccept()
    assert.deepEqual(await send(fixture, message), E.right(id), 'the answer is the accepted id')
  },
})

const acceptedContent = (types: ReadonlyArray<ContentType>): Law<PlatformFixture> => ({
  name: 'accepted content of each type is answered with the id the platform gave it',
  check: async (fixture) => {
    const id = await fixture.willAccept()
    for (const type of types) assert.deepEqual(await send(fixture, contentOf(type)), E.right(id), `the answer to ${type} is the accepted id`)
  },
})

const acceptedQuotes = (messages: ReadonlyArray<Message>): Law<PlatformFixture> => ({
  name: 'an accepted message of each kind that quotes another is answered with the id the platform gave it',
  check: async (fixture) => {
    const id = await fixture.willAccept()
    const context = { message_id: id }
    for (const message of messages) {
      assert.deepEqual(await send(fixture, { ...message, context }), E.right(id), 'the answer is the accepted id')
    }
  },
})

/** The laws of the responses, with two messages that the platform supports. */
const answerLaws = (message: Message, other: Message): ReadonlyArray<Law<PlatformFixture>> => [
  {
    name: 'an accepted message is handed over once, marked with our id',
    check: async (fixture) => {
      await fixture.willAccept()
      await send(fixture, message)
      assertSentOnce(fixture)
    },
  },
  {
    name: 'a message that is sent again is handed over again',
    check: async (fixture) => {
      await fixture.willAccept()
      await send(fixture, message)
      await send(fixture, message)
      assert.deepEqual(fixture.sent(), [ours, ours], 'each call is one send')
    },
  },
  {
    name: 'messages sent at the same time are each handed over once',
    check: async (fixture) => {
      const id = await fixture.willAccept()
      const ids = Array.from({ length: 20 }, (_, n) => messageId(n))
      const answers = await Promise.all(ids.map((each) => sendAs(fixture, { ...outbound(fixture, message), id: each })))
      assert.deepEqual(answers, ids.map(() => E.right(id)), 'every one is accepted')
      assert.deepEqual([...fixture.sent()].sort(), ids, 'every mark arrived exactly once')
    },
  },
  {
    name: 'a refused message is rejected with the platform\'s error object, whole, and is not sent again',
    check: async (fixture) => {
      const error = await fixture.willReject()
      assert.deepEqual(leftOf(await send(fixture, other)), { _tag: 'PlatformRejected', error }, 'the rejection carries the error object')
      assertSentOnce(fixture)
    },
  },
  {
    name: 'a throttled message is answered so, with the platform\'s error object, whole, and is not sent again',
    check: async (fixture) => {
      const error = await fixture.willThrottle()
      const left = leftOf(await send(fixture, message))
      assert.equal(left._tag, 'PlatformThrottled', 'the answer says that it is throttled')
      assert.deepEqual('error' in left && left.error, error, 'the answer carries the error object')
      assertSentOnce(fixture)
    },
  },
  {
    name: 'refused credentials are answered so, with the platform\'s error object, whole, and the message is not sent again',
    check: async (fixture) => {
      const error = await fixture.willRefuseCredentials()
      assert.deepEqual(leftOf(await send(fixture, message)), { _tag: 'CredentialsRefused', error }, 'the refusal carries the error object')
      assertSentOnce(fixture)
    },
  },
  {
    name: 'a platform that is down is unreachable, and nothing was sent',
    check: async (fixture) => {
      await fixture.goDown()
      assert.equal(leftOf(await send(fixture, message))._tag, 'PlatformUnreachable', 'what was never reached is unreachable')
      assert.deepEqual(fixture.sent(), [], 'nothing arrived')
    },
  },
  {
    name: 'an answer comes within a deadline though the platform never gives one: the outcome is unknown, and nothing is sent again',
    check: async (fixture) => {
      await fixture.willHang()
      assert.equal(leftOf(await send(fixture, message))._tag, 'OutcomeUnknown', 'what arrived and was not answered is unknown')
      assertSentOnce(fixture)
    },
  },
  {
    name: 'a connection lost after the message arrived leaves the outcome unknown, and nothing is sent again',
    check: async (fixture) => {
      await fixture.willResetAfterAccepting()
      assert.equal(leftOf(await send(fixture, message))._tag, 'OutcomeUnknown', 'what may have been accepted is unknown')
      assertSentOnce(fixture)
    },
  },
  {
    name: 'one that was refused or lost is no reason to refuse the next',
    check: async (fixture) => {
      await fixture.willReject()
      await send(fixture, message)
      await fixture.willResetAfterAccepting()
      await send(fixture, message)
      const id = await fixture.willAccept()
      assert.deepEqual(await send(fixture, message), E.right(id), 'the next message is accepted')
    },
  },
  {
    name: 'no answer carries the access token',
    check: async (fixture) => {
      const { willReject, willRefuseCredentials, willHang, willResetAfterAccepting, goDown } = fixture
      for (const power of [willReject, willRefuseCredentials, willHang, willResetAfterAccepting, goDown]) {
        await power()
        assertHidden(fixture.sender.accessToken, leftOf(await send(fixture, message)))
      }
    },
  },
]

const messageId = (n: number): MessageId => `msg_${n.toString(16).padStart(32, '0')}` as MessageId
const ours = messageId(0xfeed)
const to = '4915112345678' as PhoneNumber
const text: Message = { _tag: 'Text', to, text: 'Your parcel is here' }
const template: Message = {
  _tag: 'Template', to, name: 'order_update', language: 'en_US',
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-17' }] }],
}

/** The minimal content of each type that the platform accepts. */
const CONTENT: Readonly<Record<ContentType, Content>> = {
  text: { body: 'Your parcel is here' },
  image: { id: '1' },
  video: { id: '1' },
  audio: { id: '1' },
  document: { id: '1' },
  sticker: { id: '1' },
  location: { latitude: '52.5219', longitude: '13.4132' },
  contacts: [{ name: { formatted_name: 'Ann' } }],
  reaction: { message_id: 'wamid.HBgN1', emoji: '' },
  interactive: { type: 'location_request_message', body: { text: 'Where are you?' }, action: { name: 'send_location' } },
}

const contentOf = (type: ContentType): Message => ({ _tag: 'Content', to, type, content: CONTENT[type] })

const outbound = ({ sender }: PlatformFixture, message: Message): Outbound => ({ id: ours, sender, message })

const send = (fixture: PlatformFixture, message: Message): Promise<E.Either<PlatformError, PlatformId>> =>
  sendAs(fixture, outbound(fixture, message))

const sendAs = ({ platform }: PlatformFixture, asked: Outbound): Promise<E.Either<PlatformError, PlatformId>> =>
  platform.send(asked).then(E.map(({ platformId }: Accepted) => platformId))

const leftOf = (answer: E.Either<PlatformError, PlatformId>): PlatformError => {
  assert.ok(E.isLeft(answer), 'a message that was not accepted is answered with a left')
  return answer.left
}

const assertSentOnce = (fixture: PlatformFixture): void =>
  assert.deepEqual(fixture.sent(), [ours], 'the message arrived exactly once, under our mark')

/** The promises of every `Platform` that supports every kind of message. */
export const platformLaws: ReadonlyArray<Law<PlatformFixture>> = platformLawsFor({})
