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
const FOR_EACH_FREE = 4

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
