/** The most names that are offered. */
const MOST = 3

/** At most 3 of the names that are written much like a name, the nearest first; the name itself is not among them. */
export const nearestNames = (name: string, names: Iterable<string>): ReadonlyArray<string> => {
  const wanted = plainForm(name)
  return [...new Set(names)]
    .filter((other) => other !== name)
    .map((other) => ({ other, distance: distanceOf(wanted, plainForm(other)) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .slice(0, MOST)
    .map(({ other }) => other)
}

/** Letter case and the signs between words are what is mistaken most often, so they make no difference. */
const plainForm = (name: string): string => name.toLowerCase().replace(/[\s._-]+/g, '_')

/** The number of letters to add, remove or replace; infinite where the names are not much alike. A name that begins with the other always is. */
const distanceOf = (a: string, b: string): number => {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  if (shorter.length > 2 && longer.startsWith(shorter)) return longer.length - shorter.length
  return editsBetween(shorter, longer, Math.max(2, Math.min(8, Math.floor(longer.length / 3))))
}

/** The Levenshtein distance of two texts; infinite where it is more than a limit, so that only a band of that width has to be looked at. */
const editsBetween = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return Infinity
  let row = Array.from({ length: b.length + 2 }, (_, column) => (column <= limit ? column : Infinity))
  let next = row.map(() => Infinity)
  for (let line = 1; line <= a.length; line += 1) {
    const from = Math.max(1, line - limit)
    const to = Math.min(b.length, line + limit)
    next[from - 1] = from === 1 ? line : Infinity
    let least = next[from - 1] ?? Infinity
    for (let column = from; column <= to; column += 1) {
      const replaced = (row[column - 1] ?? Infinity) + (a[line - 1] === b[column - 1] ? 0 : 1)
      const edits = Math.min(replaced, (row[column] ?? Infinity) + 1, (next[column - 1] ?? Infinity) + 1)
      next[column] = edits
      least = Math.min(least, edits)
    }
    if (least > limit) return Infinity
    next[to + 1] = Infinity;
    [row, next] = [next, row]
  }
  const edits = row[b.length] ?? Infinity
  return edits <= limit ? edits : Infinity
}
