import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** Slots that keys share, such as the connections that workspaces share. It only counts; the caller checks whether the key may take a slot before it takes one. */
export type FairShares<Key> = {
  /** The number of free slots. It is negative if more slots were taken than exist. */
  readonly free: () => number
  /** How many slots a key holds. */
  readonly heldBy: (key: Key) => number
  /** Whether a key may take another slot now. */
  readonly mayTake: (key: Key) => boolean
  /** The keys that hold slots and may take no more. */
  readonly atShare: () => ReadonlyArray<Key>
  readonly take: (key: Key) => void
  readonly giveBack: (key: Key) => void
}

/**
 * A key may hold this many slots for each free slot, not counting the last free slot, which is reserved for a key that holds none.
 *
 * A slot cannot be revoked, so some slots must be free when another key arrives, however many keys there will be. A share based on the free slots does not depend on
 * the number of keys. Of 512 slots a key that is alone gets 409. A second key then gets 82 immediately, a third 16, a fourth 4, a fifth the last. As slots are
 * released, which the first key cannot take, k keys that all want more converge to 4 / (4k + 1) of the slots each. A higher number would leave too few slots for keys
 * that arrive before the first has released any; a lower number would leave too many slots unused while a key is alone.
 */
export const FOR_EACH_FREE = 4

/** Creates the shares of this many slots, all of them free. */
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

/** A task that holds a slot while its bytes arrive, such as an upload, and can lose the slot to another task. */
export type Yielding<Key> = {
  readonly key: Key
  /** How many bytes a second have arrived on average; `undefined` while it is too early to judge. */
  readonly bytesPerSecond: () => number | undefined
  /** Ends it, because another task gets its slot. */
  readonly yieldPlace: () => void
}

/** A slower task may have to end even if its key holds no other slot. */
export const SLOW_BYTES_PER_SECOND = 64 * 1024

/**
 * Chooses the task that ends so that a key without a slot gets one, if none is free: the slowest task of the key with the most slots. If no key has two, the slowest of
 * all ends, but only if it is slower than `SLOW_BYTES_PER_SECOND`. Among tasks that are too young to be judged, the youngest ends.
 *
 * A share based on the free slots is not enough: four keys that act together can take every slot, and keep the slots for as long as the slowest upload may take.
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

/** The average rate of arriving bytes. */
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
