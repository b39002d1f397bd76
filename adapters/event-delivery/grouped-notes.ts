/** Records results in groups, in the order of their numbers. */
export type GroupedNotes<Result> = {
  /** Adds the result with a number; the first is 0. It is recorded soon after all results with lower numbers were added. */
  readonly add: (number: number, result: Result) => void
  /** Waits until few results are left to record. */
  readonly untilFew: () => Promise<void>
  /** Records the remaining results, except those after a missing one. */
  readonly finish: () => Promise<void>
}

/** This many results are recorded immediately, without waiting for more. */
const FULL_GROUP = 32

/** The longest time that a result waits for others, in milliseconds. */
const GROUP_MS = 50

/** `note` gets consecutive results; it is called one at a time and never rejects. */
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
