import { MINUTE_MS, type Clock } from './time.js'

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

/** A queue of limited length in which the items of those come first who asked least of late, so that a flood waits behind everyone else. */
export type QuietFirst<Item> = {
  readonly size: () => number
  /** Adds an item of a caller. Answers the item for which there is no room: the last one of the caller who asked most, which may be the new one. */
  readonly push: (caller: string, item: Item) => Item | undefined
  /** Takes the oldest item of the caller who asked least; nothing where that one asked more than `most`. */
  readonly shift: (most?: number) => Item | undefined
  /** Takes an item out of the queue in which it waits. */
  readonly remove: (item: Item) => void
}

/**
 * Makes an empty queue for so many items.
 *
 * A queue in which callers take turns would not do against many of them: one who comes then waits for a turn of each. Here who asks for the first time in a while
 * comes before all who ask again and again, however many they are, and before what they asked first, too.
 */
export const makeQuietFirst = <Item>(capacity: number, { asked: askedBy }: Pick<Callers, 'asked'>): QuietFirst<Item> => {
  /** In the order in which they came. */
  const waiting: Array<{ readonly caller: string; readonly item: Item }> = []

  /** Where the item waits that comes before all others by a comparison of how much their callers asked. */
  const find = (isBefore: (asked: number, than: number) => boolean, most = Infinity): number => {
    let [found, best] = [-1, 0]
    for (const [index, asked] of askedBy(waiting.map(({ caller }) => caller)).entries()) {
      if (asked <= most && (found === -1 || isBefore(asked, best))) [found, best] = [index, asked]
    }
    return found
  }
  const taken = (index: number): Item | undefined => (index === -1 ? undefined : waiting.splice(index, 1)[0]?.item)

  return {
    size: () => waiting.length,
    push: (caller, item) => {
      waiting.push({ caller, item })
      return waiting.length > capacity ? taken(find((asked, than) => asked >= than)) : undefined
    },
    shift: (most) => taken(find((asked, than) => asked < than, most)),
    remove: (item) => {
      taken(waiting.findIndex((other) => other.item === item))
    },
  }
}
