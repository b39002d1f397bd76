import { setTimeout as delay } from 'node:timers/promises'

const PATIENCE_MS = 10_000

/** Asks again and again until the answer is not `undefined`; rejects, naming what was waited for, when patience runs out. */
export const eventually = async <A>(what: string, ask: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  const lastTry = Date.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > lastTry) throw new Error(`${what} did not happen within ${PATIENCE_MS} ms`)
    await delay(10)
  }
}
