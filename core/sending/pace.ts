import { type Instant, SECOND_MS } from '../kernel/time.js'

/**
 * How far ahead queued messages take slots, in milliseconds, at least and at most. A slot that is taken keeps a request waiting that comes after it, so a request finds at most this much taken.
 */
const SLOTS_AHEAD_MS = { least: 6, most: 50 } as const

/** For how many messages a slow one counts when it is decided how far ahead slots are taken. */
const SLOW_COUNTS_FOR = 16

/** Lets a number of tasks of one key run at the same time, in their order. The number is that of the latest call. */
type Gates = (key: string, width: number) => Promise<() => void>

const makeGates = (): Gates => {
  const gates = new Map<string, { begun: number; width: number; readonly waiting: Array<() => void> }>()
  return async (key, width) => {
    const gate = gates.get(key) ?? { begun: 0, width, waiting: [] }
    gates.set(key, gate)
    gate.width = width
    const admit = (): void => {
      while (gate.begun < gate.width && gate.waiting.length > 0) {
        gate.begun += 1
        gate.waiting.shift()?.()
      }
    }
    await new Promise<void>((resolve) => {
      gate.waiting.push(resolve)
      admit()
    })
    let isOpen = false
    return () => {
      if (isOpen) return
      isOpen = true
      gate.begun -= 1
      admit()
      if (gate.begun === 0) gates.delete(key)
    }
  }
}

/** How the queued messages of all senders take their slots in this process. */
export type Pace = {
  readonly gates: Gates
  /** How far ahead slots are taken, in whole milliseconds: as late as possible, but twice the time that taking one has lately taken, so that none is missed. */
  readonly aheadMs: () => number
  /** Notes how long taking a slot took, from the time at which it should have begun. */
  readonly note: (ms: number) => void
}

export const makePace = (): Pace => {
  const { least, most } = SLOTS_AHEAD_MS
  let tookMs = 0
  return {
    gates: makeGates(),
    aheadMs: () => Math.ceil(Math.min(most, Math.max(least, 2 * tookMs))),
    note: (ms) => { tookMs = Math.max(0, Math.min(most, Math.max(ms, tookMs + (ms - tookMs) / SLOW_COUNTS_FOR))) },
  }
}

/** How many messages of a sender ask for slots at the same time. */
export const blockOf = (perSecond: number, aheadMs: number): number => Math.max(1, Math.floor(perSecond * aheadMs / SECOND_MS))

/**
 * How late a message may leave for its slot, in milliseconds: after its wait, and in all. The second is longer, because a database that is always slow makes all messages equally late, and then they do not
 * leave together.
 */
const MAX_LATE_MS = { wait: 250, total: 500 } as const

/** When a message asked for its slot, when it got the answer, and how long it then had to wait. */
export type SlotWait = { readonly askedAt: Instant; readonly answeredAt: Instant; readonly waitMs: number }

/** Whether a message is too late for its slot. */
export const isLateForSlot = (now: Instant, { askedAt, answeredAt, waitMs }: SlotWait): boolean =>
  now - answeredAt - waitMs > MAX_LATE_MS.wait || now - askedAt - waitMs > MAX_LATE_MS.total
