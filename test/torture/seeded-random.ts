/** Pseudo-random numbers; the same seed gives the same numbers. */
export type SeededRandom = {
  /** From 0 (included) to 1 (excluded). */
  readonly next: () => number
  /** A whole number between two bounds, both included. */
  readonly between: (least: number, most: number) => number
  /** True with this probability. */
  readonly chance: (probability: number) => boolean
}

const INCREMENT = 0x9e3779b9

/** A counter in steps of the golden ratio, mixed with the finalizer of MurmurHash3. */
export const makeSeededRandom = (seed: number): SeededRandom => {
  let counter = seed >>> 0
  const next = (): number => {
    counter = (counter + INCREMENT) >>> 0
    const mixed = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b)
    const remixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((remixed ^ (remixed >>> 16)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
  }
}
