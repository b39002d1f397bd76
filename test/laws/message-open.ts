import * as O from 'fp-ts/lib/Option.js'
import type { Message, PlatformId, Price } from '../../core/ports/message-log.js'
import { done, same } from './expect.js'
import { newMessageId, newPhoneNumber, newPlatformId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { newKey, NOON, openDesk, recordOf, type MessageLogWorld } from './message-world.js'

/** What a `MessageLog` promises of opening a message and finding it again. */
export const openLaws: ReadonlyArray<Law<MessageLogWorld>> = [
  {
    name: 'an opened message is found as pending, with what its draft said',
    check: async (world) => {
      const { opened, found } = await openDesk(world)
      const text = await opened()
      same('a text as it was opened', await found(text.id), recordOf(text))
      const message: Message = {
        _tag: 'Template', to: newPhoneNumber(), name: 'order_update "é" 日本', language: 'pt_BR',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }],
      }
      const template = await opened({ message })
      same('a template as it was opened', await found(template.id), recordOf(template))
      const claimed = await opened({ claim: { key: newKey(), request: 'r' } })
      same('a message with a key as it was opened', await found(claimed.id), recordOf(claimed))
    },
  },
  {
    name: 'a price is kept to the micro, with the category it was priced by',
    check: async (world) => {
      const { draft, opened, found } = await openDesk(world)
      const { currency } = draft().price
      const prices: ReadonlyArray<Price> = [
        { micros: 0n, currency, category: 'service' },
        { micros: 1n, currency, category: 'marketing' },
        { micros: 62_500n, currency, category: 'utility' },
        { micros: 2n ** 53n + 1n, currency, category: 'authentication' },
      ]
      for (const price of prices) {
        const { id } = await opened({ price })
        same('the price of a message', (await found(id))?.price, price)
      }
    },
  },
  {
    name: 'concurrent opens of many messages open each',
    check: async (world) => {
      const { opened, found } = await openDesk(world)
      const drafts = await Promise.all(times(20, () => opened()))
      const seen = await Promise.all(drafts.map(({ id }) => found(id)))
      same('every message opened at once is found', seen, drafts.map(recordOf))
    },
  },
  {
    name: 'nothing is written before the task of an open is run',
    check: async (world) => {
      const { draft, found } = await openDesk(world)
      const planned = draft()
      const task = world.messageLog.open(planned)
      same('a message that was not opened yet', await found(planned.id), undefined)
      await done('a message is opened', task)
      same('a message once it is opened', await found(planned.id), recordOf(planned))
    },
  },
  {
    name: 'a message is found by the platform\'s id',
    check: async (world) => {
      const { workspace, opened, settle, found } = await openDesk(world)
      const [one, other] = [await opened(), await opened()]
      const platformId = newPlatformId()
      const cased = platformId.replace('wamid.HBgL', 'wamid.hbGl') as PlatformId
      await settle(one.id, { state: 'accepted', at: NOON + 1, platformId })
      await settle(other.id, { state: 'accepted', at: NOON + 1, platformId: cased })
      const byPlatform = (id: PlatformId) => done('find', world.messageLog.find(workspace, { platformId: id }))
      same('the message of a platform id', await byPlatform(platformId), O.fromNullable(await found(one.id)))
      same('platform ids that differ in letter case only are two', await byPlatform(cased), O.fromNullable(await found(other.id)))
    },
  },
  {
    name: 'a message that does not exist is not found',
    check: async (world) => {
      const { workspace, found } = await openDesk(world)
      same('an id nobody opened', await found(newMessageId(NOON)), undefined)
      const ids = [newPlatformId(), '', '__proto__', '\u0000', 'wamid.🙂', '%', 'x'.repeat(10_240)] as PlatformId[]
      for (const platformId of ids) {
        same('a platform id nobody gave', await done('find', world.messageLog.find(workspace, { platformId })), O.none)
      }
    },
  },
  {
    name: 'a message is never found from another workspace',
    check: async (world) => {
      const { opened, settle } = await openDesk(world)
      const { id } = await opened()
      const platformId = newPlatformId()
      await settle(id, { state: 'accepted', at: NOON + 1, platformId })
      for (const elsewhere of [(await openDesk(world)).workspace, newWorkspaceId()]) {
        same('from another workspace by our id', await done('find', world.messageLog.find(elsewhere, { id })), O.none)
        same('from another workspace by the platform\'s id', await done('find', world.messageLog.find(elsewhere, { platformId })), O.none)
      }
    },
  },
]
