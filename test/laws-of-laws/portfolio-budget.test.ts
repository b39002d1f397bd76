import * as E from 'fp-ts/lib/Either.js'
import { type Instant, UTC_DAYS } from '../../core/kernel/time.js'
import type { Reserving } from '../../core/money/ledger.js'
import {
  countedKeyOf, type CountedMessage, leavesAt, PORTFOLIO_DAYS_KEPT_MS, type PortfolioBudget, type PortfolioDay, type PortfolioId,
  type PortfolioTaking, takeCustomer,
} from '../../core/messages/portfolio-budget.js'
import { openMemoryReserving } from '../adapters/memory/memory-fixture.js'
import {
  type PortfolioBudgetFixture, portfolioBudgetLaws, type PortfolioReservingFixture, portfolioReservingLaws,
} from '../laws/portfolio-budget.js'
import { rightOf } from '../support/right-of.js'
import { brokenMemory } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const LIMIT = 'a portfolio reaches as many customers as its limit, and a refusal says when the first of them no longer counts'
const AGAIN = 'a customer who counts takes no further place, in any variant of the number, and counts for a whole period since the last message'
const SHOWN = 'the customers who count at a time are counted, each once, in their own portfolio'
const BY_BATCH = 'customers who count only because of batches are counted by the last batch of each, as long as its message counts'
const DAYS = 'a day keeps the most customers of a portfolio that counted at a time, and how many of them only because of batches, for a month'
const EARLIER = 'an earlier message does not shorten the time for which a customer counts'
const OWN = 'each portfolio has its own customers, whichever workspaces send through it'
const REPEATED = 'a message that is counted again takes no further place, and gives back all of it'
const BACK = 'a customer who is given back no longer counts, once, even if it is repeated'
const OTHERS = 'a customer who is given back counts for as long as another message counts them'
const LOWER = 'a lower limit refuses new customers until fewer count, and none of those who count'
const BEHIND = 'the answer for a message that waits behind others is the time of a later free place'
const MANY = 'of concurrent messages to many customers exactly as many are counted as the limit allows, again after they no longer count'
const FEW = 'concurrent messages to few customers count each of them once'
const BACK_TOGETHER = 'of concurrent calls that give back one message one does, and none costs a customer who is counted at the same time'
const ERASED = 'a person who was erased is not recognised any more, and the place stays taken until it would have been free'

const broken = (defect: (port: PortfolioBudget) => Partial<PortfolioBudget>): (() => Promise<PortfolioBudgetFixture>) =>
  brokenMemory('portfolioBudget', defect)

const pause = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })
const nameOf = ({ workspace, message }: CountedMessage): string => `${workspace} ${message}`

const NO_DAYS = { noteDay: async () => E.right(undefined), days: async () => E.right([]) } satisfies Partial<PortfolioBudget>

type Counted = Map<string, Map<string, Instant>>

/** How a port differs from one that keeps its promises. */
type Defect = {
  /** Waits between reading and writing, as a database may. */
  readonly isHasty?: true
  /** When a customer counts who is counted at a time and was counted before. */
  readonly timeOf?: (before: Instant | undefined, at: Instant) => Instant
  /** What a message that is given back removes of its customer. */
  readonly giveBack?: (messages: Map<string, Instant>, name: string) => void
}

/** A port over maps, with a defect. */
const openOver = ({ isHasty, timeOf = (before, at) => Math.max(before ?? at, at), giveBack }: Defect) =>
  async (): Promise<PortfolioBudgetFixture> => {
    const portfolios = new Map<string, Counted>()
    const { personalData } = await openMemoryReserving()
    return {
      personalData,
      portfolioBudget: {
        take: async (taking) => {
          const customers: Counted = portfolios.get(taking.portfolio) ?? new Map<string, Map<string, Instant>>()
          portfolios.set(taking.portfolio, customers)
          const times = new Map(Array.from(customers, ([key, messages]) => [key, Math.max(...messages.values())]))
          const taken = takeCustomer(taking, times)
          if (isHasty) await pause()
          return E.map(() => {
            const messages = customers.get(countedKeyOf(taking)) ?? new Map<string, Instant>()
            const at = timeOf(times.get(countedKeyOf(taking)), taking.at)
            if (at < (times.get(countedKeyOf(taking)) ?? at)) messages.clear()
            customers.set(countedKeyOf(taking), messages.set(nameOf(taking), at))
          })(taken)
        },
        giveBack: async (message) => {
          for (const customers of portfolios.values()) {
            for (const [key, messages] of customers) {
              if (giveBack !== undefined) giveBack(messages, nameOf(message))
              else messages.delete(nameOf(message))
              if (messages.size === 0) customers.delete(key)
            }
          }
          return E.right(undefined)
        },
        counted: async (portfolio, at) => E.right(
          [...portfolios.get(portfolio)?.values() ?? []].filter((messages) => leavesAt(Math.max(...messages.values())) > at).length,
        ),
        countedByBatch: async () => E.right([]), ...NO_DAYS,
      },
    }
  }

/** Counts with a number for each portfolio instead of its customers. */
const openNumbers = (isOnceEach: boolean) => async (): Promise<PortfolioBudgetFixture> => {
  const [counts, messages] = [new Map<string, number>(), new Map<string, string>()]
  const { personalData } = await openMemoryReserving()
  return {
    personalData,
    portfolioBudget: {
      take: async ({ portfolio, limit, at, ...taking }) => {
        if (messages.has(nameOf(taking))) return E.right(undefined)
        const count = counts.get(portfolio) ?? 0
        if (count >= limit) return E.left({ _tag: 'PortfolioLimitReached', retryAt: leavesAt(at) })
        counts.set(portfolio, count + 1)
        messages.set(nameOf(taking), portfolio)
        return E.right(undefined)
      },
      giveBack: async (message) => {
        const portfolio = messages.get(nameOf(message))
        if (portfolio !== undefined) counts.set(portfolio, (counts.get(portfolio) ?? 0) - 1)
        if (isOnceEach) messages.delete(nameOf(message))
        return E.right(undefined)
      },
      counted: async (portfolio) => E.right(counts.get(portfolio) ?? 0),
      countedByBatch: async () => E.right([]), ...NO_DAYS,
    },
  }
}

const withTaking = (change: (taking: PortfolioTaking) => Partial<PortfolioTaking>) =>
  broken(({ take }) => ({ take: (taking) => take({ ...taking, ...change(taking) }) }))

/** How noting days differs from noting them as promised. */
type NotingDays = {
  readonly keepsLast?: true
  readonly keptMs?: number
  readonly ofBatches?: (counted: number) => number
  readonly keyOf?: (portfolio: PortfolioId) => string
}

const notingDays = (
  { keepsLast, keptMs = PORTFOLIO_DAYS_KEPT_MS, ofBatches = (counted) => counted, keyOf = (portfolio) => portfolio }: NotingDays,
) => broken(({ take, counted, countedByBatch }) => {
  const portfolios = new Set<PortfolioId>()
  const noted = new Map<string, PortfolioDay>()
  return {
    take: (taking) => {
      portfolios.add(taking.portfolio)
      return take(taking)
    },
    noteDay: async (at) => {
      const day = UTC_DAYS.startOf(at)
      for (const portfolio of portfolios) {
        const [key, customers] = [`${keyOf(portfolio)} ${day}`, rightOf(await counted(portfolio, at))]
        const byBatch = rightOf(await countedByBatch(portfolio, at)).reduce((sum, one) => sum + one.customers, 0)
        if (customers > 0 && (keepsLast === true || customers > (noted.get(key)?.customers ?? 0))) {
          noted.set(key, { day, customers, ofBatches: ofBatches(byBatch) })
        }
      }
      for (const [key, { day: begun }] of noted) if (begun < at - keptMs) noted.delete(key)
      return E.right(undefined)
    },
    days: async (portfolio, since) => E.right(
      [...noted].filter(([key, { day }]) => key === `${keyOf(portfolio)} ${day}` && day >= since).map(([, day]) => day),
    ),
  }
})

describeMutations('the customers of portfolios', portfolioBudgetLaws, [
  { defect: 'reads, waits and writes', open: openOver({ isHasty: true }), breaks: [MANY] },
  {
    defect: 'allows one customer more', open: withTaking(({ limit }) => ({ limit: limit + 1 })),
    breaks: namesOf(portfolioBudgetLaws).filter((name) => ![BY_BATCH, DAYS, SHOWN].includes(name)),
  },
  { defect: 'counts messages instead of customers', open: openNumbers(true), breaks: [AGAIN, FEW, LIMIT, OTHERS, SHOWN] },
  { defect: 'gives back a message at each call', open: openNumbers(false), breaks: [BACK] },
  { defect: 'counts a customer since the first message alone', open: openOver({ timeOf: (before, at) => before ?? at }), breaks: [AGAIN] },
  { defect: 'counts a customer since the message that comes last', open: openOver({ timeOf: (_, at) => at }), breaks: [EARLIER] },
  {
    defect: 'counts variants of a number apart',
    open: broken(({ take }) => ({
      take: (taking) => take({ ...taking, customer: `DE.${taking.customer.replace('.', '')}` as PortfolioTaking['customer'] }),
    })),
    breaks: [AGAIN],
  },
  {
    defect: 'has customers of its own for each workspace',
    open: broken(({ take }) => ({
      take: (taking) => take({ ...taking, portfolio: `${taking.portfolio} ${taking.workspace}` as PortfolioTaking['portfolio'] }),
    })),
    breaks: [OWN],
  },
  {
    defect: 'counts all portfolios together',
    open: withTaking(() => ({ portfolio: 'account 1' as PortfolioTaking['portfolio'] })), breaks: [OWN],
  },
  {
    defect: 'takes a place each time a message is counted',
    open: broken(({ take }) => {
      let calls = 0
      return { take: (taking) => take({ ...taking, customer: `DE.${(calls += 1)}` as PortfolioTaking['customer'] }) }
    }),
    breaks: [REPEATED, FEW],
  },
  { defect: 'gives nothing back', open: broken(() => ({ giveBack: async () => E.right(undefined) })), breaks: [BACK, OTHERS, REPEATED] },
  {
    defect: 'gives back a customer whom another message counts',
    open: openOver({ giveBack: (messages, name) => { if (messages.has(name)) messages.clear() } }), breaks: [OTHERS, BACK_TOGETHER],
  },
  { defect: 'keeps the time of a message that is given back', open: openOver({
    giveBack: (messages, name) => {
      const [at, [other]] = [messages.get(name), [...messages.keys()].filter((one) => one !== name)]
      messages.delete(name)
      if (at !== undefined && other !== undefined) messages.set(other, at)
    },
  }), breaks: [OTHERS] },
  { defect: 'keeps no order among those who wait', open: withTaking(() => ({ behind: 0 })), breaks: [BEHIND] },
  {
    defect: 'forgets that more customers count than a lower limit allows',
    open: broken(({ take }) => {
      const limits = new Map<string, number>()
      return {
        take: (taking) => {
          const limit = Math.max(limits.get(taking.portfolio) ?? 0, taking.limit)
          limits.set(taking.portfolio, limit)
          return take({ ...taking, limit })
        },
      }
    }),
    breaks: [LOWER],
  },
  {
    defect: 'still shows those who no longer count', open: broken(({ counted }) => ({ counted: (portfolio) => counted(portfolio, 0) })),
    breaks: [SHOWN],
  },
  {
    defect: 'forgets the batches of messages', breaks: [BY_BATCH],
    open: broken(({ take }) => ({ take: ({ batch: _, ...taking }) => take(taking) })),
  },
  {
    defect: 'counts a customer for the batch that was counted last', breaks: [BY_BATCH],
    open: broken(({ take, countedByBatch }) => {
      let last: PortfolioTaking['batch']
      return {
        take: (taking) => {
          last = taking.batch ?? last
          return take({ ...taking, ...(last && { batch: last }) })
        },
        countedByBatch,
      }
    }),
  },
  {
    defect: 'still shows by batch those who no longer count', breaks: [BY_BATCH],
    open: broken(({ countedByBatch }) => ({ countedByBatch: (portfolio) => countedByBatch(portfolio, 0) })),
  },
  { defect: 'keeps what was noted last of a day', open: notingDays({ keepsLast: true }), breaks: [DAYS] },
  { defect: 'keeps each day forever', open: notingDays({ keptMs: Infinity }), breaks: [DAYS] },
  { defect: 'does not note what batches count', open: notingDays({ ofBatches: () => 0 }), breaks: [DAYS] },
  { defect: 'notes the days of all portfolios together', open: notingDays({ keyOf: () => '' }), breaks: [DAYS] },
  { defect: 'recognises a person who was erased', open: openOver({}), breaks: [ERASED] },
])

const TAKEN = 'a message counts its customer, which is the one that the port counts and gives back'
const ABOVE = 'a message above the limit is not opened, nothing is set aside or taken of its free messages, and its key stays free'
const CLAIMED = 'a key that guards another message is answered with it even above the limit, and counts no customer'
const NEIGHBOURS = 'of concurrent messages to many customers exactly as many are opened as the limit allows, and the others cost their neighbours nothing'
const STORAGE = 'the step is for the customers of this storage alone'

type Memory = Awaited<ReturnType<typeof openMemoryReserving>>

const reservingBy = (defect: (reserving: Reserving, memory: Memory) => Reserving) => async (): Promise<PortfolioReservingFixture> => {
  const fixture = await openMemoryReserving()
  return { ...fixture, reserving: defect(fixture.reserving, fixture) }
}

describeMutations('the step that counts the customer of a message', portfolioReservingLaws, [
  {
    defect: 'counts no customer',
    open: reservingBy((reserving) => (draft, spending, entries, free) => reserving(draft, spending, entries, free)),
    breaks: [TAKEN, ABOVE, NEIGHBOURS],
  },
  {
    defect: 'opens and pays before it looks at the limit',
    open: reservingBy((reserving, { portfolioBudget }) => async (draft, spending, entries, free, { portfolio } = {}) => {
      const reserved = await reserving(draft, spending, entries, free)
      if (E.isLeft(reserved) || reserved.right._tag === 'Claimed' || portfolio === undefined) return reserved
      const taken = await portfolioBudget.take(portfolio)
      return E.isLeft(taken) ? taken : reserved
    }),
    breaks: [ABOVE, NEIGHBOURS],
  },
  {
    defect: 'counts the customer before it looks at the key',
    open: reservingBy((reserving, { portfolioBudget }) => async (draft, spending, entries, free, { portfolio } = {}) => {
      const taken = portfolio === undefined ? E.right(undefined) : await portfolioBudget.take(portfolio)
      return E.isLeft(taken) ? taken : reserving(draft, spending, entries, free)
    }),
    breaks: [CLAIMED],
  },
  {
    defect: 'works for customers that it does not know',
    open: async () => {
      const fixture = await openMemoryReserving()
      return { ...fixture, messageMoney: { ...fixture.messageMoney, reservingOver: () => fixture.reserving } }
    },
    breaks: [STORAGE],
  },
])
