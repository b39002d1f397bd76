import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

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
