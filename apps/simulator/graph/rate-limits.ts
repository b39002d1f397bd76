/** Token buckets: each holds up to `capacity` tokens and gets one more every `refillMs`. */
export type TokenBuckets = {
  /** Takes one token from the bucket of `key`; false if it is empty. */
  readonly take: (key: string, capacity: number, refillMs: number) => boolean
  /** How much of the bucket of `key` is used, in percent. */
  readonly usage: (key: string, capacity: number, refillMs: number) => number
  readonly clear: () => void
}

const KEEP = 100_000

/** Buckets, all full. The clock gives milliseconds. */
export const makeTokenBuckets = (now: () => number): TokenBuckets => {
  const buckets = new Map<string, { readonly level: number; readonly at: number }>()
  const level = (key: string, capacity: number, refillMs: number): number => {
    const bucket = buckets.get(key)
    return bucket === undefined ? capacity : Math.min(capacity, bucket.level + (now() - bucket.at) / refillMs)
  }
  return {
    take: (key, capacity, refillMs) => {
      const left = level(key, capacity, refillMs)
      if (buckets.size >= KEEP) buckets.clear()
      buckets.set(key, { level: left >= 1 ? left - 1 : left, at: now() })
      return left >= 1
    },
    usage: (key, capacity, refillMs) => Math.min(100, Math.round(100 * (1 - level(key, capacity, refillMs) / capacity))),
    clear: () => buckets.clear(),
  }
}
