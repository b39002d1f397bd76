/** How many works run at once, and how many may wait for their turn. */
export type SlotsOptions = { readonly atOnce: number; readonly waiting: number }

/** Runs works in their order, a few at once; rejects a work for which there is no room to wait. */
export const makeSlots = ({ atOnce, waiting }: SlotsOptions) => {
  const queue: Array<() => void> = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running += 1
    else {
      if (queue.length >= waiting) throw new Error('too many passwords are waiting to be computed')
      // A call that finishes hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => { queue.push(resolve) })
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
