import { LRUCache } from 'lru-cache'

/** The latest values by their keys. */
export type Recent<Value> = Pick<LRUCache<string, Value & {}>, 'delete' | 'get' | 'peek'> & {
  readonly set: (key: string, value: Value & {}) => void
}

/**
 * Keeps at most `max` values, each for `ttl` milliseconds if that is given. lru-cache allocates the memory of all values in advance, so the cache is made with its first value.
 */
export const makeRecent = <Value>(options: { readonly max: number; readonly ttl?: number }): Recent<Value> => {
  let cache: LRUCache<string, Value & {}> | undefined
  return {
    get: (key) => cache?.get(key),
    peek: (key) => cache?.peek(key),
    delete: (key) => cache?.delete(key) ?? false,
    set: (key, value) => { (cache ??= new LRUCache<string, Value & {}>(options)).set(key, value) },
  }
}
