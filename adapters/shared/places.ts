/** Places for tasks, of which so many run at once; the others wait in the order in which they came. */
export type Places = {
  /** How many tasks could begin at once. */
  readonly free: () => number
  readonly waiting: () => number
  /** Runs a task once it has a place. While it waits, the function that `mayLeave` gets takes it out of the queue and rejects with the reason given. */
  readonly run: <Result>(task: () => Promise<Result>, mayLeave?: (leave: (why: Error) => void) => void) => Promise<Result>
}

/** Makes so many places. */
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
      // A task that ends hands its place over to one that waits, so none is overtaken.
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
