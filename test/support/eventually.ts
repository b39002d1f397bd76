import { setTimeout as delay } from 'node:timers/promises'

const TIME_LIMIT_MS = 10_000

/**
 * Repeats a query until its result is not `undefined`. If the result of a query that began after the time limit is `undefined`, it rejects with the name of the
 * expected event. A query that takes longer than the time limit is therefore repeated once.
 */
export const eventually = async <A>(
  what: string, ask: () => Promise<A | undefined> | A | undefined, timeLimitMs: number = TIME_LIMIT_MS,
): Promise<A> => {
  const lastTry = Date.now() + timeLimitMs
  for (;;) {
    const isLastTry = Date.now() > lastTry
    const answer = await ask()
    if (answer !== undefined) return answer
    if (isLastTry) throw new Error(`${what} did not happen within ${timeLimitMs} ms`)
    await delay(10)
  }
}

/** Waits until a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  await eventually('what the test waits for', () => holds() || undefined)
}
