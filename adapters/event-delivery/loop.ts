/** Passes that run one at a time, again and again. */
export type Loop = {
  readonly start: () => void
  /** Has a pass begin at once, or right after the one that is under way. */
  readonly wake: () => void
  /** Begins no more passes, and waits for the one that is under way. */
  readonly stop: () => Promise<void>
}

/** The shortest time from the end of a pass to the next, in milliseconds: what wakes a loop many times within it wakes it once. */
const SHORTEST_PAUSE_MS = 20

/** The pause after a pass that rejected, in milliseconds. */
const REST_MS = 1_000

/** Makes a loop. A pass gives the pause to the next one, in milliseconds; `onFailure` gets what it rejects with. */
export const makeLoop = (pass: () => Promise<number>, onFailure: (error: unknown) => void): Loop => {
  let state: 'new' | 'waiting' | 'passing' | 'stopped' = 'new'
  let isWoken = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const begin = (): void => {
    state = 'passing'
    isWoken = false
    running = pass().catch((error: unknown) => {
      onFailure(error)
      return REST_MS
    }).then((pauseMs) => {
      if (state === 'stopped') return
      state = 'waiting'
      wait(isWoken ? SHORTEST_PAUSE_MS : Math.max(SHORTEST_PAUSE_MS, pauseMs))
    })
  }

  const wait = (pauseMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(begin, pauseMs)
  }

  return {
    start: () => {
      if (state === 'new') begin()
    },
    wake: () => {
      if (isWoken) return
      isWoken = true
      if (state === 'waiting') wait(SHORTEST_PAUSE_MS)
    },
    stop: () => {
      state = 'stopped'
      clearTimeout(timer)
      return running
    },
  }
}
