import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../../core/customers/customer.js'
import { type PairLimitReached, type PairLimits, type PairTaking, takePair } from '../../core/customers/pair-limit.js'
import type { BatchId } from '../../core/kernel/ids.js'
import { type Instant, UTC_DAYS } from '../../core/kernel/time.js'
import type { LimitReached, SendLimits } from '../../core/money/ledger.js'
import {
  type BatchCustomers, type CountedCustomers, countedKeyOf, type CountedMessage, PORTFOLIO_DAYS_KEPT_MS, type PortfolioBudget,
  type PortfolioDay, type PortfolioId, type PortfolioLimitReached, type PortfolioTaking, stillCounts, takeCustomer,
} from '../../core/messages/portfolio-budget.js'
import {
  countInbound, NO_SLOTS_TAKEN, rateOf, type SenderBudget, type SenderLimitReached, type SenderSlot, type SenderSlots, slowedDown,
  type SlotTaking, takeSenderSlot,
} from '../../core/senders/sender-budget.js'
import type { SenderOf } from '../../core/senders/sender.js'
import { atomic, infallible } from './kernel.js'

/** The time until which the limit of each pair is used up. */
export type PairSlots = Map<string, Instant>

/** The budgets of senders, and the clock of their slots. */
export type SenderSlotState = { readonly slots: Map<string, SenderSlots>; readonly now: () => Instant }

const pairOf = ({ workspace, inbox, customer }: PairTaking): string => `${workspace} ${inbox} ${recordKeyOf(customer)}`

/** Takes a slot of a pair. */
const takePairSlot = (pairs: PairSlots, taking: PairTaking): E.Either<PairLimitReached, void> =>
  E.map((next: Instant) => { pairs.set(pairOf(taking), next) })(takePair(taking.limit, pairs.get(pairOf(taking)), taking.at))

/** The limits of pairs in memory. */
export const makeMemoryPairLimits = (pairs: PairSlots): PairLimits => ({ take: (taking) => atomic(() => takePairSlot(pairs, taking)) })

const senderNameOf = ({ workspace, sender }: SenderOf): string => `${workspace} ${sender}`
const MS_US = 1_000

const takeSlot = ({ slots, now }: SenderSlotState, taking: SlotTaking): E.Either<SenderLimitReached, SenderSlot> => {
  const at = now() * MS_US
  const taken = takeSenderSlot(taking, slots.get(senderNameOf(taking)) ?? NO_SLOTS_TAKEN, at)
  if (E.isLeft(taken)) return taken
  slots.set(senderNameOf(taking), taken.right.after)
  return E.right({ slot: taken.right.slot, now: at })
}

/** The budgets of senders in memory. */
export const makeMemorySenderBudget = (state: SenderSlotState): SenderBudget => ({
  take: (taking) => atomic(() => takeSlot(state, taking)),
  slowDown: (of, why) => infallible(() => {
    const name = senderNameOf(of)
    state.slots.set(name, slowedDown(state.slots.get(name) ?? NO_SLOTS_TAKEN, why, of.perSecond, state.now() * MS_US))
  }),
  countInbound: (of) => infallible(() => {
    const name = senderNameOf(of)
    state.slots.set(name, countInbound(state.slots.get(name) ?? NO_SLOTS_TAKEN, of, state.now() * MS_US))
  }),
  presentRates: (senders) => infallible(() => senders.map((of) =>
    rateOf(state.slots.get(senderNameOf(of)) ?? NO_SLOTS_TAKEN, of.perSecond, state.now() * MS_US))),
})

/** The messages that have counted a customer: by portfolio, customer and message. */
export type PortfolioState = Map<PortfolioId, Map<string, Map<string, CountedAs>>>

type CountedAs = Pick<PortfolioTaking, 'at' | 'batch'>

const messageNameOf = ({ workspace, message }: CountedMessage): string => `${workspace} ${message}`

const countedIn = (state: PortfolioState, portfolio: PortfolioId): CountedCustomers =>
  new Map(Array.from(state.get(portfolio) ?? [], ([customer, messages]) =>
    [customer, Math.max(...Array.from(messages.values(), ({ at }) => at))]))

const count = (state: PortfolioState, taking: PortfolioTaking): void => {
  const { at, batch } = taking
  const customers = state.get(taking.portfolio) ?? new Map<string, Map<string, CountedAs>>()
  const messages = customers.get(countedKeyOf(taking)) ?? new Map<string, CountedAs>()
  messages.set(messageNameOf(taking), { at, ...(batch && { batch }) })
  state.set(taking.portfolio, customers.set(countedKeyOf(taking), messages))
}

const takePlace = (state: PortfolioState, taking: PortfolioTaking): E.Either<PortfolioLimitReached, void> =>
  E.map(() => { count(state, taking) })(takeCustomer(taking, countedIn(state, taking.portfolio)))

/** The customers of portfolios in memory, and the days of each portfolio, by their beginnings. */
export const makeMemoryPortfolioBudget = (
  state: PortfolioState, days = new Map<PortfolioId, ReadonlyMap<Instant, PortfolioDay>>(),
): PortfolioBudget => ({
  take: (taking) => atomic(() => takePlace(state, taking)),
  giveBack: (message) => infallible(() => {
    for (const customers of state.values()) {
      for (const [customer, messages] of customers) {
        if (messages.delete(messageNameOf(message)) && messages.size === 0) customers.delete(customer)
      }
    }
  }),
  counted: (portfolio, at) => infallible(() => countAt(state, portfolio, at)),
  countedByBatch: (portfolio, at) => infallible(() => byBatch(state, portfolio, at)),
  noteDay: (at) => infallible(() => {
    const day = UTC_DAYS.startOf(at)
    for (const portfolio of new Set([...state.keys(), ...days.keys()])) {
      const kept = [...days.get(portfolio) ?? []].filter(([start]) => start >= at - PORTFOLIO_DAYS_KEPT_MS)
      const [noted, customers] = [new Map(kept), countAt(state, portfolio, at)]
      if (customers > (noted.get(day)?.customers ?? 0)) {
        noted.set(day, { day, customers, ofBatches: byBatch(state, portfolio, at).reduce((sum, one) => sum + one.customers, 0) })
      }
      days.set(portfolio, noted)
    }
  }),
  days: (portfolio, since) => infallible(() =>
    [...days.get(portfolio)?.values() ?? []].filter(({ day }) => day >= since).sort((a, b) => a.day - b.day)),
})

const countAt = (state: PortfolioState, portfolio: PortfolioId, at: Instant): number =>
  [...countedIn(state, portfolio).values()].filter((time) => stillCounts(time, at)).length

const byBatch = (state: PortfolioState, portfolio: PortfolioId, at: Instant): ReadonlyArray<BatchCustomers> => {
  const customers = new Map<BatchId, number>()
  for (const messages of state.get(portfolio)?.values() ?? []) {
    const batch = lastBatchOf([...messages.values()].filter((message) => stillCounts(message.at, at)))
    if (batch !== undefined) customers.set(batch, (customers.get(batch) ?? 0) + 1)
  }
  return Array.from(customers, ([batch, count]) => ({ batch, customers: count })).sort((a, b) => (a.batch < b.batch ? -1 : 1))
}

/** The last of the batches of some messages; `undefined` if one of them has none. */
const lastBatchOf = (messages: ReadonlyArray<CountedAs>): BatchId | undefined => {
  const batches = messages.flatMap(({ batch }) => batch ?? [])
  return batches.length < messages.length ? undefined : batches.sort().at(-1)
}

/** Replaces the keys of a person in the portfolios of a workspace, so that the places stay taken and nothing names the person. */
export const eraseCounted = (state: PortfolioState, workspace: string, keys: ReadonlySet<string>): void => {
  for (const customers of state.values()) {
    const isOfWorkspace = [...customers.values()].some((messages) => [...messages.keys()].some((name) => name.startsWith(`${workspace} `)))
    for (const [customer, messages] of isOfWorkspace ? [...customers] : []) {
      if (!keys.has(customer)) continue
      customers.delete(customer)
      customers.set(randomUUID(), messages)
    }
  }
}

/** Takes the slots of a message and counts its customer, all or none. */
export const takeLimits = (
  { pairs, budget, portfolios }: { readonly pairs: PairSlots; readonly budget: SenderSlotState; readonly portfolios: PortfolioState },
  { pair, slot, portfolio }: SendLimits,
): E.Either<LimitReached, SenderSlot | undefined> => {
  const next = pair && takePair(pair.limit, pairs.get(pairOf(pair)), pair.at)
  if (next !== undefined && E.isLeft(next)) return next
  const place = portfolio && takeCustomer(portfolio, countedIn(portfolios, portfolio.portfolio))
  if (place !== undefined && E.isLeft(place)) return place
  const taken = slot && takeSlot(budget, slot)
  if (taken !== undefined && E.isLeft(taken)) return taken
  if (pair !== undefined) takePairSlot(pairs, pair)
  if (portfolio !== undefined) count(portfolios, portfolio)
  return E.right(taken?.right)
}
