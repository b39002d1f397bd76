/** A queue of limited length whose keys take turns, so that a key with many items does not delay the others. */
export type FairQueue<Key, Item> = {
  readonly size: () => number
  /**
   * Adds an item. Answers the item for which there is no room: the last one of the key with the most items, or the new one where
   * no key has more items than its own would.
   */
  readonly push: (key: Key, item: Item) => Item | undefined
  /** Takes the oldest item of the key whose turn it is. */
  readonly shift: () => Item | undefined
  /** Takes an item out of the queue in which it waits. */
  readonly remove: (key: Key, item: Item) => void
}

/** Makes an empty queue that holds so many items at most. */
export const makeFairQueue = <Key, Item>(capacity: number): FairQueue<Key, Item> => {
  const itemsOf = new Map<Key, Item[]>()
  /** Keys in the order of their turns; one whose items were all removed meanwhile is skipped at its turn. */
  const turns: Key[] = []
  let size = 0

  const add = (key: Key, item: Item): void => {
    const items = itemsOf.get(key)
    if (items === undefined) {
      itemsOf.set(key, [item])
      turns.push(key)
    } else {
      items.push(item)
    }
    size += 1
  }

  const longest = (): Item[] => {
    let most: Item[] = []
    for (const items of itemsOf.values()) if (items.length > most.length) most = items
    return most
  }

  return {
    size: () => size,
    push: (key, item) => {
      const isFull = size >= capacity
      const most = isFull ? longest() : []
      if (isFull && most.length <= (itemsOf.get(key)?.length ?? 0) + 1) return item
      const dropped = most.pop()
      size -= dropped === undefined ? 0 : 1
      add(key, item)
      return dropped
    },
    shift: () => {
      for (let key = turns.shift(); key !== undefined; key = turns.shift()) {
        const items = itemsOf.get(key)
        const item = items?.shift()
        if (items === undefined || items.length === 0) itemsOf.delete(key)
        else turns.push(key)
        if (item === undefined) continue
        size -= 1
        return item
      }
      return undefined
    },
    remove: (key, item) => {
      const items = itemsOf.get(key)
      const at = items?.indexOf(item) ?? -1
      if (items === undefined || at === -1) return
      items.splice(at, 1)
      size -= 1
    },
  }
}
