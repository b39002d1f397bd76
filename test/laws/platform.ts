import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from '../../core/json.js'
import type { Message, MessageId, Outbound, Platform, PlatformError, PlatformId, Sender } from '../../core/ports/platform.js'
import type { PhoneNumber } from '../../core/message.js'
import type { Law } from './law.js'

/**
 * A platform, and the power to say how the messaging network behind it behaves.
 *
 * Each power holds until another is used. Those that make the network refuse resolve to the error object it will give.
 */
export type PlatformWorld = {
  readonly platform: Platform
  /** A sender the network knows. */
  readonly sender: Sender
  /** Messages are accepted, under the id this resolves to. */
  readonly willAccept: () => Promise<PlatformId>
  /** Messages are refused for what they say. */
  readonly willReject: () => Promise<JsonObject>
  /** Messages are refused because there are too many. */
  readonly willThrottle: () => Promise<JsonObject>
  /** The sender's credentials are refused. */
  readonly willRefuseCredentials: () => Promise<JsonObject>
  /** Nobody can reach the network. */
  readonly goDown: () => Promise<void>
  /** Messages arrive and are never answered. */
  readonly willHang: () => Promise<void>
  /** Messages are accepted, and the connection is lost before the answer. */
  readonly willResetAfterAccepting: () => Promise<void>
  /** The marks of all messages that arrived at the network, whatever it answered, in the order they came. */
  readonly sent: () => ReadonlyArray<string>
}

/** What every `Platform` promises. */
export const platformLaws: ReadonlyArray<Law<PlatformWorld>> = [
  {
    name: 'an accepted text is answered with the id the platform gave it',
    check: async (world) => {
      const id = await world.willAccept()
      assert.deepEqual(await send(world, text), E.right(id), 'the answer is the accepted id')
    },
  },
  {
    name: 'an accepted template is answered with the id the platform gave it',
    check: async (world) => {
      const id = await world.willAccept()
      assert.deepEqual(await send(world, template), E.right(id), 'the answer is the accepted id')
    },
  },
  {
    name: 'an accepted message is handed over once, marked with our id',
    check: async (world) => {
      await world.willAccept()
      await send(world, text)
      assertSentOnce(world)
    },
  },
  {
    name: 'nothing is sent before the task is run, and running it again sends again',
    check: async (world) => {
      await world.willAccept()
      const task = world.platform.send(outbound(world, text))
      assert.deepEqual(world.sent(), [], 'a task that was not run sends nothing')
      await task()
      await task()
      assert.deepEqual(world.sent(), [ours, ours], 'each run is one send')
    },
  },
  {
    name: 'messages sent at the same time are each handed over once',
    check: async (world) => {
      const id = await world.willAccept()
      const ids = Array.from({ length: 20 }, (_, n) => messageId(n))
      const answers = await Promise.all(ids.map((each) => world.platform.send({ ...outbound(world, text), id: each })()))
      assert.deepEqual(answers, ids.map(() => E.right(id)), 'every one is accepted')
      assert.deepEqual([...world.sent()].sort(), ids, 'every mark arrived exactly once')
    },
  },
  {
    name: 'a refused message is rejected with the platform\'s error object, whole, and is not sent again',
    check: async (world) => {
      const error = await world.willReject()
      assert.deepEqual(leftOf(await send(world, template)), { _tag: 'PlatformRejected', error }, 'the rejection carries the error object')
      assertSentOnce(world)
    },
  },
  {
    name: 'a throttled message is answered so, with the platform\'s error object, whole, and is not sent again',
    check: async (world) => {
      const error = await world.willThrottle()
      const left = leftOf(await send(world, text))
      assert.equal(left._tag, 'PlatformThrottled', 'the answer says that it is throttled')
      assert.deepEqual('error' in left && left.error, error, 'the answer carries the error object')
      assertSentOnce(world)
    },
  },
  {
    name: 'refused credentials are answered so, with the platform\'s error object, whole, and the message is not sent again',
    check: async (world) => {
      const error = await world.willRefuseCredentials()
      assert.deepEqual(leftOf(await send(world, text)), { _tag: 'CredentialsRefused', error }, 'the refusal carries the error object')
      assertSentOnce(world)
    },
  },
  {
    name: 'a platform that is down is unreachable, and nothing was sent',
    check: async (world) => {
      await world.goDown()
      assert.equal(leftOf(await send(world, text))._tag, 'PlatformUnreachable', 'what was never reached is unreachable')
      assert.deepEqual(world.sent(), [], 'nothing arrived')
    },
  },
  {
    name: 'an answer comes within a deadline though the platform never gives one: the outcome is unknown, and nothing is sent again',
    check: async (world) => {
      await world.willHang()
      assert.equal(leftOf(await send(world, text))._tag, 'OutcomeUnknown', 'what arrived and was not answered is unknown')
      assertSentOnce(world)
    },
  },
  {
    name: 'a connection lost after the message arrived leaves the outcome unknown, and nothing is sent again',
    check: async (world) => {
      await world.willResetAfterAccepting()
      assert.equal(leftOf(await send(world, text))._tag, 'OutcomeUnknown', 'what may have been accepted is unknown')
      assertSentOnce(world)
    },
  },
  {
    name: 'one that was refused or lost is no reason to refuse the next',
    check: async (world) => {
      await world.willReject()
      await send(world, text)
      await world.willResetAfterAccepting()
      await send(world, text)
      const id = await world.willAccept()
      assert.deepEqual(await send(world, text), E.right(id), 'the next message is accepted')
    },
  },
  {
    name: 'no answer carries the access token',
    check: async (world) => {
      const { willReject, willRefuseCredentials, willHang, willResetAfterAccepting, goDown } = world
      for (const power of [willReject, willRefuseCredentials, willHang, willResetAfterAccepting, goDown]) {
        await power()
        assertHidden(world.sender.accessToken, leftOf(await send(world, text)))
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

const outbound = ({ sender }: PlatformWorld, message: Message): Outbound => ({ id: ours, sender, message })

const send = (world: PlatformWorld, message: Message): Promise<E.Either<PlatformError, PlatformId>> =>
  world.platform.send(outbound(world, message))()

const leftOf = (answer: E.Either<PlatformError, PlatformId>): PlatformError => {
  assert.ok(E.isLeft(answer), 'a message that was not accepted is answered with a left')
  return answer.left
}

const assertSentOnce = (world: PlatformWorld): void =>
  assert.deepEqual(world.sent(), [ours], 'the message arrived exactly once, under our mark')

/** Looks through everything that hangs on a value, errors and their hidden properties included, as a logger might. */
const assertHidden = (secret: string, value: unknown, seen: Set<unknown> = new Set()): void => {
  if (typeof value === 'string') assert.ok(!value.includes(secret), 'an answer quotes the access token')
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const key of Reflect.ownKeys(value)) assertHidden(secret, Reflect.get(value, key), seen)
}
