/** The maximum number of keys that a process remembers. */
export const MAX_REMEMBERED = 4_096

/** The pairs, senders or portfolios that have lately reached their limit, each for some time. */
export type AtLimit = {
  readonly remember: (key: string, ms: number) => void
  readonly has: (key: string) => boolean
}

/** Makes a memory that is emptied when it is full: what it forgets costs one more transaction. */
export const makeAtLimit = (): AtLimit => {
  const until = new Map<string, number>()
  return {
    remember: (key, ms) => {
      if (until.size >= MAX_REMEMBERED) until.clear()
      until.set(key, performance.now() + ms)
    },
    has: (key) => (until.get(key) ?? -Infinity) > performance.now(),
  }
}
