/** Notes results in groups, in the order of their numbers. */
export type GroupedNotes<Result> = {
  /** Takes the result with a number; the first is 0. It is noted soon, once all results with lower numbers are there. */
  readonly add: (number: number, result: Result) => void
  /** Waits until few results are left that are not noted. */
  readonly untilFew: () => Promise<void>
  /** Notes what is left, except results after a missing one. */
  readonly finish: () => Promise<void>
}

/** So many results are noted at once, without waiting for more. */
const FULL_GROUP = 32

/** The longest that a result waits for others, in milliseconds. */
const GROUP_MS = 50

/** `note` gets results that follow each other; it is called one at a time and never rejects. */
export const makeGroupedNotes = <Result>(note: (results: ReadonlyArray<Result>) => Promise<void>): GroupedNotes<Result> => {
  const results = new Map<number, Result>()
  let [ready, noted] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  let noting = Promise.resolve()

  const takeReady = (): ReadonlyArray<Result> => {
    const group: Result[] = []
    for (; noted < ready; noted += 1) {
      const result = results.get(noted)
      if (result !== undefined) group.push(result)
      results.delete(noted)
    }
    return group
  }

  const noteReady = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    noting = noting.then(async () => {
      const group = takeReady()
      if (group.length > 0) await note(group)
    })
    return noting
  }

  return {
    add: (number, result) => {
      results.set(number, result)
      while (results.has(ready)) ready += 1
      if (ready - noted === FULL_GROUP) void noteReady()
      else timer ??= setTimeout(() => { void noteReady() }, GROUP_MS)
    },
    untilFew: () => (ready - noted < FULL_GROUP ? Promise.resolve() : noteReady()),
    finish: noteReady,
  }
}
