/** Slots for a limited number of concurrent tasks; the other tasks wait in the order of arrival. */
export type Places = {
  /** How many tasks could start now. */
  readonly free: () => number
  readonly waiting: () => number
  /** Runs a task once it has a slot. While the task waits, the function that `mayLeave` gets removes it from the queue and rejects with the given reason. */
  readonly run: <Result>(task: () => Promise<Result>, mayLeave?: (leave: (why: Error) => void) => void) => Promise<Result>
}

/** Creates this many slots. */
export const makePlaces = (places: number): Places => {
  const waiting = new Set<() => void>()
  let free = places

  const place = (mayLeave: ((leave: (why: Error) => void) => void) | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add(resolve)
      mayLeave?.((why) => { if (waiting.delete(resolve)) reject(why) })
    })

  return {
    free: () => free,
    waiting: () => waiting.size,
    run: async (task, mayLeave) => {
      // A task that ends passes its slot on to a waiting task, so no task is overtaken.
      if (free === 0) await place(mayLeave)
      else free -= 1
      try {
        return await task()
      } finally {
        const [next] = waiting
        if (next === undefined) free += 1
        else {
          waiting.delete(next)
          next()
        }
      }
    },
  }
}
