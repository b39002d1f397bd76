import { FOR_EACH_FREE, whoYields, type Yielding } from './fair-shares.js'

/** How many bytes of memory the bodies of all requests may use together. Every reader of bodies uses the same budget, so that their sum is bounded. */
export type ByteBudget = {
  /** Starts a request, which holds no bytes yet. */
  readonly begin: () => TakenBytes
}

/** The bytes that one request holds. */
export type TakenBytes = {
  /**
   * Takes this many more bytes; false, and nothing is taken, if too few are free, or if the request has ended.
   *
   * `share` is the part of the budget that may be in use after this, so that anonymous requests leave memory for callers with a key. It is 1 by default.
   *
   * With `yielding` the request can lose its bytes: if an owner without such a request asks for bytes and too few are free, a request of another owner ends
   * (`whoYields`). Its bytes count as free from then on, though it still needs a short time to end.
   */
  readonly take: (bytes: number, share?: number, yielding?: Omit<Yielding<string>, 'key'>) => boolean
  /** Whether `take` would succeed now. */
  readonly canTake: (bytes: number, share?: number) => boolean
  /**
   * Names the owner for which the request takes bytes from now on, such as its workspace. All requests of one owner together keep within a fair share: they may hold
   * four bytes for each byte that stays free. An owner that holds none may take any free byte.
   */
  readonly belongTo: (owner: string) => void
  /** Releases all bytes of the request. It gets no more after that: a handler may end while its body is still read. */
  readonly end: () => void
}

/** A request that can lose its bytes. */
type Yielder = Yielding<string | undefined> & { readonly bytes: () => number }

/** Creates a budget of this many bytes. */
export const makeByteBudget = (bytes: number): ByteBudget => {
  const held = new Map<string, number>()
  const yielders = new Set<Yielder>()
  let taken = 0

  const heldBy = (owner: string | undefined): number => (owner === undefined ? 0 : held.get(owner) ?? 0)
  const hold = (owner: string | undefined, more: number): void => {
    if (owner === undefined) return
    const rest = heldBy(owner) + more
    if (rest === 0) held.delete(owner)
    else held.set(owner, rest)
  }

  return {
    begin: () => {
      let own = 0
      let owner: string | undefined
      let hasEnded = false
      const canTake = (wanted: number, share = 1): boolean => {
        const free = bytes * share - taken - wanted
        const before = heldBy(owner)
        return !hasEnded && free >= 0 && (before === 0 || before + wanted <= FOR_EACH_FREE * free)
      }
      let yielder: Yielder | undefined
      const end = (): void => {
        hasEnded = true
        if (yielder !== undefined) yielders.delete(yielder)
        taken -= own
        hold(owner, -own)
        own = 0
      }
      /** Ends a request of another owner, if this owner has none that can end and the other's bytes are enough. */
      const makeRoom = (wanted: number, share: number): boolean => {
        if (hasEnded || owner === undefined || [...yielders].some(({ key }) => key === owner)) return false
        const ending = whoYields(yielders)
        if (ending === undefined || bytes * share - taken - wanted + ending.bytes() < 0) return false
        ending.yieldPlace()
        return true
      }
      return {
        canTake,
        belongTo: (name) => {
          hold(owner, -own)
          owner = name
          hold(owner, own)
        },
        take: (wanted, share = 1, yielding) => {
          if (!canTake(wanted, share) && (yielding === undefined || !makeRoom(wanted, share))) return false
          taken += wanted
          own += wanted
          hold(owner, wanted)
          if (yielding === undefined) return true
          yielder = {
            get key() { return owner }, bytes: () => own, bytesPerSecond: yielding.bytesPerSecond,
            yieldPlace: () => {
              end()
              yielding.yieldPlace()
            },
          }
          yielders.add(yielder)
          return true
        },
        end,
      }
    },
  }
}
