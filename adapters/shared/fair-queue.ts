/**
 * The caller for which an item waits: a key, or a key and its sub-keys, such as a workspace and one of its endpoints. All keys of a queue have the same length. Their
 * first parts are served in turn, then the second parts under each of them.
 */
export type QueueKey = readonly [string, ...ReadonlyArray<string>]

/** A bounded queue whose keys are served in turn, so that a key with many items does not delay the others. */
export type FairQueue<Item> = {
  readonly size: () => number
  /**
   * Adds an item. If there is no room, it returns the item to drop: the last one of the key with the most items, or the new item if no other key has more items than
   * the key of the new item would have.
   */
  readonly push: (key: QueueKey, item: Item) => Item | undefined
  /**
   * Takes the oldest item of the next key. With `may`, it takes from the first key, in the order of turns, whose oldest item may be taken; the keys that are passed
   * over keep their turns.
   */
  readonly shift: (may?: (item: Item) => boolean) => Item | undefined
  /** Removes a waiting item from the queue. */
  readonly remove: (key: QueueKey, item: Item) => void
}

/** The items that wait for a key, or the nodes of its sub-keys in the order of their turns. */
type Node<Item> = {
  readonly part: string
  size: number
  readonly items: Item[]
  readonly under: Map<string, Node<Item>>
  readonly turns: Array<Node<Item>>
}

/** Creates an empty queue that holds at most this many items. */
export const makeFairQueue = <Item>(capacity: number): FairQueue<Item> => {
  const root = newNode<Item>('')
  return {
    size: () => root.size,
    push: (key, item) => {
      const longest = root.size >= capacity ? longerThan(root, key) : []
      if (longest === undefined) return item
      const dropped = longest.at(-1)?.items.pop()
      shrink(longest)
      add(root, key, item)
      return dropped
    },
    shift: (may = () => true) => takeNext(root, may),
    remove: (key, item) => {
      const path = pathTo(root, key)
      const items = path?.at(-1)?.items ?? []
      const at = items.indexOf(item)
      if (path === undefined || at === -1) return
      items.splice(at, 1)
      shrink(path)
    },
  }
}

const newNode = <Item>(part: string): Node<Item> => ({ part, size: 0, items: [], under: new Map(), turns: [] })

const add = <Item>(root: Node<Item>, key: QueueKey, item: Item): void => {
  let node = root
  node.size += 1
  for (const part of key) {
    const next = node.under.get(part) ?? newNode<Item>(part)
    if (next.size === 0) {
      node.under.set(part, next)
      node.turns.push(next)
    }
    node = next
    node.size += 1
  }
  node.items.push(item)
}

/** Subtracts one item from each node of a path, and removes the nodes without items. */
const shrink = <Item>(path: ReadonlyArray<Node<Item>>): void => {
  for (const [depth, node] of path.entries()) {
    node.size -= 1
    const above = path[depth - 1]
    if (node.size > 0 || above === undefined) continue
    above.under.delete(node.part)
    above.turns.splice(above.turns.indexOf(node), 1)
  }
}

const takeNext = <Item>(node: Node<Item>, may: (item: Item) => boolean): Item | undefined => {
  const [first] = node.items
  if (first !== undefined) {
    if (!may(first)) return undefined
    node.size -= 1
    return node.items.shift()
  }
  for (const [at, next] of node.turns.entries()) {
    const item = takeNext(next, may)
    if (item === undefined) continue
    node.size -= 1
    node.turns.splice(at, 1)
    if (next.size > 0) node.turns.push(next)
    else node.under.delete(next.part)
    return item
  }
  return undefined
}

/** The nodes from the root to a key. */
const pathTo = <Item>(root: Node<Item>, key: QueueKey): ReadonlyArray<Node<Item>> | undefined => {
  const path = [root]
  for (const part of key) {
    const next = path.at(-1)?.under.get(part)
    if (next === undefined) return undefined
    path.push(next)
  }
  return path
}

/** The path to the key with the most items, if it has more items than another key would have with one more. The parts of keys are compared one after the other. */
const longerThan = <Item>(root: Node<Item>, key: QueueKey): ReadonlyArray<Node<Item>> | undefined => {
  const path = [root]
  for (const part of key) {
    const node = path.at(-1) ?? root
    const [own, longest] = [node.under.get(part), longestUnder(node)]
    if (longest !== undefined && longest.size > (own?.size ?? 0) + 1) return [...path, ...pathToLongest(longest)]
    if (own === undefined) return undefined
    path.push(own)
  }
  return undefined
}

const pathToLongest = <Item>(from: Node<Item>): ReadonlyArray<Node<Item>> => {
  const path = [from]
  for (let next = longestUnder(from); next !== undefined; next = longestUnder(next)) path.push(next)
  return path
}

/** If several keys have the same number of items, the key that arrived last. */
const longestUnder = <Item>({ under }: Node<Item>): Node<Item> | undefined => {
  let longest: Node<Item> | undefined
  for (const node of under.values()) if (node.size >= (longest?.size ?? 0)) longest = node
  return longest
}
