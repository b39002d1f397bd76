import { AsyncLocalStorage } from 'node:async_hooks'
import type { Instant } from '../../core/kernel/time.js'
import { type Choices, makeChoices } from './choices.js'

/** A broken promise: its name, and what was observed. */
export type Violation = { readonly promise: string; readonly seen: string }

/** One step of a history, as its table shows it. */
export type Step = { readonly at: Instant; readonly where: string; readonly what: string }

/**
 * A clock and a schedule that only a seed drives. All work in a world waits only with `sleep`, so that one thing happens at a time, always in the same order.
 */
export type World = {
  readonly now: () => Instant
  /** Waits this many milliseconds of the world's time. */
  readonly sleep: (ms: number) => Promise<void>
  /** Starts an act that continues by itself. It makes its choices by its own name, so that removing another act does not change them. */
  readonly begin: (name: string, act: () => Promise<void>) => void
  /** The choices of the current act. */
  readonly choices: () => Choices
  /** A unique name for the next act that the current act starts. */
  readonly nameOf: (what: string) => string
  /** A number that increases with each use: the lower number came first. */
  readonly tick: () => number
  /** A name of 32 digits that increases with each use, and that no history of another seed uses: histories may share a database. */
  readonly mark: () => string
  /** Adds a step to the history; the text is created only if the history is kept. */
  readonly note: (where: string, what: () => string) => void
  /** Counts that a rare situation was reached. */
  readonly reach: (situation: string) => void
  /** Notes that a promise was broken; the world ends with this step. */
  readonly violate: (promise: string, seen: string) => void
  /** Work of another process that may take real time: nothing else happens in the world until it is done. */
  readonly outside: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Lets time pass until a given time, or until nothing is left to happen. */
  readonly runUntil: (until: Instant) => Promise<void>
  readonly violations: ReadonlyArray<Violation>
  readonly steps: ReadonlyArray<Step>
  readonly reached: ReadonlyMap<string, number>
}

/** The seed and start of a world, and whether its history is kept. */
export type WorldOptions = { readonly seed: number; readonly startsAt: Instant; readonly keepsSteps: boolean }

type Act = { readonly name: string; readonly choices: Choices; begun: number }

/** Makes a world in which nothing has happened. */
export const makeWorld = ({ seed, startsAt, keepsSteps }: WorldOptions): World => {
  const acts = new AsyncLocalStorage<Act>()
  const schedule = makeSchedule()
  const [violations, steps, reached] = [new Array<Violation>(), new Array<Step>(), new Map<string, number>()]
  let [now, ticks, outside] = [startsAt, 0, 0]

  const current = (): Act => {
    const act = acts.getStore()
    if (act === undefined) throw new Error('this is done by no act of the world')
    return act
  }
  const violate = (promise: string, seen: string): void => {
    // Later violations in the same step may be consequences of the first one.
    if (violations.length > 0) return
    violations.push({ promise, seen })
    if (keepsSteps) steps.push({ at: now, where: 'broken', what: `${promise}: ${seen}` })
  }

  return {
    now: () => now,
    sleep: (ms) => new Promise((wake) => { schedule.add(now + Math.max(0, ms), wake) }),
    begin: (name, act) => {
      acts.run({ name, choices: makeChoices(seed, name), begun: 0 }, () => {
        act().catch((error: unknown) => { violate('nothing throws', `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`) })
      })
    },
    choices: () => current().choices,
    nameOf: (what) => {
      const act = current()
      act.begun += 1
      return `${act.name} - ${what} ${act.begun}`
    },
    tick: () => (ticks += 1),
    mark: () => `${String(seed).padStart(16, '0')}${String(ticks += 1).padStart(16, '0')}`,
    note: (where, what) => {
      if (keepsSteps && violations.length === 0) steps.push({ at: now, where, what: what() })
    },
    reach: (situation) => void reached.set(situation, (reached.get(situation) ?? 0) + 1),
    violate,
    outside: async (work) => {
      outside += 1
      try {
        return await work()
      } finally {
        outside -= 1
      }
    },
    runUntil: async (until) => {
      await rested(() => outside > 0)
      for (let next = schedule.nextAt(); next !== undefined && next <= until && violations.length === 0; next = schedule.nextAt()) {
        now = Math.max(now, next)
        schedule.wakeNext()
        await rested(() => outside > 0)
      }
      if (violations.length === 0) now = Math.max(now, until)
    },
    violations, steps, reached,
  }
}

/** Every promise that can settle settles before the event loop reaches `setImmediate`. */
const rested = async (isBusy: () => boolean): Promise<void> => {
  do await new Promise((resolve) => { setImmediate(resolve) })
  while (isBusy())
}

type Waiting = { readonly at: Instant; readonly number: number; readonly wake: () => void }

type Schedule = {
  readonly add: (at: Instant, wake: () => void) => void
  readonly nextAt: () => Instant | undefined
  readonly wakeNext: () => void
}

/** A binary heap of waiting items, the earliest on top; with equal times, in the order of insertion. */
const makeSchedule = (): Schedule => {
  const heap: Waiting[] = []
  let added = 0
  const isBefore = (a: Waiting, b: Waiting): boolean => a.at < b.at || (a.at === b.at && a.number < b.number)
  const at = (index: number): Waiting => heap[index] as Waiting
  const swap = (a: number, b: number): void => void ([heap[a], heap[b]] = [at(b), at(a)])

  const sink = (from: number): void => {
    for (let index = from; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      let least = index
      if (left < heap.length && isBefore(at(left), at(least))) least = left
      if (right < heap.length && isBefore(at(right), at(least))) least = right
      if (least === index) return
      swap(index, least)
      index = least
    }
  }

  return {
    add: (moment, wake) => {
      heap.push({ at: moment, number: (added += 1), wake })
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1
        if (!isBefore(at(index), at(parent))) return
        swap(index, parent)
        index = parent
      }
    },
    nextAt: () => heap[0]?.at,
    wakeNext: () => {
      const [first, last] = [heap[0], heap.pop()]
      if (first === undefined || last === undefined) return
      if (heap.length > 0) {
        heap[0] = last
        sink(0)
      }
      first.wake()
    },
  }
}
