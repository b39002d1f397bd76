import { type Instant, SECOND_MS } from './time.js'

/** The maximum number of names that are offered. */
const MOST = 3

/** The limit of one search, in letters of names and letters compared: about 5 to 10 ms of work, and far more than the ordinary names of a whole list of a platform need. */
const MAX_LETTERS = 600_000

/** The limit of all searches in one second: about 10 to 20 ms of work. A search of a list of 200 ordinary names needs less than a hundredth of it. */
const MAX_LETTERS_PER_SECOND = 1_200_000

/** The maximum number of names of one list whose nearest names are remembered. */
const MAX_REMEMBERED = 100

/**
 * At most 3 of the names whose spelling is close to a name, the nearest first, without the name itself.
 *
 * The work is bounded, because a caller chooses the name and its tenant the list. If the names are very many and very long, only the first ones are compared.
 */
export const nearestNames = (name: string, names: Iterable<string>): ReadonlyArray<string> => search(name, names, { left: MAX_LETTERS })

const search = (name: string, names: Iterable<string>, work: Work): ReadonlyArray<string> => {
  const wanted = plainForm(name)
  const found = new Map<string, number>()
  for (const other of names) {
    work.left -= 16 + other.length / 4
    if (work.left < 0) break
    if (other === name || found.has(other)) continue
    const distance = distanceOf(wanted, plainForm(other), farthestOf(found), work)
    if (Number.isFinite(distance)) offer(found, other, distance)
  }
  return [...found].sort(byDistance).map(([other]) => other)
}

const lists = new WeakMap<ReadonlyArray<string>, Map<string, ReadonlyArray<string>>>()

/** The work that the searches of this second may still do. All callers share it, because they share one thread. */
let second = { number: Number.NaN, left: 0 }

/**
 * Like `nearestNames`, but the same name is searched only once in the same list, however often it is sent. Searches of different names share a limit per second. When
 * it is used up, no names are offered, so that wrong names do not delay the sends of other callers.
 */
export const rememberedNearestNames = (name: string, names: ReadonlyArray<string>, now: Instant): ReadonlyArray<string> => {
  const remembered = lists.get(names) ?? new Map<string, ReadonlyArray<string>>()
  lists.set(names, remembered)
  const known = remembered.get(name)
  if (known !== undefined) return known
  const number = Math.floor(now / SECOND_MS)
  if (number !== second.number) second = { number, left: MAX_LETTERS_PER_SECOND }
  if (second.left <= 0) return []
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest)
  const work: Work = { left: Math.min(MAX_LETTERS, second.left) }
  const before = work.left
  const nearest = search(name, names, work)
  second.left -= before - work.left
  // A search that reached the limit of its second is repeated later.
  if (second.left > 0) remembered.set(name, nearest)
  return nearest
}

/** The work that a search may still do. */
type Work = { left: number }
type Offered = readonly [name: string, distance: number]

const byDistance = ([a, near]: Offered, [b, far]: Offered): number => near - far || (a < b ? -1 : 1)

/** Once enough names are found, another name matters only if it is not farther away. */
const farthestOf = (found: ReadonlyMap<string, number>): number => (found.size < MOST ? Infinity : Math.max(...found.values()))

const offer = (found: Map<string, number>, name: string, distance: number): void => {
  found.set(name, distance)
  const [last] = [...found].sort(byDistance).slice(MOST)
  if (last !== undefined) found.delete(last[0])
}

/** Letter case and the signs between words are confused most often, so they make no difference. */
const plainForm = (name: string): string => name.toLowerCase().replace(/[\s._-]+/g, '_')

/** The number of letters to add, remove or replace; infinite if the names are not similar. A name that begins with the other one is always similar. */
const distanceOf = (a: string, b: string, farthest: number, work: Work): number => {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  if (shorter.length > 2 && longer.startsWith(shorter)) return longer.length - shorter.length
  return editsBetween(shorter, longer, Math.min(farthest, Math.max(2, Math.min(8, Math.floor(longer.length / 3)))), work)
}

/**
 * The Levenshtein distance of two texts; infinite if it exceeds a limit. For each number of edits it follows how far the texts can be made equal along each
 * diagonal, so a difference near the beginning is found early.
 */
const editsBetween = (a: string, b: string, limit: number, work: Work): number => {
  if (Math.abs(a.length - b.length) > limit) return Infinity
  const alikeFrom = (row: number, diagonal: number): number => {
    let end = row
    while (end < a.length && a[end] === b[end + diagonal]) end += 1
    work.left -= end - row + 4
    return end
  }
  // The diagonals from -limit to limit, plus one at each end that is never reached.
  const middle = limit + 1
  let reached = new Array<number>(2 * middle + 1).fill(UNREACHED)
  let next = [...reached]
  reached[middle] = alikeFrom(0, 0)
  for (let edits = 0; work.left > 0; edits += 1) {
    if (reached[middle + b.length - a.length] === a.length) return edits
    if (edits === limit) break
    for (let diagonal = -edits - 1; diagonal <= edits + 1; diagonal += 1) {
      const at = middle + diagonal
      const furthest = Math.max((reached[at] ?? UNREACHED) + 1, reached[at - 1] ?? UNREACHED, (reached[at + 1] ?? UNREACHED) + 1)
      const row = Math.min(furthest, a.length, b.length - diagonal)
      next[at] = row < 0 ? UNREACHED : alikeFrom(row, diagonal)
    }
    [reached, next] = [next, reached]
  }
  return Infinity
}

/** Marks a diagonal on which the texts cannot be made equal yet; the next row is still before the first one. */
const UNREACHED = -2
