import { setTimeout as delay } from 'node:timers/promises'

/** Work that a process does again and again, one pass at a time. */
export type RepeatedJob = {
  /** Begins the first pass. */
  readonly start: () => void
  /** Has the next pass begin within so many milliseconds. */
  readonly hasten: (withinMs: number) => void
  /** Begins no more passes. Waits for the one that is under way, or so many milliseconds. */
  readonly stop: (timeoutMs?: number) => Promise<void>
}

export type RepeatedJobOptions = {
  readonly pass: () => Promise<void>
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
  /** Takes what a pass threw; the next pass begins all the same. */
  readonly onFailure: (error: unknown) => void
}

/** Makes a job that does nothing before it is started. */
export const makeRepeatedJob = ({ pass, everyMs, onFailure }: RepeatedJobOptions): RepeatedJob => {
  let state: 'new' | 'waiting' | 'passing' | 'stopped' = 'new'
  let timer: NodeJS.Timeout | undefined
  let nextAt = Infinity
  let running = Promise.resolve()

  const begin = (): void => {
    state = 'passing'
    nextAt = Infinity
    running = pass().catch(onFailure).then(() => {
      if (state === 'stopped') return
      state = 'waiting'
      wait(Math.min(nextAt, performance.now() + everyMs))
    })
  }

  const wait = (until: number): void => {
    nextAt = until
    clearTimeout(timer)
    timer = setTimeout(begin, until - performance.now())
  }

  return {
    start: () => {
      if (state === 'new') begin()
    },
    hasten: (withinMs) => {
      const at = performance.now() + withinMs
      if (at >= nextAt) return
      if (state === 'waiting') wait(at)
      else nextAt = at
    },
    stop: async (timeoutMs) => {
      state = 'stopped'
      clearTimeout(timer)
      if (timeoutMs === undefined) return running
      const cancelled = new AbortController()
      const late = delay(timeoutMs, undefined, { signal: cancelled.signal }).catch(() => undefined)
      await Promise.race([running, late])
      cancelled.abort()
    },
  }
}
