import { type Clock, MINUTE_MS } from '../../core/kernel/time.js'

/** How much callers have asked recently. */
export type Callers = {
  /** Notes that a caller asks. */
  readonly heard: (caller: string) => void
  /** Takes back that a caller has asked, as where it turned out to be no stranger. */
  readonly forgive: (caller: string) => void
  /** How much each of some callers have asked recently, at one moment: 1 for a first time. */
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
