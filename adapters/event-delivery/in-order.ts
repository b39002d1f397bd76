/** How items are worked on. */
export type InOrderOptions<Item> = {
  /** Items with the same subject are worked on strictly one after the other. */
  readonly subjectOf: (item: Item) => string
  /** How many items are worked on at once; with 1 all are worked on in their order. */
  readonly atOnce: number
  /** Asked before each item; once it answers `false`, no further item is begun. */
  readonly goesOn: () => boolean
}

/** Works on items in their order, several at once. Resolves once no item is worked on and none is left or may begin. */
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
          // What follows of this subject must not overtake it.
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
