import * as E from 'fp-ts/lib/Either.js'
import { type PairLimits, type PairTaking, takePair } from '../../core/customers/pair-limit.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Reserving } from '../../core/money/ledger.js'
import { openMemoryReserving } from '../adapters/memory/memory-fixture.js'
import { pairLimitsLaws, type PairLimitsFixture, type PairReservingFixture, pairReservingLaws } from '../laws/pair-limits.js'
import { brokenMemory } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const REFUSED = 'a refusal takes nothing, however often it is repeated'
const PAUSE = 'the whole burst is there again after as many intervals, and no more than that however long the pause'
const OWN = 'each customer of a sender, each sender and each workspace has slots of its own, and variants of a number share them'
const BACK = 'a clock that goes back gives no slots'
const CONCURRENT = 'of 64 concurrent messages of a pair exactly as many are within the limit as it allows'
const LAST = 'of two messages at the same time one takes the last slot'
const MANY = 'concurrent messages of many pairs cost each other no slots'

const broken = (defect: (port: PairLimits) => PairLimits['take']): (() => Promise<PairLimitsFixture>) => {
  const open = brokenMemory('pairLimits', (port) => ({ take: defect(port) }))
  return async () => ({ pairLimits: (await open()).pairLimits })
}

const keyOf = ({ workspace, inbox, customer }: PairTaking): string => `${workspace} ${inbox} ${customer}`
const pause = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })

/** Reads, waits as for a database, and writes what it read, changed. */
const openHasty = async (): Promise<PairLimitsFixture> => {
  const slots = new Map<string, Instant>()
  return {
    pairLimits: {
      take: async (taking) => {
        const taken = takePair(taking.limit, slots.get(keyOf(taking)), taking.at)
        await pause()
        return E.map((next: Instant) => { slots.set(keyOf(taking), next) })(taken)
      },
    },
  }
}

/** Takes turns, except that two calls that meet while one slot is left both see it. */
const openLastTwice = async (): Promise<PairLimitsFixture> => {
  const slots = new Map<string, Instant>()
  return {
    pairLimits: {
      take: async (taking) => {
        const isLast = E.isRight(takePair(taking.limit, slots.get(keyOf(taking)), taking.at))
          && E.isLeft(takePair(taking.limit, (slots.get(keyOf(taking)) ?? taking.at) + taking.limit.intervalMs, taking.at))
        const seen = slots.get(keyOf(taking))
        if (isLast) await pause()
        const taken = takePair(taking.limit, isLast ? seen : slots.get(keyOf(taking)), taking.at)
        return E.map((next: Instant) => { slots.set(keyOf(taking), next) })(taken)
      },
    },
  }
}

/** A port over another rule. */
const openWith = (
  rule: (taking: PairTaking, next: Instant | undefined) => readonly [answer: ReturnType<typeof takePair>, next: Instant | undefined],
) => async (): Promise<PairLimitsFixture> => {
  const slots = new Map<string, Instant | undefined>()
  return {
    pairLimits: {
      take: async (taking) => {
        const [answer, next] = rule(taking, slots.get(keyOf(taking)))
        slots.set(keyOf(taking), next)
        return E.map(() => undefined)(answer)
      },
    },
  }
}

describeMutations('the limits of pairs', pairLimitsLaws, [
  { defect: 'reads, waits and writes', open: openHasty, breaks: [CONCURRENT, LAST, MANY] },
  { defect: 'gives the last slot to two who meet', open: openLastTwice, breaks: [LAST, CONCURRENT] },
  {
    defect: 'allows one more than the burst',
    open: broken(({ take }) => ({ limit, ...taking }) => take({ ...taking, limit: { ...limit, burst: limit.burst + 1 } })),
    breaks: namesOf(pairLimitsLaws),
  },
  {
    defect: 'moves on with each refusal',
    open: openWith(({ limit, at }, next) => {
      const answer = takePair(limit, next, at)
      return [answer, E.isRight(answer) ? answer.right : (next ?? at) + limit.intervalMs]
    }),
    breaks: [REFUSED],
  },
  {
    defect: 'saves up slots over a pause',
    open: openWith(({ limit, at }, next) => {
      const answer = takePair(limit, next, at)
      return [answer, E.isRight(answer) ? (next ?? at) + limit.intervalMs : next]
    }),
    breaks: [PAUSE],
  },
  {
    defect: 'starts again when the clock goes back',
    open: openWith(({ limit, at }, next) => {
      const answer = takePair(limit, next !== undefined && next - limit.burst * limit.intervalMs > at ? undefined : next, at)
      return [answer, E.isRight(answer) ? answer.right : next]
    }),
    breaks: [BACK],
  },
  {
    defect: 'counts all customers of a sender together',
    open: broken(({ take }) => (taking) => take({ ...taking, customer: 'DE.1' as PairTaking['customer'] })), breaks: [OWN],
  },
  {
    defect: 'counts all senders of a workspace together',
    open: broken(({ take }) => (taking) => take({ ...taking, inbox: taking.workspace })), breaks: [OWN],
  },
  { defect: 'counts variants of a number apart', open: openWith((taking, next) => {
    const answer = takePair(taking.limit, next, taking.at)
    return [answer, E.isRight(answer) ? answer.right : next]
  }), breaks: [OWN] },
])

const TAKEN = 'a message takes the slot of its pair, which is the one that the port counts'
const ABOVE = 'a message above the limit of its pair is not opened, nothing is set aside, no free message is taken, and its key stays free'
const CLAIMED = 'a key that guards another message is answered with it even above the limit, and takes no slot'
const NEIGHBOURS = 'of concurrent messages of a pair exactly as many are opened as its limit allows, with keys and without, and the others cost their neighbours nothing'
const STORAGE = 'the step is for the limits of this storage alone'

type Memory = Awaited<ReturnType<typeof openMemoryReserving>>

const reservingBy = (defect: (reserving: Reserving, memory: Memory) => Reserving) => async (): Promise<PairReservingFixture> => {
  const fixture = await openMemoryReserving()
  return { ...fixture, reserving: defect(fixture.reserving, fixture) }
}

describeMutations('the step that takes the slot of a pair', pairReservingLaws, [
  {
    defect: 'takes no slot',
    open: reservingBy((reserving) => (draft, spending, entries, free) => reserving(draft, spending, entries, free)),
    breaks: [TAKEN, ABOVE, NEIGHBOURS],
  },
  {
    defect: 'opens and pays before it looks at the limit',
    open: reservingBy((reserving, { pairLimits }) => async (draft, spending, entries, free, { pair } = {}) => {
      const reserved = await reserving(draft, spending, entries, free)
      if (E.isLeft(reserved) || reserved.right._tag === 'Claimed' || pair === undefined) return reserved
      const taken = await pairLimits.take(pair)
      return E.isLeft(taken) ? taken : reserved
    }),
    breaks: [ABOVE, NEIGHBOURS],
  },
  {
    defect: 'takes the slot before it looks at the key',
    open: reservingBy((reserving, { pairLimits }) => async (draft, spending, entries, free, { pair } = {}) => {
      const taken = pair === undefined ? E.right(undefined) : await pairLimits.take(pair)
      return E.isLeft(taken) ? taken : reserving(draft, spending, entries, free)
    }),
    breaks: [CLAIMED],
  },
  {
    defect: 'works for limits that it does not know',
    open: async () => {
      const fixture = await openMemoryReserving()
      return { ...fixture, messageMoney: { ...fixture.messageMoney, reservingOver: () => fixture.reserving } }
    },
    breaks: [STORAGE],
  },
])
