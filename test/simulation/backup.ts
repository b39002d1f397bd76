import type { MemoryState } from '../../adapters/memory/storage.js'
import { type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Choices } from './choices.js'
import type { PlannedAct } from './life.js'

/** Keeps what there is now; the answer puts it back, as often as it is called. */
export type BackUp<Done = void> = () => () => Done

/** Backs a storage in memory up. The storage stays the same one, as the address of a database does. */
export const backUpOf = (state: MemoryState): BackUp => () => {
  const backup = structuredClone(state)
  // What goes on after the restore must not change the backup.
  return () => { putBack(state, structuredClone(backup)) }
}

const putBack = (into: object, from: object): void => {
  for (const [name, kept] of Object.entries(into) as ReadonlyArray<readonly [string, unknown]>) {
    const copy: unknown = Reflect.get(from, name)
    if (kept instanceof Map && copy instanceof Map) refill(kept, copy)
    else if (typeof kept === 'object' && kept !== null && typeof copy === 'object' && copy !== null) putBack(kept, copy)
  }
}

/** Makes a map have the entries of another one, and no others. */
export const refill = <Key, Value>(map: Map<Key, Value>, from: ReadonlyMap<Key, Value>): void => {
  map.clear()
  for (const [key, value] of from) map.set(key, value)
}

/** How many histories have a restore. */
const RESTORED = 0.1

/**
 * When a backup is made and when it is restored: near two acts of a plan, of one burst or of several. Most plans have neither. Their names are their own, so
 * that a plan without them is played as it always was.
 */
export const restoresOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> => {
  if (!choices.chance(RESTORED)) return []
  const sends = plan.flatMap(({ kind }, index) => (kind === 'send' && index < plan.length / 2 ? [index] : []))
  const from = choices.chance(0.7) ? sends[choices.whole(0, sends.length - 1)] ?? 0 : choices.whole(0, Math.floor(plan.length / 2))
  const near = (index: number): Instant => (plan[Math.min(index, plan.length - 1)]?.at ?? 0) + choices.time(10, 10 * SECOND_MS)
  const backedUpAt = near(from)
  const restoredAt = Math.max(near(from + choices.whole(1, 24)), backedUpAt + choices.time(SECOND_MS, MINUTE_MS))
  return [{ at: backedUpAt, kind: 'back up', name: 'backup' }, { at: restoredAt, kind: 'restore', name: 'restore' }]
}
