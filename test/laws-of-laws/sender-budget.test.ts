import * as E from 'fp-ts/lib/Either.js'
import type { Reserving } from '../../core/money/ledger.js'
import {
  countInbound, NO_SLOTS_TAKEN, rateOf, type SenderBudget, type SenderSlots, slowedDown, type SlotTaking, takeSenderSlot,
} from '../../core/senders/sender-budget.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { openMemoryFixture, openMemoryReserving } from '../adapters/memory/memory-fixture.js'
import { type LimitsReservingFixture, limitsReservingLaws, type SenderBudgetFixture, senderBudgetLaws } from '../laws/sender-budget.js'
import { describeMutations } from './mutation.js'

const RATE = 'slots of a sender follow each other at its rate, and the first begins when it is taken'
const REFUSED = 'a slot that begins later than a message may wait is refused, and nothing is taken'
const OWN = 'each sender and each workspace has slots of its own'
const CONCURRENT = 'slots of concurrent messages are disjoint, and exactly as many are taken as begin in time'
const LAST = 'of two messages at the same time one takes the last slot'
const THROTTLED = 'a sender that the platform throttles is slower from then on, once for refusals that arrive together'
const INBOUND = 'a message of a customer takes a slot of its sender, and of no other sender or workspace'
const EACH_INBOUND = 'messages of customers are counted one by one, however many arrive together'
const MOST_INBOUND =
  'messages of customers take no slot that begins later than a second after the last one that a message may wait for, and give none back'
const BEHIND = 'messages of customers are counted behind messages that have taken every slot for which they may wait'
const PRESENT = 'the present rate of a sender is its whole one, and about half of it once the platform has throttled it'
const MAINTENANCE = 'a sender whose number is moved to a faster level has no slot for a minute'

const broken = (defect: (port: SenderBudget) => Partial<SenderBudget>) => async (): Promise<SenderBudgetFixture> => {
  const { senderBudget } = await openMemoryFixture()
  return { senderBudget: { ...senderBudget, ...defect(senderBudget) } }
}

const pause = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })

/** Reads, waits as for a database when it `isHasty` with a taking, and writes what it read, changed. */
const openHasty = (isHasty: (taking: SlotTaking, slots: SenderSlots) => boolean) => async (): Promise<SenderBudgetFixture> => {
  const all = new Map<string, SenderSlots>()
  const keyOf = ({ workspace, sender }: Pick<SlotTaking, 'workspace' | 'sender'>): string => `${workspace} ${sender}`
  const slotsOf = (of: Pick<SlotTaking, 'workspace' | 'sender'>): SenderSlots => all.get(keyOf(of)) ?? NO_SLOTS_TAKEN
  return {
    senderBudget: {
      take: async (taking) => {
        const read = slotsOf(taking)
        const waits = isHasty(taking, read)
        if (waits) await pause()
        const now = Date.now() * 1_000
        const taken = takeSenderSlot(taking, waits ? read : slotsOf(taking), now)
        if (E.isLeft(taken)) return taken
        all.set(keyOf(taking), taken.right.after)
        return E.right({ slot: taken.right.slot, now })
      },
      slowDown: async (of, why) => {
        all.set(keyOf(of), slowedDown(slotsOf(of), why, of.perSecond, Date.now() * 1_000))
        return E.right(undefined)
      },
      countInbound: async (of) => {
        all.set(keyOf(of), countInbound(slotsOf(of), of, Date.now() * 1_000))
        return E.right(undefined)
      },
      presentRates: async (senders) => E.right(senders.map((of) => rateOf(slotsOf(of), of.perSecond, Date.now() * 1_000))),
    },
  }
}

describeMutations('the budgets of senders', senderBudgetLaws, [
  { defect: 'reads, waits and writes', open: openHasty(() => true), breaks: [CONCURRENT, LAST] },
  {
    defect: 'gives the last slot to two who meet', open: openHasty(({ maxWaitMs }) => maxWaitMs === 0), breaks: [LAST],
  },
  {
    defect: 'sends twice as fast', open: broken(({ take }) => ({ take: (taking) => take({ ...taking, perSecond: 2 * taking.perSecond }) })),
    breaks: [RATE, CONCURRENT, REFUSED],
  },
  {
    defect: 'takes a slot with each refusal',
    open: broken(({ take }) => ({
      take: async (taking) => {
        const taken = await take(taking)
        if (E.isLeft(taken)) await take({ ...taking, maxWaitMs: 1_000 * taking.maxWaitMs + 100_000_000 })
        return taken
      },
    })),
    breaks: [REFUSED],
  },
  {
    defect: 'counts all senders of a workspace together',
    open: broken(({ take }) => ({ take: (taking) => take({ ...taking, sender: senderIdOf('1') }) })), breaks: [OWN],
  },
  {
    defect: 'counts a sender of two workspaces together',
    open: broken(({ take }) => ({ take: (taking) => take({ ...taking, workspace: 'ws_1' as SlotTaking['workspace'] }) })), breaks: [OWN],
  },
  {
    defect: 'goes on at its rate after the platform has throttled it', open: broken(() => ({ slowDown: async () => E.right(undefined) })),
    breaks: [THROTTLED, MAINTENANCE, PRESENT],
  },
  {
    defect: 'halves its rate for each message that is refused',
    open: broken(({ take }) => {
      let refusals = 0
      return {
        slowDown: async () => {
          refusals += 1
          return E.right(undefined)
        },
        take: (taking) => take({ ...taking, perSecond: taking.perSecond / 2 ** refusals }),
      }
    }),
    breaks: [THROTTLED],
  },
  {
    defect: 'takes the whole rate of each sender for its present one',
    open: broken(() => ({ presentRates: async (senders) => E.right(senders.map(({ perSecond }) => perSecond)) })), breaks: [PRESENT],
  },
  {
    defect: 'halves the present rate of every sender of the workspaces',
    open: broken(() => ({ presentRates: async (senders) => E.right(senders.map(({ perSecond }) => perSecond / 2)) })), breaks: [PRESENT],
  },
  {
    defect: 'reads the present rates in another order',
    open: broken(({ presentRates }) => ({ presentRates: (senders) => presentRates(senders.toReversed()) })), breaks: [PRESENT],
  },
  {
    defect: 'does not count the messages of customers', open: broken(() => ({ countInbound: async () => E.right(undefined) })),
    breaks: [INBOUND, EACH_INBOUND, BEHIND],
  },
  {
    defect: 'counts the messages of customers for another sender',
    open: broken(({ countInbound: count }) => ({ countInbound: (of) => count({ ...of, sender: senderIdOf('1') }) })),
    breaks: [INBOUND, EACH_INBOUND, BEHIND],
  },
  {
    defect: 'counts the messages of customers for all senders of the workspace',
    open: broken(({ countInbound: count, take }) => ({
      countInbound: async (of) => {
        await count({ ...of, sender: senderIdOf('1') })
        return count(of)
      },
      take: async (taking) => {
        const all = await take({ ...taking, sender: senderIdOf('1') })
        return E.isLeft(all) ? all : take(taking)
      },
    })),
    breaks: [INBOUND],
  },
  {
    defect: 'counts messages of customers that arrive together once',
    open: broken(({ countInbound: count }) => {
      let counted: Promise<unknown> | undefined
      return {
        countInbound: async (of) => {
          counted ??= pause().then(() => { counted = undefined }).then(() => count(of))
          await counted
          return E.right(undefined)
        },
      }
    }),
    breaks: [EACH_INBOUND, BEHIND],
  },
  {
    defect: 'counts no messages of customers while messages wait for their slots',
    open: broken(({ countInbound: count }) => ({ countInbound: (of) => count({ ...of, maxWaitMs: 0 }) })), breaks: [BEHIND],
  },
  {
    defect: 'lets the messages of customers take slots without end',
    open: broken(({ take }) => ({
      countInbound: async (of) => {
        await take({ ...of, maxWaitMs: Number.MAX_SAFE_INTEGER / 1_000 })
        return E.right(undefined)
      },
    })),
    breaks: [MOST_INBOUND],
  },
])

const TAKEN = 'a message takes the slot of its sender, which is the one that the port counts'
const ABOVE = 'a message above the limit of its sender is not opened, and takes no slot of its pair'
const PAIR = 'a message above the limit of its pair takes no slot of its sender'
const EXACT = 'of concurrent messages of a sender exactly as many are opened as have a slot in time'

type Memory = Awaited<ReturnType<typeof openMemoryReserving>>

const reservingBy = (defect: (reserving: Reserving, memory: Memory) => Reserving) => async (): Promise<LimitsReservingFixture> => {
  const fixture = await openMemoryReserving()
  return { ...fixture, reserving: defect(fixture.reserving, fixture) }
}

describeMutations('the step that takes the slots of a message', limitsReservingLaws, [
  {
    defect: 'takes no slot of the sender',
    open: reservingBy((reserving) => (draft, spending, entries, free, { pair } = {}) =>
      reserving(draft, spending, entries, free, { ...(pair && { pair }) })),
    breaks: [TAKEN, ABOVE, EXACT],
  },
  {
    defect: 'takes the slot of the pair before it looks at the sender',
    open: reservingBy((reserving, { pairLimits }) => async (draft, spending, entries, free, { pair, slot } = {}) => {
      const taken = pair === undefined ? E.right(undefined) : await pairLimits.take(pair)
      return E.isLeft(taken) ? taken : reserving(draft, spending, entries, free, { ...(slot && { slot }) })
    }),
    breaks: [ABOVE],
  },
  {
    defect: 'takes the slot of the sender before it looks at the pair',
    open: reservingBy((reserving, { senderBudget }) => async (draft, spending, entries, free, { pair, slot } = {}) => {
      const taken = slot === undefined ? undefined : await senderBudget.take(slot)
      if (taken !== undefined && E.isLeft(taken)) return taken
      const reserved = await reserving(draft, spending, entries, free, { ...(pair && { pair }) })
      return E.map((answer: typeof reserved extends E.Either<unknown, infer Answer> ? Answer : never) =>
        (answer._tag === 'Opened' && taken !== undefined ? { ...answer, slot: taken.right } : answer))(reserved)
    }),
    breaks: [PAIR],
  },
])
