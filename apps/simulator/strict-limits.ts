/** The stricter limits of the platform, which count in other ways than token buckets. The clock gives milliseconds. */
export type StrictLimits = {
  /** Counts a message of a business number, sent or received, in the present second of the clock. Returns how many there are with it. */
  readonly countInSecond: (phoneNumberId: string) => number
  /**
   * Whether a portfolio may send to a customer outside their window: it may send to `limit` distinct customers in 24 hours. A customer counts from the first message, and again
   * after 24 hours.
   */
  readonly reach: (portfolio: string, customer: string, limit: number) => boolean
  readonly clear: () => void
}

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** Limits that nothing has used. */
export const makeStrictLimits = (now: () => number): StrictLimits => {
  const seconds = new Map<string, { readonly second: number; readonly count: number }>()
  const reached = new Map<string, Map<string, number>>()
  return {
    countInSecond: (phoneNumberId) => {
      const [second, before] = [Math.floor(now() / SECOND_MS), seconds.get(phoneNumberId)]
      const count = before?.second === second ? before.count + 1 : 1
      seconds.set(phoneNumberId, { second, count })
      return count
    },
    reach: (portfolio, customer, limit) => {
      const customers = reached.get(portfolio) ?? new Map<string, number>()
      reached.set(portfolio, customers)
      for (const [one, at] of customers) {
        // The earliest come first.
        if (now() - at < DAY_MS) break
        customers.delete(one)
      }
      if (customers.has(customer)) return true
      if (customers.size >= limit) return false
      customers.set(customer, now())
      return true
    },
    clear: () => {
      seconds.clear()
      reached.clear()
    },
  }
}
