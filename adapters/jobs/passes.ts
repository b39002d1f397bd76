/** Passes over waiting work. They run one at a time, each after a pause, and only while work waits. Their timer keeps no process alive. */
export type Passes = {
  /** Plans the next pass if work waits and none is planned or running. */
  readonly schedule: () => void
  /** Starts no more passes, and waits for the pass in progress. */
  readonly stop: () => Promise<void>
}

/** How passes run. `pauseMs` returns the pause before the next pass, in milliseconds. */
export type PassesOptions = { readonly isWaiting: () => boolean; readonly pass: () => Promise<void>; readonly pauseMs: () => number }

/** Creates passes; none runs before the first call of `schedule`. */
export const makePasses = ({ isWaiting, pass, pauseMs }: PassesOptions): Passes => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  const schedule = (): void => {
    if (timer !== undefined || running !== undefined || isStopped || !isWaiting()) return
    timer = setTimeout(() => {
      timer = undefined
      running = pass().finally(() => {
        running = undefined
        schedule()
      })
    }, pauseMs()).unref()
  }

  return {
    schedule,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
