import type { MemoryState } from '../../adapters/memory/storage.js'

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
