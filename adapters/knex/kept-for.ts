import { LRUCache } from 'lru-cache'

/** Answers of a query, kept for a short time. */
export type KeptAnswers<Answer> = {
  /** The kept answer, or a new one. Concurrent calls share one query; a failure is not kept. */
  readonly get: (key: string) => Promise<Answer>
  /** Forgets an answer, and one that is on its way. */
  readonly forget: (key: string) => void
}

const MOST_KEPT = 10_000

/** Keeps the answers of a query for some milliseconds. */
export const keptFor = <Answer>(keptMs: number, ask: (key: string) => Promise<Answer>): KeptAnswers<Answer> => {
  const kept = new LRUCache<string, Promise<Answer>>({ max: MOST_KEPT, ttl: keptMs })
  return {
    get: (key) => {
      const known = kept.get(key)
      if (known !== undefined) return known
      const asked = ask(key)
      kept.set(key, asked)
      asked.catch(() => { if (kept.peek(key) === asked) kept.delete(key) })
      return asked
    },
    forget: (key) => { kept.delete(key) },
  }
}
