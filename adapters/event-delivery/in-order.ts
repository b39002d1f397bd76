/** How items are processed. */
export type InOrderOptions<Item> = {
  /** Items with the same subject are processed strictly one after the other. */
  readonly subjectOf: (item: Item) => string
  /** How many items are processed concurrently; with 1 all are processed in their order. */
  readonly atOnce: number
  /** Called before each item; once it returns `false`, no further item is started. */
  readonly goesOn: () => boolean
}

/** Processes items in their order, several concurrently. Resolves once no item is in progress and none is left or may start. */
export const workInOrder = <Item>(
  items: ReadonlyArray<Item>, { subjectOf, atOnce, goesOn }: InOrderOptions<Item>, work: (item: Item, index: number) => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let waiting = items.map((item, index) => ({ item, index, subject: subjectOf(item) }))
    const busy = new Set<string>()

    const beginNext = (): void => {
      const held = new Set(busy)
      waiting = waiting.filter(({ item, index, subject }) => {
        if (busy.size >= atOnce || held.has(subject) || !goesOn()) {
          // Later items of this subject must not overtake it.
          held.add(subject)
          return true
        }
        busy.add(subject)
        held.add(subject)
        work(item, index).then(() => {
          busy.delete(subject)
          beginNext()
        }, reject)
        return false
      })
      if (busy.size === 0) resolve()
    }
    beginNext()
  })
