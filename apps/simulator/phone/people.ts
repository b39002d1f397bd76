/** What the page knows of the people whose phones it shows, by their keys. */
export type People = {
  /** The name in the profile. */
  readonly nameOf: (key: string) => string
  /** Whether a customer has a name, from the page or from a message: the page then shows this phone for every business. */
  readonly isKnown: (key: string) => boolean
  readonly rename: (key: string, name: string) => void
  /** How many messages were sent from the page. */
  readonly writtenBy: (key: string) => number
  readonly wrote: (key: string) => void
  readonly clear: () => void
}

/** No names yet. */
export const makePeople = (): People => {
  const names = new Map<string, string>()
  const written = new Map<string, number>()
  return {
    nameOf: (key) => names.get(key) ?? 'A customer',
    isKnown: (key) => names.has(key),
    rename: (key, name) => void names.set(key, name),
    writtenBy: (key) => written.get(key) ?? 0,
    wrote: (key) => void written.set(key, (written.get(key) ?? 0) + 1),
    clear: () => [names, written].forEach((map) => map.clear()),
  }
}
