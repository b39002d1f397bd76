import { setTimeout as delay } from 'node:timers/promises'
import { SECOND_MS } from '../../core/kernel/time.js'

/** Passes that run one at a time, again and again. */
export type Loop = {
  /** Begins the first pass. */
  readonly start: () => void
  /** Has the next pass begin within so many milliseconds, or soon; never later than it would. */
  readonly wake: (withinMs?: number) => void
  /** Begins no more passes. Waits for the one that is under way, or so many milliseconds. */
  readonly stop: (limitMs?: number) => Promise<void>
}

/** How a loop runs. */
export type LoopOptions = {
  /** One pass. Its answer is the pause after it, in milliseconds, where that is not the usual one. */
  readonly pass: () => Promise<number | undefined>
  /** The usual pause, also after a pass that rejected, in milliseconds; a second by default. */
  readonly everyMs?: number
  /** Takes what a pass rejected with; the next pass begins all the same. */
  readonly onFailure: (error: unknown) => void
}

/** The shortest time from the end of a pass to the next, in milliseconds: what wakes a loop many times within it wakes it once. */
const SHORTEST_PAUSE_MS = 20

/** Makes a loop that does nothing before it is started. */
export const makeLoop = ({ pass, everyMs = SECOND_MS, onFailure }: LoopOptions): Loop => {
  let state: 'new' | 'waiting' | 'passing' | 'stopped' = 'new'
  let nextAt = Infinity
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const begin = (): void => {
    state = 'passing'
    nextAt = Infinity
    running = pass().catch(onFailure).then((pauseMs) => {
      if (state === 'stopped') return
      state = 'waiting'
      const endedAt = performance.now()
      wait(Math.max(endedAt + SHORTEST_PAUSE_MS, Math.min(nextAt, endedAt + (pauseMs ?? everyMs))))
    })
  }

  const wait = (until: number): void => {
    nextAt = until
    clearTimeout(timer)
    timer = setTimeout(begin, Math.max(0, until - performance.now()))
  }

  return {
    start: () => {
      if (state === 'new') begin()
    },
    wake: (withinMs = SHORTEST_PAUSE_MS) => {
      const at = performance.now() + withinMs
      if (at >= nextAt) return
      if (state === 'waiting') wait(at)
      else nextAt = at
    },
    stop: (limitMs) => {
      state = 'stopped'
      clearTimeout(timer)
      return limitMs === undefined ? running : endOrLimit(running, limitMs)
    },
  }
}

/** Waits until work has ended, or so many milliseconds. */
export const endOrLimit = async (work: Promise<unknown>, limitMs: number): Promise<void> => {
  const cancel = new AbortController()
  await Promise.race([work, delay(limitMs, undefined, { signal: cancel.signal }).catch(() => undefined)])
  cancel.abort()
}
