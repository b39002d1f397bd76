/** Limits how many attempts a second each endpoint gets. */
export type AttemptRate = {
  /** Reserves the next attempt of an endpoint; returns how long the attempt has to wait, in milliseconds. */
  readonly reserve: (endpoint: string) => number
}

/** Attempts that must wait are released together at the end of each interval of this length, in milliseconds. A process that wakes up for each attempt would do little else. */
const SLOT_MS = 100

/** Attempts after an idle period may use the unused rate of up to this time, in milliseconds. */
const BURST_MS = 250

const MAX_REMEMBERED = 1_000

/** Creates a limit of this many attempts a second for each endpoint. `now` is in milliseconds and never goes back. */
export const makeAttemptRate = (perSecond: number, now: () => number): AttemptRate => {
  /** When the next attempt of an endpoint is due if its attempts are spread evenly. */
  const nextAt = new Map<string, number>()

  const forgetRested = (at: number): void => {
    for (const [endpoint, next] of nextAt) if (next < at - BURST_MS) nextAt.delete(endpoint)
  }

  return {
    reserve: (endpoint) => {
      const at = now()
      if (nextAt.size > MAX_REMEMBERED) forgetRested(at)
      const due = Math.max(nextAt.get(endpoint) ?? 0, at - BURST_MS)
      nextAt.set(endpoint, due + 1_000 / perSecond)
      return due <= at ? 0 : Math.ceil((due - at) / SLOT_MS) * SLOT_MS
    },
  }
}
