/** Lets so many tasks run at once; others wait for their turn. */
export type Turns = {
  /** Runs a task in its turn. It rejects where `signal` is aborted before, and the task does not run then. */
  readonly take: <Result>(signal: AbortSignal, task: () => Promise<Result>) => Promise<Result>
}

/** Makes turns for so many tasks at once. */
export const makeTurns = (places: number): Turns => {
  const waiting = new Set<() => void>()
  let running = 0

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting.delete(begin)
        reject(new Error('aborted before its turn'))
      }
      signal.addEventListener('abort', leave)
      waiting.add(begin)
    })

  return {
    take: async (signal, task) => {
      if (signal.aborted) throw new Error('aborted before its turn')
      // A task that ends passes its place on to one that waits.
      if (running >= places) await turn(signal)
      else running += 1
      try {
        return await task()
      } finally {
        const [next] = waiting
        if (next === undefined) running -= 1
        else {
          waiting.delete(next)
          next()
        }
      }
    },
  }
}
