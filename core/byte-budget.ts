/** How many bytes of memory the bodies of all requests may take together. Every reader of bodies takes from the same budget, so that their sum is bounded. */
export type ByteBudget = {
  /** Begins a request, which has taken nothing yet. */
  readonly begin: () => TakenBytes
}

/** The bytes that one request has taken. */
export type TakenBytes = {
  /**
   * Takes so many bytes more; false, and nothing is taken, if too few are free, or if the request has ended.
   *
   * `share` is the part of the budget that may be in use after this, so that requests of strangers leave memory for those with a key. It is 1 by default.
   */
  readonly take: (bytes: number, share?: number) => boolean
  /** Whether `take` would succeed now. */
  readonly canTake: (bytes: number, share?: number) => boolean
  /** Gives back all that the request has taken. It gets no more afterwards: a handler may end while its body is still read. */
  readonly end: () => void
}

/** Makes a budget of so many bytes. */
export const makeByteBudget = (bytes: number): ByteBudget => {
  let taken = 0
  return {
    begin: () => {
      let own = 0
      let hasEnded = false
      const canTake = (wanted: number, share = 1): boolean => !hasEnded && taken + wanted <= bytes * share
      return {
        canTake,
        take: (wanted, share) => {
          if (!canTake(wanted, share)) return false
          taken += wanted
          own += wanted
          return true
        },
        end: () => {
          hasEnded = true
          taken -= own
          own = 0
        },
      }
    },
  }
}
