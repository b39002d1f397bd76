import { type Clock, MINUTE_MS } from '../../core/kernel/time.js'

/** How many requests callers have made recently. */
export type Callers = {
  /** Records a request of a caller. */
  readonly heard: (caller: string) => void
  /** Removes the record of a request, for example if the caller turned out not to be anonymous. */
  readonly forgive: (caller: string) => void
  /** How many requests each of the given callers has made recently, at the current time: 1 for a first request. */
  readonly asked: (callers: ReadonlyArray<string>) => ReadonlyArray<number>
}

/** How many callers are remembered. */
const CALLERS = 50_000

/** After this time half of a caller's requests are forgotten: only the current rate counts, and a typing error has no lasting effect. */
const HALF_LIFE_MS = 2 * MINUTE_MS

/**
 * A request that is repeated within half a minute counts so little that a refused caller may try again. Otherwise a person who does so would soon be placed, for hours,
 * behind ten thousand callers that each send a request every ten seconds.
 */
const AGAIN_MS = MINUTE_MS / 2
const AGAIN = 0.05

/** Remembers up to this many callers. The callers whose last request is oldest are forgotten first, and then count as new. */
export const makeCallers = (now: Clock, most = CALLERS): Callers => {
  /** In the order of their last requests. */
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

/** A bounded queue that serves the callers with the fewest recent requests first, so a flood waits behind everyone else. */
export type LeastActiveQueue<Item> = {
  readonly size: () => number
  /** Adds an item of a caller. If there is no room, it returns the item to drop: the last one of the caller with the most requests, which may be the new item, or a random one. */
  readonly push: (caller: string, item: Item) => Item | undefined
  /** Takes the oldest item of the caller with the fewest requests, or a random one; nothing if every waiting caller has made more than `most` requests. */
  readonly shift: (most?: number) => Item | undefined
  /** Removes a waiting item from the queue. */
  readonly remove: (item: Item) => void
}

/** Room for items that were displaced, so that they wait with the others. Every second item is drawn from them at random. */
export type Lots = {
  readonly room: number
  /** A random number from 0 to below 1. */
  readonly draw: () => number
}

type Waiting<Item> = { readonly caller: string; readonly item: Item }

/**
 * Creates an empty queue for this many items.
 *
 * A queue that serves callers in turn does not help against many callers: a new caller would wait until each of them was served. Here the first request of a caller in
 * a while is served before the requests of all callers that repeat theirs, however many they are, including their earlier requests.
 *
 * That order alone never serves a person who tries every few seconds while each network of a flood sends fewer requests than that person. So an item without room
 * enters a draw if its caller has no other item in the queue. Each caller has one item in the draw, so each try has the same chance as the tries of the others.
 */
export const makeLeastActiveQueue = <Item>(
  capacity: number, { asked }: Pick<Callers, 'asked'>, { room, draw }: Lots = NO_LOTS,
): LeastActiveQueue<Item> => {
  /** Both in the order of arrival. */
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

/** The index of the number that precedes all others, among the numbers up to `most`; -1 if there is none. */
const extremeOf = (numbers: ReadonlyArray<number>, isBefore: (one: number, than: number) => boolean, most = Infinity): number => {
  let [found, best] = [-1, 0]
  for (const [index, one] of numbers.entries()) if (one <= most && (found === -1 || isBefore(one, best))) [found, best] = [index, one]
  return found
}

const takenFrom = <Item>(waiting: Array<Waiting<Item>>, index: number): Item | undefined =>
  index === -1 ? undefined : waiting.splice(index, 1)[0]?.item
