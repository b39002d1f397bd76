/** Choices made from a seed: the same seed and name make the same choices in the same order, on every machine. */
export type Choices = {
  /** True with this probability. */
  readonly chance: (probability: number) => boolean
  /** A whole number between two bounds, both included. */
  readonly whole: (from: number, to: number) => number
  /** One element of a non-empty list. */
  readonly one: <Item>(of: readonly [Item, ...Item[]]) => Item
  /** A name, chosen with its weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
  /** A time in milliseconds: mostly near the shortest, sometimes near the longest, which may be a thousand times as long. */
  readonly time: (shortest: number, longest: number) => number
}

/** Makes the choices for a name under a seed. */
export const makeChoices = (seed: number, name: string): Choices => {
  const next = numbersFrom(seedOf(seed, name))
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    chance: (probability) => probability > 0 && next() < probability,
    whole,
    one: (of) => of[whole(0, of.length - 1)] ?? of[0],
    weighted: (weights) => {
      const names = Object.keys(weights) as Array<keyof typeof weights>
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0)
      const found = names.find((name) => (left -= weights[name]) < 0) ?? names[0]
      if (found === undefined) throw new Error('there is nothing to choose from')
      return found
    },
    time: (shortest, longest) => Math.round(shortest * (longest / shortest) ** (next() ** 3)),
  }
}

/** FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>. */
const seedOf = (seed: number, name: string): number => {
  let hash = 0x811c9dc5 ^ seed
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** A linear congruential step whose bits are mixed by MurmurHash3's finisher, so that neighbouring seeds have nothing in common. From 0 to 1, 1 not included. */
const numbersFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 0x19660d) + 0x3c6ef35f) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}
