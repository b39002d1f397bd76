import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Price } from '../../core/kernel/money.js'
import { type Message, openRecord, type PlatformId } from '../../core/messages/message.js'
import { done, holds, same } from './expect.js'
import { newMessageId, newPhoneNumber, newPlatformId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, newKey, NOON, openMessageWorkspace, TRACE } from './message-fixture.js'

/** The promises of a `MessageLog` about opening a message and finding it again. */
export const openLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'an opened message is found as pending, with what its draft said',
    check: async (fixture) => {
      const { opened, found } = await openMessageWorkspace(fixture)
      const text = await opened()
      same('a text as it was opened', await found(text.id), openRecord(text))
      const message: Message = {
        _tag: 'Template', to: newPhoneNumber(), name: 'order_update "é" 日本', language: 'pt_BR',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }],
      }
      const template = await opened({ message })
      same('a template as it was opened', await found(template.id), openRecord(template))
      const content: Message = {
        _tag: 'Content', to: newPhoneNumber(), type: 'interactive', content: { type: 'carousel', action: { cards: [{}, {}] } },
        context: { message_id: newPlatformId() },
        metadata: {
          order: 'A-17 "é" 日本 \u0000 \ud800', ...Object.fromEntries(times(15, (n) => [String(n).padEnd(40, 'k'), '🙂'.repeat(250)])),
        },
      }
      const interactive = await opened({ message: content })
      same('content as it was opened', await found(interactive.id), openRecord(interactive))
      const claimed = await opened({ claim: { key: newKey(), request: 'r' } })
      same('a message with a key as it was opened', await found(claimed.id), openRecord(claimed))
    },
  },
  {
    name: 'the trace context of a message is kept with it, whatever is opened and changed beside it',
    check: async (fixture) => {
      const { workspace, opened, apply, found } = await openMessageWorkspace(fixture)
      const [traced, other] = await Promise.all([opened({ trace: TRACE }), opened()])
      same('a message with a trace', await found(traced.id), openRecord(traced))
      same('a message without one', await found(other.id), openRecord(other))
      await apply(traced.id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
      same('the trace of a message that was accepted', (await found(traced.id))?.trace, TRACE)
      const { items } = await done('the messages are listed', fixture.messageLog.list(workspace, { limit: 5 }))
      same(
        'the traces of the messages in a list', items.map((message) => [message.id, message.trace]).sort(),
        [[traced.id, TRACE], [other.id, undefined]].sort(),
      )
    },
  },
  {
    name: 'the API key of a message is kept with it, whatever is opened and changed beside it',
    check: async (fixture) => {
      const { workspace, opened, apply, found } = await openMessageWorkspace(fixture)
      const [keyed, other] = await Promise.all([opened({ keyId: 'key_of_the_shop' }), opened()])
      same('a message that was sent with a key', await found(keyed.id), openRecord(keyed))
      same('a message that was sent with none', await found(other.id), openRecord(other))
      await apply(keyed.id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
      same('the key of a message that was accepted', (await found(keyed.id))?.keyId, 'key_of_the_shop')
      const { items } = await done('the messages are listed', fixture.messageLog.list(workspace, { limit: 5 }))
      same(
        'the keys of the messages in a list', items.map((message) => [message.id, message.keyId]).sort(),
        [[keyed.id, 'key_of_the_shop'], [other.id, undefined]].sort(),
      )
    },
  },
  {
    name: 'a price is kept to the micro, with the category it was priced by',
    check: async (fixture) => {
      const { draft, opened, found } = await openMessageWorkspace(fixture)
      const { currency } = draft().price
      const prices: ReadonlyArray<Price> = [
        { micros: 0n, currency, category: 'service' },
        { micros: 1n, currency, category: 'marketing' },
        { micros: 62_500n, currency, category: 'utility' },
        { micros: 2n ** 53n + 1n, currency, category: 'authentication' },
        { micros: 2n, currency, category: 'authentication_international' },
      ]
      for (const price of prices) {
        const { id } = await opened({ price })
        same('the price of a message', (await found(id))?.price, price)
      }
    },
  },
  {
    name: 'an id that was opened before is a PortFailure, and the first message stays as it was',
    check: async (fixture) => {
      const { draft, opened, found } = await openMessageWorkspace(fixture)
      const first = await opened()
      const again = await fixture.messageLog.open({ ...draft(), id: first.id })
      holds('a second open of one id is a PortFailure', E.isLeft(again), again)
      same('the message that was opened first', await found(first.id), openRecord(first))
    },
  },
  {
    name: 'concurrent opens of many messages open each',
    check: async (fixture) => {
      const { opened, found } = await openMessageWorkspace(fixture)
      const drafts = await Promise.all(times(20, () => opened()))
      const seen = await Promise.all(drafts.map(({ id }) => found(id)))
      same('every message opened at once is found', seen, drafts.map(openRecord))
    },
  },
  {
    name: 'a message is found by the platform\'s id',
    check: async (fixture) => {
      const { workspace, opened, apply, found } = await openMessageWorkspace(fixture)
      const [one, other] = [await opened(), await opened()]
      const platformId = newPlatformId()
      const cased = platformId.replace('wamid.HBgL', 'wamid.hbGl') as PlatformId
      await apply(one.id, { state: 'accepted', at: NOON + 1, platformId })
      await apply(other.id, { state: 'accepted', at: NOON + 1, platformId: cased })
      const byPlatform = (id: PlatformId) => done('find', fixture.messageLog.find(workspace, { platformId: id }))
      same('the message of a platform id', await byPlatform(platformId), O.fromNullable(await found(one.id)))
      same('platform ids that differ in letter case only are two', await byPlatform(cased), O.fromNullable(await found(other.id)))
    },
  },
  {
    name: 'a message that does not exist is not found',
    check: async (fixture) => {
      const { workspace, found } = await openMessageWorkspace(fixture)
      same('an unknown id', await found(newMessageId(NOON)), undefined)
      const ids = [newPlatformId(), '', '__proto__', '\u0000', 'wamid.🙂', '%', 'x'.repeat(10_240)] as PlatformId[]
      for (const platformId of ids) {
        same('an unknown platform id', await done('find', fixture.messageLog.find(workspace, { platformId })), O.none)
      }
    },
  },
  {
    name: 'a message is never found from another workspace',
    check: async (fixture) => {
      const { opened, apply } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      const platformId = newPlatformId()
      await apply(id, { state: 'accepted', at: NOON + 1, platformId })
      for (const elsewhere of [(await openMessageWorkspace(fixture)).workspace, newWorkspaceId()]) {
        same('from another workspace by our id', await done('find', fixture.messageLog.find(elsewhere, { id })), O.none)
        same('from another workspace by the platform\'s id', await done('find', fixture.messageLog.find(elsewhere, { platformId })), O.none)
      }
    },
  },
]
