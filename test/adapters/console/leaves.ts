/** A text, or a function that makes one; a pattern is none. */
export type Leaf = string | ((...given: ReadonlyArray<string>) => string)

export const isLeaf = (value: unknown): value is Leaf => typeof value === 'string' || typeof value === 'function'

/** Every text of a catalogue, by its path. The patterns of the core's sentences, which a text answers to, are left out with what answers to them. */
export const leavesOf = (group: unknown, path = ''): ReadonlyArray<readonly [path: string, text: Leaf]> => {
  if (isLeaf(group)) return [[path, group]]
  if (typeof group !== 'object' || group === null || group instanceof RegExp) return []
  return Object.entries(group).flatMap(([name, inner]) => leavesOf(inner, path === '' ? name : `${path}.${name}`))
}
