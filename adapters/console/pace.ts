import { setTimeout as delay } from 'node:timers/promises'

/** Runs pieces of work one after another, in the order in which they were given. */
export type Pace = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The longest pause, in milliseconds: a piece that took long because the database was slow does not keep the others waiting for as long again. */
const LONGEST_PAUSE_MS = 1_000

/**
 * Makes a pace: after each piece of work comes a pause, so that all of them together take the given part of the time at most. Whoever gives his next piece when
 * the last one is done takes turns with the others.
 */
export const makePace = (part: number): Pace => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(async () => {
      const begun = performance.now()
      try {
        return await work()
      } finally {
        pauseMs = Math.min((performance.now() - begun) * (1 / part - 1), LONGEST_PAUSE_MS)
      }
    })
    let pauseMs = 0
    last = result.catch(() => undefined).then(() => delay(pauseMs))
    return result
  }
}

/** The same texts, each made when it is its turn. */
export async function* paced(parts: AsyncIterable<string>, pace: Pace): AsyncGenerator<string> {
  const made = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await pace(() => made.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await made.return?.()
  }
}
