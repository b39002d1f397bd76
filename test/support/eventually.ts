import { setTimeout as delay } from 'node:timers/promises'

const PATIENCE_MS = 10_000

/** Asks again and again until the answer is not `undefined`; rejects, naming what was waited for, when patience runs out. */
export const eventually = async <A>(what: string, ask: () => Promise<A | undefined> | A | undefined, patienceMs: number = PATIENCE_MS): Promise<A> => {
  const lastTry = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > lastTry) throw new Error(`${what} did not happen within ${patienceMs} ms`)
    await delay(10)
  }
}
