/** Numbers that look random and are the same for the same seed. */
export type Chance = {
  /** From 0 up to, but not, 1. */
  readonly next: () => number
  /** A whole number between two bounds, both included. */
  readonly between: (least: number, most: number) => number
  /** Whether something happens that happens with a probability. */
  readonly hits: (probability: number) => boolean
}

const GOLDEN = 0x9e3779b9

/** Chance by a seed: a counter in golden steps, scrambled by multiplications as MurmurHash3 finishes. */
export const makeChance = (seed: number): Chance => {
  let counter = seed >>> 0
  const next = (): number => {
    counter = (counter + GOLDEN) >>> 0
    const mixed = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b)
    const remixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((remixed ^ (remixed >>> 16)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    hits: (probability) => next() < probability,
  }
}
