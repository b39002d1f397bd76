/**
 * Makes a function that shares the result of `ask`: calls during a running `ask`, and within `freshMs` after it, get the same result.
 *
 * A rejection is not kept.
 */
export const shareResult = <Answer>(freshMs: number, ask: () => Promise<Answer>, now: () => number = () => performance.now()): (() => Promise<Answer>) => {
  let latest: Promise<Answer> | undefined
  let staleAt = Infinity
  return () => {
    if (latest !== undefined && now() < staleAt) return latest
    staleAt = Infinity
    latest = ask()
    latest.then(() => { staleAt = now() + freshMs }, () => { latest = undefined })
    return latest
  }
}
