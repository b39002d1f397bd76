import type { MemoryState } from '../../adapters/memory/storage.js'

/** Backs up the current state; the returned function restores it, as often as it is called. */
export type BackUp<Done = void> = () => () => Done

/** Backs up a storage in memory. The storage object stays the same, like the address of a database. */
export const backUpOf = (state: MemoryState): BackUp => () => {
  const backup = structuredClone(state)
  // Later changes after the restore must not change the backup.
  return () => { putBack(state, structuredClone(backup)) }
}

const putBack = (into: object, from: object): void => {
  for (const [name, kept] of Object.entries(into) as ReadonlyArray<readonly [string, unknown]>) {
    const copy: unknown = Reflect.get(from, name)
    if (kept instanceof Map && copy instanceof Map) refill(kept, copy)
    else if (typeof kept === 'object' && kept !== null && typeof copy === 'object' && copy !== null) putBack(kept, copy)
  }
}

/** Replaces the entries of a map by those of another one. */
export const refill = <Key, Value>(map: Map<Key, Value>, from: ReadonlyMap<Key, Value>): void => {
  map.clear()
  for (const [key, value] of from) map.set(key, value)
}
