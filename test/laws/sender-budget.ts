import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { type SenderBudget, type SenderSlot, type SlotTaking, waitFor } from '../../core/senders/sender-budget.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, holds, refused, same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { openLedgerWorkspace } from './ledger-fixture.js'
import { openMessageWorkspace } from './message-fixture.js'
import type { PairReservingFixture } from './pair-limits.js'

/** The budgets of senders. */
export type SenderBudgetFixture = {
  readonly senderBudget: SenderBudget
  /** The same budgets as another node sees them, if there are several nodes. */
  readonly elsewhere?: SenderBudget
}

/** A slot is a thousand seconds long, so these laws do not depend on how long they take. */
const SLOW = 0.001
const SLOT_MS = 1_000_000
const SLOT_US = 1_000 * SLOT_MS

/** A slot of a new sender that a message may wait for; `more` replaces parts of it. */
const newTaking = (more: Partial<SlotTaking> = {}): SlotTaking =>
  ({ workspace: newWorkspaceId(), sender: senderIdOf(newDigits(15)), perSecond: SLOW, maxWaitMs: 0, ...more })

const take = ({ senderBudget }: Pick<SenderBudgetFixture, 'senderBudget'>, taking: SlotTaking): Promise<SenderSlot> =>
  done('a free slot is taken', senderBudget.take(taking))

const count = ({ senderBudget }: Pick<SenderBudgetFixture, 'senderBudget'>, taking: SlotTaking): Promise<void> =>
  done('a message of a customer is counted', senderBudget.countInbound(taking))

const isReached = async (
  { senderBudget }: Pick<SenderBudgetFixture, 'senderBudget'>, taking: SlotTaking, atMostMs: number,
): Promise<void> => {
  const { retryAfterMs } = await refused('a slot that begins too late', 'SenderLimitReached', senderBudget.take(taking))
  holds('a time in which it is allowed', retryAfterMs > 0 && retryAfterMs <= atMostMs, retryAfterMs)
}

const distancesOf = (slots: ReadonlyArray<SenderSlot>): ReadonlyArray<number> => {
  const sorted = slots.map(({ slot }) => slot).sort((a, b) => a - b)
  return sorted.slice(1).map((slot, index) => slot - (sorted[index] ?? 0))
}

/** The promises of every `SenderBudget`. */
export const senderBudgetLaws: ReadonlyArray<Law<SenderBudgetFixture>> = [
  {
    name: 'slots of a sender follow each other at its rate, and the first begins when it is taken',
    check: async (fixture) => {
      const taking = newTaking({ maxWaitMs: 10 * SLOT_MS })
      const slots: Array<SenderSlot> = []
      for (const _ of times(4, () => undefined)) slots.push(await take(fixture, taking))
      same('the wait for the first slot', slots[0] && waitFor(slots[0]), 0)
      same('the distances', distancesOf(slots), [SLOT_US, SLOT_US, SLOT_US])
    },
  },
  {
    name: 'a slot that begins later than a message may wait is refused, and nothing is taken',
    check: async (fixture) => {
      const taking = newTaking()
      const first = await take(fixture, taking)
      for (const _ of times(3, () => undefined)) await isReached(fixture, taking, SLOT_MS)
      same('the next one', (await take(fixture, { ...taking, maxWaitMs: SLOT_MS })).slot - first.slot, SLOT_US)
    },
  },
  {
    name: 'each sender and each workspace has slots of its own',
    check: async (fixture) => {
      const taking = newTaking()
      await take(fixture, taking)
      await take(fixture, { ...taking, sender: senderIdOf(newDigits(15)) })
      await take(fixture, { ...taking, workspace: newWorkspaceId() })
      await isReached(fixture, taking, SLOT_MS)
    },
  },
  {
    name: 'slots of concurrent messages are disjoint, and exactly as many are taken as begin in time',
    check: async (fixture) => {
      const { senderBudget, elsewhere = senderBudget } = fixture
      const taking = newTaking({ maxWaitMs: 10 * SLOT_MS })
      const answers = await Promise.all(times(24, (index) => (index % 2 === 0 ? senderBudget : elsewhere).take(taking)))
      const slots = answers.flatMap((answer) => (E.isRight(answer) ? [answer.right] : []))
      same('how many are taken', slots.length, 11)
      same('the distances', distancesOf(slots), times(10, () => SLOT_US))
    },
  },
  {
    name: 'of two messages at the same time one takes the last slot',
    check: async (fixture) => {
      const { senderBudget, elsewhere = senderBudget } = fixture
      for (const _ of times(8, () => undefined)) {
        const taking = newTaking()
        const answers = await Promise.all([senderBudget.take(taking), elsewhere.take(taking)])
        same('how many are taken', answers.filter(E.isRight).length, 1)
      }
    },
  },
  {
    name: 'a sender that the platform throttles is slower from then on, once for refusals that arrive together',
    check: async (fixture) => {
      const taking = newTaking({ maxWaitMs: 10 * SLOT_MS })
      // The following slots begin one after another, however long the calls take.
      await take(fixture, taking)
      const slowDown = () => fixture.senderBudget.slowDown({ ...taking, perSecond: 1_000 }, 'throttled')
      await Promise.all(times(3, () => done('it is slowed down', slowDown())))
      const slots: Array<SenderSlot> = []
      for (const _ of times(3, () => undefined)) slots.push(await take(fixture, { ...taking, perSecond: 1_000 }))
      holds('about half the rate', distancesOf(slots).every((distance) => distance > 1_500 && distance <= 2_000), distancesOf(slots))
    },
  },
  {
    name: 'a sender whose number is moved to a faster level has no slot for a minute',
    check: async (fixture) => {
      const taking = newTaking({ perSecond: 80 })
      await done('it is slowed down', fixture.senderBudget.slowDown(taking, 'maintenance'))
      await isReached(fixture, taking, 60_000)
      const { slot, now } = await take(fixture, { ...taking, maxWaitMs: 60_000 })
      holds('when the next slot begins', slot > now, slot - now)
    },
  },
  {
    name: 'a message of a customer takes a slot of its sender, and of no other sender or workspace',
    check: async (fixture) => {
      const taking = newTaking()
      await count(fixture, taking)
      await isReached(fixture, taking, SLOT_MS)
      await take(fixture, { ...taking, sender: senderIdOf(newDigits(15)) })
      await take(fixture, { ...taking, workspace: newWorkspaceId() })
    },
  },
  {
    name: 'messages of customers are counted one by one, however many arrive together',
    check: async (fixture) => {
      const { senderBudget, elsewhere = senderBudget } = fixture
      const taking = newTaking({ perSecond: 100, maxWaitMs: 1_000 })
      const { slot } = await take(fixture, taking)
      const nodes = [fixture, { senderBudget: elsewhere }] as const
      await Promise.all(times(60, (index) => count(nodes[index % 2 === 0 ? 0 : 1], taking)))
      const moved = (await take(fixture, taking)).slot - slot
      holds('at least so many slots', moved >= 600_000, moved)
    },
  },
  {
    name: 'messages of customers take no slot that begins later than a second after the last one that a message may wait for, and give none back',
    check: async (fixture) => {
      const taking = newTaking()
      await Promise.all(times(5, () => count(fixture, taking)))
      const { slot } = await take(fixture, { ...taking, maxWaitMs: SLOT_MS })
      for (const perSecond of [SLOW, 100]) await count(fixture, { ...taking, perSecond })
      same('the distance to the next one', (await take(fixture, { ...taking, maxWaitMs: 2 * SLOT_MS })).slot - slot, SLOT_US)
    },
  },
  {
    name: 'messages of customers are counted behind messages that have taken every slot for which they may wait',
    check: async (fixture) => {
      const taking = newTaking({ perSecond: 100, maxWaitMs: 3_000 })
      const taken = await Promise.all(times(600, () => fixture.senderBudget.take(taking)))
      const last = Math.max(...taken.flatMap((one) => (E.isRight(one) ? [one.right.slot] : [])))
      holds('some have no slot', taken.some(E.isLeft), last)
      await Promise.all(times(40, () => count(fixture, taking)))
      const moved = (await take(fixture, { ...taking, maxWaitMs: SLOT_MS })).slot - last
      holds('their slots are taken', moved >= 400_000, moved)
    },
  },
  {
    name: 'the present rate of a sender is its whole one, and about half of it once the platform has throttled it',
    check: async (fixture) => {
      const { senderBudget, elsewhere = senderBudget } = fixture
      const [throttled, quick, unused] = [newTaking({ perSecond: 1_000 }), newTaking({ perSecond: 80 }), newTaking({ perSecond: 20 })]
      await take(fixture, quick)
      await done('it is slowed down', senderBudget.slowDown(throttled, 'throttled'))
      const [half = 0, ...whole] = await done('rates are read', elsewhere.presentRates([throttled, quick, unused]))
      holds('about half', half >= 500 && half < 900, half)
      same('the whole rates', whole, [80, 20])
      same('the rates of no sender', await done('rates are read', senderBudget.presentRates([])), [])
      const other = { ...throttled, workspace: newWorkspaceId() }
      same('in another workspace', await done('rates are read', senderBudget.presentRates([other])), [1_000])
    },
  },
]

/** The step that opens and pays for a message, and the limits of pairs and of senders of the same storage. */
export type LimitsReservingFixture = PairReservingFixture & { readonly senderBudget: SenderBudget }

const openLimited = async (fixture: LimitsReservingFixture) => {
  const ledger = await openLedgerWorkspace(fixture)
  const { workspace, currency } = ledger
  const log = await openMessageWorkspace({ ...fixture, openWorkspace: () => Promise.resolve({ workspace, currency }) })
  await ledger.topUp(100n)
  const draft = log.draft({ price: { micros: 1n, currency, category: 'service' } })
  const limit = { intervalMs: 6_000, burst: 1 }
  const pair = { workspace, inbox: workspace, customer: `9${newDigits(11)}` as PhoneNumber, at: draft.at, limit }
  return { pair, slot: newTaking({ workspace }), found: log.found, next: () => log.draft({ price: draft.price }) }
}

/** The promises of every step that opens a message, reserves its price and takes the slots of its pair and of its sender. */
export const limitsReservingLaws: ReadonlyArray<Law<LimitsReservingFixture>> = [
  {
    name: 'a message takes the slot of its sender, which is the one that the port counts',
    check: async (fixture) => {
      const { slot, next } = await openLimited(fixture)
      const opened = await done('a reservation', fixture.reserving(next(), undefined, undefined, undefined, { slot }))
      const taken = opened._tag === 'Opened' ? opened.slot : undefined
      same('the wait for its slot', taken && waitFor(taken), 0)
      await isReached(fixture, slot, SLOT_MS)
    },
  },
  {
    name: 'a message above the limit of its sender is not opened, and takes no slot of its pair',
    check: async (fixture) => {
      const { pair, slot, next, found } = await openLimited(fixture)
      await take(fixture, slot)
      const draft = next()
      const limits = { pair, slot }
      await refused('above the limit', 'SenderLimitReached', fixture.reserving(draft, undefined, undefined, undefined, limits))
      same('the message', await found(draft.id), undefined)
      await done('the slot of the pair', fixture.pairLimits.take(pair))
    },
  },
  {
    name: 'a message above the limit of its pair takes no slot of its sender',
    check: async (fixture) => {
      const { pair, slot, next } = await openLimited(fixture)
      await done('the slot of the pair', fixture.pairLimits.take(pair))
      const limits = { pair, slot }
      await refused('above the limit', 'PairLimitReached', fixture.reserving(next(), undefined, undefined, undefined, limits))
      await take(fixture, slot)
    },
  },
  {
    name: 'of concurrent messages of a sender exactly as many are opened as have a slot in time',
    check: async (fixture) => {
      const { slot, next } = await openLimited(fixture)
      const nodes = [fixture.reserving, fixture.reservingElsewhere ?? fixture.reserving] as const
      const answers = await Promise.all(times(16, (index) =>
        nodes[index % 2 === 0 ? 0 : 1](next(), undefined, undefined, undefined, { slot: { ...slot, maxWaitMs: 4 * SLOT_MS } })))
      const slots = answers.flatMap((answer) =>
        (E.isRight(answer) && answer.right._tag === 'Opened' && answer.right.slot !== undefined ? [answer.right.slot] : []))
      same('how many are opened', slots.length, 5)
      same('the distances', distancesOf(slots), times(4, () => SLOT_US))
    },
  },
]
