import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMemoryPortfolioBudget } from '../../adapters/memory/limits.js'
import { type MessageId, messageIdOf } from '../../core/messages/message.js'
import type { QueuedMessage, QueuedRef } from '../../core/messages/queue.js'
import { NO_SLOTS_TAKEN, type SenderSlots, takeSenderSlot } from '../../core/senders/sender-budget.js'
import type { Ports } from '../../core/ports.js'
import type { SimulatedStorage } from './gateway.js'
import type { Defect } from './simulate.js'

/** The ports of a gateway, which has a queue and limits here. */
type WithQueue = Ports & Pick<SimulatedStorage, 'messageQueue' | 'queueHolds' | 'pairLimits' | 'portfolioBudget' | 'senderBudget'>

const spoiling = (change: (ports: WithQueue) => Partial<WithQueue>) => (ports: Ports): Ports =>
  ({ ...ports, ...change(ports as WithQueue) })

/** The queue with other results of its reads. */
const reading = (change: (found: ReadonlyArray<QueuedMessage>) => ReadonlyArray<QueuedMessage>) =>
  spoiling(({ messageQueue }) => ({
    messageQueue: { ...messageQueue, due: async (query) => E.map(change)(await messageQueue.due(query)) },
  }))

const HOUR_MS = 3_600_000

/** The planted defects of the queue and of the limits. */
export const QUEUE_DEFECTS: ReadonlyArray<Defect> = [
  {
    name: 'a queued message is claimed after it was sent, and not before',
    spoil: spoiling(({ messageQueue, platform, windowClock }) => {
      const claims = new Map<MessageId, QueuedRef>()
      return {
        messageQueue: {
          ...messageQueue,
          claim: (of) => {
            claims.set(of.message, of)
            return Promise.resolve(E.right(true))
          },
        },
        platform: {
          send: async (outbound) => {
            const answer = await platform.send(outbound)
            const claim = claims.get(outbound.id)
            if (claim !== undefined) await messageQueue.claim(claim, windowClock.now())
            return answer
          },
        },
      }
    }),
  },
  {
    name: 'a gateway that slept after a claim still sends the message',
    spoil: spoiling(({ messageQueue, platform, windowClock }) => {
      /** The time of the last claim, which every reading of the clock gives until the message leaves. */
      let claimedAt: number | undefined
      return {
        messageQueue: {
          ...messageQueue,
          claim: async (of, at) => {
            const claimed = await messageQueue.claim(of, at)
            if (E.isRight(claimed) && claimed.right) claimedAt = at
            return claimed
          },
        },
        platform: {
          send: ({ mayBegin: _, ...outbound }) => {
            claimedAt = undefined
            return platform.send(outbound)
          },
        },
        windowClock: { ...windowClock, now: () => claimedAt ?? windowClock.now() },
      }
    }),
  },
  {
    name: 'the price of a queued message is set aside twice',
    spoil: spoiling(({ messageQueue, wallet }) => ({
      messageQueue: {
        ...messageQueue,
        due: async (query) => {
          const found = await messageQueue.due(query)
          for (const { record: { workspace, id, price: amount } } of E.isRight(found) ? found.right : []) {
            await wallet.hold({ workspace, message: messageIdOf(id.slice(4).split('').toReversed().join('')), amount, at: query.at })
          }
          return found
        },
      },
    })),
  },
  {
    name: 'the price of a canceled message stays set aside',
    spoil: spoiling(({ messageLog, wallet }) => ({
      wallet: {
        ...wallet,
        release: async (of) => {
          const found = await messageLog.find(of.workspace, { id: of.message })
          const isCanceled = E.isRight(found) && O.isSome(found.right) && found.right.value.state === 'canceled'
          return isCanceled ? E.right('released') : wallet.release(of)
        },
      },
    })),
  },
  {
    name: 'a queued message is sent although its end has passed',
    spoil: reading((found) => found.map((one) => ({ ...one, place: { ...one.place, endsAt: Infinity } }))),
  },
  {
    name: 'a message that is canceled while it is due is sent anyway',
    spoil: spoiling(({ messageQueue }) => ({
      messageQueue: { ...messageQueue, claim: async (of, at) => E.map(() => true)(await messageQueue.claim(of, at)) },
    })),
  },
  {
    name: 'the limit of a pair does not count for queued messages',
    spoil: spoiling(() => ({ pairLimits: { take: () => Promise.resolve(E.right(undefined)) } })),
  },
  {
    name: 'each gateway counts the slots of a sender by itself',
    spoil: spoiling(({ windowClock, senderBudget }) => {
      const own = new Map<string, SenderSlots>()
      return {
        senderBudget: {
          ...senderBudget,
          take: (taking) => {
            const now = windowClock.now() * 1_000
            const taken = takeSenderSlot(taking, own.get(taking.sender) ?? NO_SLOTS_TAKEN, now)
            if (E.isRight(taken)) own.set(taking.sender, taken.right.after)
            return Promise.resolve(E.map(({ slot }: { readonly slot: number }) => ({ slot, now }))(taken))
          },
          slowDown: () => Promise.resolve(E.right(undefined)),
          countInbound: () => Promise.resolve(E.right(undefined)),
        },
      }
    }),
  },
  {
    name: 'queued messages count no customer of their business account',
    spoil: spoiling(({ portfolioBudget }) => ({
      portfolioBudget: { ...portfolioBudget, take: () => Promise.resolve(E.right(undefined)) },
    })),
  },
  {
    name: 'a message of unknown outcome gives its customer back',
    spoil: spoiling(({ messageLog, portfolioBudget }) => ({
      messageLog: {
        ...messageLog,
        apply: async (workspace, message, change, outboxEntries) => {
          if (change.state === 'unconfirmed') await portfolioBudget.giveBack({ workspace, message })
          return messageLog.apply(workspace, message, change, outboxEntries)
        },
      },
    })),
  },
  {
    name: 'each gateway counts the customers of a business account by itself',
    spoil: spoiling(({ messageMoney }) => ({
      portfolioBudget: makeMemoryPortfolioBudget(new Map()), messageMoney: { ...messageMoney, reservingOver: () => undefined },
    })),
  },
  {
    name: 'the content of a queued message is left when it is claimed',
    spoilStorage: (storage) => {
      const { messageQueue } = storage
      const left = new Map<MessageId, QueuedMessage>()
      return {
        ...storage,
        messageQueue: {
          ...messageQueue,
          due: async (query) => E.map((found: ReadonlyArray<QueuedMessage>) => {
            for (const one of found) left.set(one.record.id, one)
            const others = [...left.values()].filter(({ record: { workspace, sender, id } }) =>
              workspace === query.workspace && (sender ?? '') === query.sender && !found.some(({ record }) => record.id === id))
            return [...found, ...others]
          })(await messageQueue.due(query)),
        },
      }
    },
  },
  {
    name: 'a queued message is sent although the hours of its customer are over',
    spoil: reading((found) => found.map(({ place: { hours: _, ...place }, ...rest }) => ({ ...rest, place }))),
  },
  {
    name: 'what a sender has queued is lost when its number moves',
    spoilStorage: (storage) => {
      const moved = new Set<string>()
      const { messageQueue, senders } = storage
      return {
        ...storage,
        senders: {
          ...senders,
          replace: async (of, by, ...more) => {
            const replaced = await senders.replace(of, by, ...more)
            if (E.isRight(replaced)) moved.add(by.phoneNumberId)
            return replaced
          },
        },
        messageQueue: {
          ...messageQueue, due: (query) => (moved.has(query.sender) ? Promise.resolve(E.right([])) : messageQueue.due(query)),
        },
      }
    },
  },
  { name: 'the queued messages of a customer are sent in another order', spoil: reading((found) => found.toReversed()) },
  {
    name: 'a queued message is sent an hour early',
    spoil: spoiling(({ messageQueue }) => ({
      messageQueue: {
        ...messageQueue,
        sendersDue: (query) => messageQueue.sendersDue({ ...query, at: query.at + HOUR_MS }),
        due: (query) => messageQueue.due({ ...query, at: query.at + HOUR_MS }),
      },
    })),
  },
  {
    name: 'a queue that has slept is not held',
    spoil: spoiling(({ queueHolds }) => ({
      queueHolds: { ...queueHolds, heartbeat: ({ heldAfterMs: _, ...beat }) => queueHolds.heartbeat({ ...beat, heldAfterMs: undefined }) },
    })),
  },
  {
    name: 'only the gateway that finds that the queue has slept holds it',
    spoil: spoiling(({ queueHolds }) => ({
      queueHolds: {
        ...queueHolds,
        heartbeat: async (beat, make) => {
          const answer = await queueHolds.heartbeat(beat, make)
          return E.isRight(answer) && !answer.right.isNew ? E.right({ isNew: false, holds: [] }) : answer
        },
      },
    })),
  },
  {
    name: 'some of the messages that are due are never read',
    spoil: reading((found) => found.filter(({ record: { id } }) => !/[0-7]$/.test(id))),
  },
]
