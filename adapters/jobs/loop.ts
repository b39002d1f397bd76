import { setTimeout as delay } from 'node:timers/promises'
import { SECOND_MS } from '../../core/kernel/time.js'

/** Passes that run one at a time, repeatedly. */
export type Loop = {
  /** Starts the first pass. */
  readonly start: () => void
  /** Starts the next pass within this many milliseconds, or soon by default; never later than planned. */
  readonly wake: (withinMs?: number) => void
  /** Starts no more passes. Waits for the pass in progress, but at most this many milliseconds. */
  readonly stop: (limitMs?: number) => Promise<void>
}

/** How a loop runs. */
export type LoopOptions = {
  /** One pass. It resolves to the pause after it, in milliseconds, if that differs from the usual pause. */
  readonly pass: () => Promise<number | undefined>
  /** The usual pause, which also follows a pass that rejected, in milliseconds; a second by default. */
  readonly everyMs?: number
  /** Gets the error of a pass that rejected; the next pass starts anyway. */
  readonly onFailure: (error: unknown) => void
}

/** The shortest time from the end of a pass to the next, in milliseconds. Several wake-ups within it start one pass. */
const SHORTEST_PAUSE_MS = 20

/** Creates a loop that does nothing before it is started. */
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

/** Waits until the work has ended, but at most this many milliseconds. */
export const endOrLimit = async (work: Promise<unknown>, limitMs: number): Promise<void> => {
  const cancel = new AbortController()
  await Promise.race([work, delay(limitMs, undefined, { signal: cancel.signal }).catch(() => undefined)])
  cancel.abort()
}
