import { type Clock, MINUTE_MS, SECOND_MS } from './time.js'

/** Places that keys share, such as the connections that workspaces share. It counts; who takes a place asks before whether the key may. */
export type FairShares<Key> = {
  /** How many places no key has; fewer than none where more were taken than there are. */
  readonly free: () => number
  /** How many places a key has. */
  readonly heldBy: (key: Key) => number
  /** Whether a key may take one more place now. */
  readonly mayTake: (key: Key) => boolean
  /** The keys that have places and may take no more. */
  readonly atShare: () => ReadonlyArray<Key>
  readonly take: (key: Key) => void
  readonly giveBack: (key: Key) => void
}

/**
 * A key may have so many places for each one that is free, the last one aside, which is for a key that has none.
 *
 * What is taken cannot be taken back, so some places must be free when another key comes, however many there will be; a share that follows what is free needs
 * no knowledge of them. Of 512 places a key that is alone gets 409. A second one then gets 82 at once, a third 16, a fourth 4, a fifth the last. As places come
 * back, which the first cannot take, k keys that all want more meet at 4 / (4k + 1) of the places each. With a higher number too little would be left for those that
 * come before the first has given any back; with a lower one too much would stay unused while a key is alone.
 */
export const FOR_EACH_FREE = 4

/** Makes the shares of so many places, all of them free. */
export const makeFairShares = <Key>(places: number): FairShares<Key> => {
  const held = new Map<Key, number>()
  let free = places

  const heldBy = (key: Key): number => held.get(key) ?? 0
  const allows = (count: number): boolean => free > 0 && (count === 0 || count < FOR_EACH_FREE * (free - 1))
  const change = (key: Key, by: number): void => {
    const count = heldBy(key) + by
    if (count === 0) held.delete(key)
    else held.set(key, count)
    free -= by
  }

  return {
    free: () => free,
    heldBy,
    mayTake: (key) => allows(heldBy(key)),
    atShare: () => [...held].flatMap(([key, count]) => (allows(count) ? [] : [key])),
    take: (key) => change(key, 1),
    giveBack: (key) => change(key, -1),
  }
}

/** What has a place while its bytes arrive, such as an upload, and can lose the place to another. */
export type Yielding<Key> = {
  readonly key: Key
  /** How many bytes a second have arrived on average; `undefined` while it is too young to be judged. */
  readonly bytesPerSecond: () => number | undefined
  /** Ends it, because another one gets its place. */
  readonly yieldPlace: () => void
}

/** What is slower may have to end even if its key has no other place. */
export const SLOW_BYTES_PER_SECOND = 64 * 1024

/**
 * Which one ends so that a key without any place gets one, if none is free: the slowest of the key that has the most places. If no key has two, the slowest of all
 * ends, but only if it is slower than `SLOW_BYTES_PER_SECOND`. Of those that are too young to be judged, the youngest ends.
 *
 * A share that follows what is free does not do alone: four keys that act together come to have every place, and can keep them for as long as the slowest upload may take.
 */
export const whoYields = <Key, Holder extends Yielding<Key>>(holders: Iterable<Holder>): Holder | undefined => {
  const all = [...holders]
  const counts = new Map<Key, number>()
  for (const { key } of all) counts.set(key, (counts.get(key) ?? 0) + 1)
  const most = Math.max(0, ...counts.values())
  let slowest: { readonly holder: Holder; readonly rate: number } | undefined
  for (const holder of all) {
    const rate = holder.bytesPerSecond() ?? Infinity
    if (counts.get(holder.key) !== most || rate > (slowest?.rate ?? Infinity)) continue
    slowest = { holder, rate }
  }
  return slowest !== undefined && (most > 1 || slowest.rate < SLOW_BYTES_PER_SECOND) ? slowest.holder : undefined
}

/** The average rate of bytes that arrive. */
export type Pace = { readonly add: (bytes: number) => void; readonly bytesPerSecond: () => number | undefined }

const JUDGED_AFTER_MS = 10 * SECOND_MS

/** Measures a rate, which is known after ten seconds. */
export const makePace = (now: Clock): Pace => {
  const startedAt = now()
  let bytes = 0
  return {
    add: (more) => { bytes += more },
    bytesPerSecond: () => {
      const elapsedMs = now() - startedAt
      return elapsedMs < JUDGED_AFTER_MS ? undefined : (bytes * SECOND_MS) / elapsedMs
    },
  }
}

/**
 * For whom an item waits: a key, or a key and those under it, such as a workspace and one of its endpoints. The keys of a queue are all of the same length, and their
 * first parts take turns, then the second parts under each of them.
 */
export type QueueKey = readonly [string, ...ReadonlyArray<string>]

/** A queue of limited length whose keys take turns, so that a key with many items does not delay the others. */
export type FairQueue<Item> = {
  readonly size: () => number
  /**
   * Adds an item. Answers the item for which there is no room: the last one of the key with the most items, or the new one where
   * no key has more items than its own would.
   */
  readonly push: (key: QueueKey, item: Item) => Item | undefined
  /**
   * Takes the oldest item of the key whose turn it is. With `may`, of the first key in the order of turns whose oldest item may be taken; those that are passed over
   * keep their turns.
   */
  readonly shift: (may?: (item: Item) => boolean) => Item | undefined
  /** Takes an item out of the queue in which it waits. */
  readonly remove: (key: QueueKey, item: Item) => void
}

/** The items that wait for a key, or those for the keys under it in the order of their turns. */
type Node<Item> = { readonly part: string; size: number; readonly items: Item[]; readonly under: Map<string, Node<Item>>; readonly turns: Array<Node<Item>> }

/** Makes an empty queue that holds so many items at most. */
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

/** Counts one item less on a path, and forgets the nodes that have none. */
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

/** The path to the longest key, where it has more items than another key would have with one more; the parts of keys are compared one after the other. */
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

/** Of keys that are as long, the one that came last. */
const longestUnder = <Item>({ under }: Node<Item>): Node<Item> | undefined => {
  let longest: Node<Item> | undefined
  for (const node of under.values()) if (node.size >= (longest?.size ?? 0)) longest = node
  return longest
}

/** How much callers asked of late. */
export type Callers = {
  /** Notes that a caller asks. */
  readonly heard: (caller: string) => void
  /** Takes back that a caller has asked, as where it turned out to be no stranger. */
  readonly forgive: (caller: string) => void
  /** How much each of some callers asked of late, at one moment: 1 for a first time. */
  readonly asked: (callers: ReadonlyArray<string>) => ReadonlyArray<number>
}

/** How many callers are remembered. */
const CALLERS = 50_000

/** After so long half of what a caller asked is forgotten: what counts is how often it asks now, and a slip of the fingers does not last. */
const HALF_LIFE_MS = 2 * MINUTE_MS

/**
 * What is asked again within half a minute counts for so little that who is refused may try again: else a person who does would soon come behind ten thousand others who
 * each ask every ten seconds, for hours.
 */
const AGAIN_MS = MINUTE_MS / 2
const AGAIN = 0.05

/** Remembers so many callers; those who asked longest ago are forgotten first, and have then not asked. */
export const makeCallers = (now: Clock, most = CALLERS): Callers => {
  /** In the order in which they last asked. */
  const callers = new Map<string, { readonly asked: number; readonly at: number; readonly isAgainUntil: number }>()

  const askedAt = (caller: string, at: number): number => {
    const known = callers.get(caller)
    return known === undefined ? 0 : known.asked * 2 ** ((known.at - at) / HALF_LIFE_MS)
  }
  const remember = (caller: string, asked: number, at: number, isAgainUntil: number): void => {
    callers.delete(caller)
    callers.set(caller, { asked, at, isAgainUntil })
    const [oldest] = callers.keys()
    if (callers.size > most && oldest !== undefined) callers.delete(oldest)
  }

  return {
    asked: (some) => {
      const at = now()
      return some.map((caller) => askedAt(caller, at))
    },
    heard: (caller) => {
      const at = now()
      const { isAgainUntil } = callers.get(caller) ?? { isAgainUntil: -Infinity }
      const isAgain = at < isAgainUntil
      remember(caller, askedAt(caller, at) + (isAgain ? AGAIN : 1), at, isAgain ? isAgainUntil : at + AGAIN_MS)
    },
    forgive: (caller) => {
      const at = now()
      const asked = askedAt(caller, at) - 1
      if (asked > 0) remember(caller, asked, at, callers.get(caller)?.isAgainUntil ?? at)
      else callers.delete(caller)
    },
  }
}

/** A queue of limited length in which the items of those come first who asked least recently, so that a flood waits behind everyone else. */
export type QuietFirst<Item> = {
  readonly size: () => number
  /** Adds an item of a caller. Answers the item for which there is no room: the last one of the caller who asked most, which may be the new one, or one by lot. */
  readonly push: (caller: string, item: Item) => Item | undefined
  /** Takes the oldest item of the caller who asked least, or one by lot; nothing if every caller who waits asked more than `most`. */
  readonly shift: (most?: number) => Item | undefined
  /** Takes an item out of the queue in which it waits. */
  readonly remove: (item: Item) => void
}

/** Room for those who asked too much to wait with the others. Every second item is taken from them by lot. */
export type Lots = {
  readonly room: number
  /** A random number from 0 to below 1. */
  readonly draw: () => number
}

type Waiting<Item> = { readonly caller: string; readonly item: Item }

/**
 * Makes an empty queue for so many items.
 *
 * A queue in which callers take turns would not do against many of them: one who comes then waits for a turn of each. Here who asks for the first time in a while
 * comes before all who ask again and again, however many they are, and before what they asked first, too.
 *
 * That order alone never reaches a person who tries every few seconds while each network of a flood asks less often than she does. So an item without room goes to the
 * lots if its caller has no other item in the queue: each caller has one lot, so each try has the same chance as those of the others.
 */
export const makeQuietFirst = <Item>(capacity: number, { asked }: Pick<Callers, 'asked'>, { room, draw }: Lots = NO_LOTS): QuietFirst<Item> => {
  /** Both in the order in which they came. */
  const [quiet, lots]: [Array<Waiting<Item>>, Array<Waiting<Item>>] = [[], []]
  let isLotNext = false

  const askedBy = (waiting: ReadonlyArray<Waiting<Item>>): ReadonlyArray<number> => asked(waiting.map(({ caller }) => caller))
  const quietest = (most: number): number => extremeOf(askedBy(quiet), (one, than) => one < than, most)
  const anyLot = (most: number): number => {
    const may = askedBy(lots).flatMap((one, index) => (one <= most ? [index] : []))
    return may[Math.floor(draw() * may.length)] ?? -1
  }
  const toLots = (one: Waiting<Item>): Item | undefined => {
    if ([...quiet, ...lots].some(({ caller }) => caller === one.caller)) return one.item
    lots.push(one)
    return lots.length > room ? takenFrom(lots, Math.floor(draw() * lots.length)) : undefined
  }

  return {
    size: () => quiet.length + lots.length,
    push: (caller, item) => {
      quiet.push({ caller, item })
      if (quiet.length <= capacity) return undefined
      const [one] = quiet.splice(extremeOf(askedBy(quiet), (other, than) => other >= than), 1)
      return one && toLots(one)
    },
    shift: (most = Infinity) => {
      const [fromQuiet, fromLots] = [quietest(most), anyLot(most)]
      const isLot = fromLots !== -1 && (isLotNext || fromQuiet === -1)
      isLotNext = !isLot
      return isLot ? takenFrom(lots, fromLots) : takenFrom(quiet, fromQuiet)
    },
    remove: (item) => {
      for (const waiting of [quiet, lots]) takenFrom(waiting, waiting.findIndex((other) => other.item === item))
    },
  }
}

const NO_LOTS: Lots = { room: 0, draw: () => 0 }

/** The index of the number that comes before all others, of those that are at most `most`; -1 if there is none. */
const extremeOf = (numbers: ReadonlyArray<number>, isBefore: (one: number, than: number) => boolean, most = Infinity): number => {
  let [found, best] = [-1, 0]
  for (const [index, one] of numbers.entries()) if (one <= most && (found === -1 || isBefore(one, best))) [found, best] = [index, one]
  return found
}

const takenFrom = <Item>(waiting: Array<Waiting<Item>>, index: number): Item | undefined => (index === -1 ? undefined : waiting.splice(index, 1)[0]?.item)
