import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { eventsIn } from '../../core/kernel/outbox.js'
import type { DeliveryDeadlines } from '../../core/messages/deadlines.js'
import type { MessageRecord } from '../../core/messages/message.js'
import { deliveryDeadlinesLaws } from '../laws/delivery-deadlines.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (deadlines: DeliveryDeadlines) => Partial<DeliveryDeadlines>) => brokenMemory('deliveryDeadlines', defect)

const ONCE = 'a message that is not delivered at its deadline is overdue once, and its entries are stored'
const STATES = 'a message is overdue in each state of isOverdue, and in no other'
const LEFT_ALONE = 'a deadline is left alone until its time, and a message without one is never overdue'
const EARLIEST = 'at most the given number of deadlines is removed, earliest first, and the earliest that is left is named'
const CONCURRENT = 'of concurrent calls one removes a deadline'
const RESERVED = 'a message that is opened together with its hold has its deadline, and one whose key guards another message has none'
const UNCHANGED = 'an overdue message stays as it is'
const DELIVERED = 'a message that is delivered while deadlines are settled has no entries after its delivery'

/** The messages that a step finds to be overdue, for a defect that stores their entries itself. */
const collecting = async (deadlines: DeliveryDeadlines, until: number, limit: number) => {
  const found: Array<MessageRecord> = []
  const settled = await deadlines.settle(until, limit, (message) => {
    found.push(message)
    return []
  })
  return { settled, found }
}

describeMutations('the deadlines of deliveries', deliveryDeadlinesLaws, [
  {
    defect: 'stores no entries', open: broken(({ settle }) => ({ settle: (until, limit) => settle(until, limit, () => []) })),
    breaks: [ONCE, STATES, EARLIEST, CONCURRENT, RESERVED],
  },
  {
    defect: 'stores the entries of a message twice',
    open: broken(({ settle }) => ({
      settle: (until, limit, outboxEntries) =>
        settle(until, limit, (message) => [...outboxEntries(message), ...outboxEntries(message)]),
    })),
    breaks: [ONCE, CONCURRENT],
  },
  {
    defect: 'makes no entries of failed messages',
    open: broken(({ settle }) => ({
      settle: (until, limit, outboxEntries) =>
        settle(until, limit, (message) => (message.state === 'failed' ? [] : outboxEntries(message))),
    })),
    breaks: [STATES],
  },
  {
    defect: 'removes deadlines early', open: broken(({ settle }) => ({ settle: (until, ...more) => settle(until + 1, ...more) })),
    breaks: [LEFT_ALONE],
  },
  {
    defect: 'gives a message without a deadline one',
    open: brokenMemory('messageLog', ({ open }) => ({ open: (draft) => open({ confirmBy: draft.at, ...draft }) })),
    breaks: [LEFT_ALONE],
  },
  {
    defect: 'removes more deadlines than it should',
    open: broken(({ settle }) => ({ settle: (until, _limit, outboxEntries) => settle(until, 10_000, outboxEntries) })),
    breaks: [EARLIEST],
  },
  {
    defect: 'names no deadline that is left',
    open: broken(({ settle }) => ({
      settle: (...args) => withResult(settle(...args), ({ removed, overdue }) => ({ removed, overdue })),
    })),
    breaks: [LEFT_ALONE, EARLIEST],
  },
  {
    defect: 'reads due deadlines before it removes them',
    open: brokenMemory('deliveryDeadlines', (deadlines, { eventOutbox, messageLog }) => {
      let shared: ReturnType<typeof collecting> | undefined
      return {
        settle: async (until, limit, outboxEntries) => {
          // Concurrent calls see the same deadlines.
          shared ??= collecting(deadlines, until, limit)
          const { settled, found } = await shared
          shared = undefined
          for (const { workspace, id } of found) {
            const message = await messageLog.find(workspace, { id })
            if (E.isRight(message) && O.isSome(message.right)) {
              await eventOutbox.append(workspace, eventsIn(outboxEntries(message.right.value)))
            }
          }
          return settled
        },
      }
    }),
    breaks: [CONCURRENT],
  },
  {
    defect: 'stores the entries after the step',
    open: brokenMemory('deliveryDeadlines', (deadlines, { eventOutbox }) => ({
      settle: async (until, limit, outboxEntries) => {
        const { settled, found } = await collecting(deadlines, until, limit)
        await new Promise(setImmediate)
        for (const message of found) await eventOutbox.append(message.workspace, eventsIn(outboxEntries(message)))
        return settled
      },
    })),
    breaks: [DELIVERED],
  },
  {
    defect: 'loses the deadline of a message that is opened together with its hold',
    open: brokenMemory('messageMoney', ({ reservingOver }) => ({
      reservingOver: (ports) => {
        const reserving = reservingOver?.(ports)
        return reserving && (({ confirmBy: _lost, ...draft }, ...more) => reserving(draft, ...more))
      },
    })),
    breaks: [RESERVED],
  },
  {
    defect: 'changes an overdue message',
    open: brokenMemory('deliveryDeadlines', (deadlines, { messageLog }) => ({
      settle: async (until, limit, outboxEntries) => {
        const found: Array<MessageRecord> = []
        const settled = await deadlines.settle(until, limit, (message) => {
          found.push(message)
          return outboxEntries(message)
        })
        for (const { workspace, id } of found) await messageLog.apply(workspace, id, { state: 'failed', at: until })
        return settled
      },
    })),
    breaks: [UNCHANGED],
  },
])
