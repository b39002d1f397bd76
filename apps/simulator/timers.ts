/** Timers that can all be stopped at once, so that none is left when the simulator closes. */
export type Timers = {
  readonly after: (ms: number, act: () => void) => void
  readonly clear: () => void
}

/** A set of timers, none running. */
export const makeTimers = (): Timers => {
  const running = new Set<NodeJS.Timeout>()
  return {
    after: (ms, act) => {
      const timer = setTimeout(() => {
        running.delete(timer)
        act()
      }, ms)
      running.add(timer)
    },
    clear: () => {
      running.forEach((timer) => clearTimeout(timer))
      running.clear()
    },
  }
}
