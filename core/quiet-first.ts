import { MINUTE_MS, type Clock } from './time.js'

/** A queue of limited length in which the items of those come first who asked least of late, so that a flood waits behind everyone else. */
export type QuietFirst<Item> = {
  readonly size: () => number
  /** Notes that a caller asks; gives how much it asked of late before, which is the place of its item: the smaller, the nearer to the front. */
  readonly heard: (caller: string) => number
  /** Takes back that a caller has asked, as where it turned out to be no stranger. */
  readonly forgive: (caller: string) => void
  /** Adds an item at its place, behind those with the same one. Answers the item for which there is no room: the last one, which may be the new one. */
  readonly push: (place: number, item: Item) => Item | undefined
  /** Takes the item at the front. */
  readonly shift: () => Item | undefined
  /** Takes an item out of the queue in which it waits. */
  readonly remove: (item: Item) => void
}

/** What such a queue is made of. */
export type QuietFirstOptions = {
  readonly capacity: number
  readonly now: Clock
  /** How many callers are remembered; 20,000 by default. Those who asked longest ago are forgotten first, and are then quiet again. */
  readonly callers?: number
}

const CALLERS = 20_000

/** After so long half of what a caller asked is forgotten: what counts is how often it asks now, and a slip of the fingers does not last. */
const HALF_LIFE_MS = 2 * MINUTE_MS

/**
 * Makes an empty queue.
 *
 * A queue in which callers take turns would not do against many of them: one who comes then waits for a turn of each. Who asks for the first time in a while is
 * before all who ask again and again here, however many they are.
 */
export const makeQuietFirst = <Item>({ capacity, now, callers: most = CALLERS }: QuietFirstOptions): QuietFirst<Item> => {
  /** The callers in the order in which they last asked. */
  const callers = new Map<string, { readonly asked: number; readonly at: number }>()
  const waiting: Array<{ readonly place: number; readonly item: Item }> = []

  const askedBy = (caller: string, at: number): number => {
    const known = callers.get(caller)
    return known === undefined ? 0 : known.asked * 2 ** ((known.at - at) / HALF_LIFE_MS)
  }

  const remember = (caller: string, asked: number, at: number): void => {
    callers.delete(caller)
    callers.set(caller, { asked, at })
    const [oldest] = callers.keys()
    if (callers.size > most && oldest !== undefined) callers.delete(oldest)
  }

  return {
    size: () => waiting.length,
    heard: (caller) => {
      const at = now()
      const asked = askedBy(caller, at)
      remember(caller, asked + 1, at)
      return asked
    },
    forgive: (caller) => {
      const at = now()
      const asked = askedBy(caller, at) - 1
      if (asked > 0) remember(caller, asked, at)
      else callers.delete(caller)
    },
    push: (place, item) => {
      const behind = waiting.findIndex((other) => other.place > place)
      waiting.splice(behind === -1 ? waiting.length : behind, 0, { place, item })
      return waiting.length > capacity ? waiting.pop()?.item : undefined
    },
    shift: () => waiting.shift()?.item,
    remove: (item) => {
      const at = waiting.findIndex((other) => other.item === item)
      if (at !== -1) waiting.splice(at, 1)
    },
  }
}
