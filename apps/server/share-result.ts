import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Ledger } from '../../core/money/ledger.js'

/**
 * Makes a function that shares the result of `ask`: calls during a running `ask`, and within `freshMs` after it, get the same result.
 *
 * A rejection is not kept.
 */
export const shareResult = <Answer>(
  freshMs: number, ask: () => Promise<Answer>, now: () => number = () => performance.now(),
): (() => Promise<Answer>) => {
  const share = shareByKey<undefined, Answer>(ask, { keyOf: () => '', freshMs: () => freshMs, now })
  return () => share(undefined)
}

/** How long values from the database are shown in the metrics before they are read again, and how long reading them may delay the metrics, in milliseconds. */
const FRESH_MS = 15 * SECOND_MS
const LONGEST_WAIT_MS = SECOND_MS

/** Shares a reading of the database by several metrics. If it fails or is slow, there is no result, so that the metrics show their last values. */
export const shareForMetrics = <Answer>(read: () => Promise<Answer>): (() => Promise<Answer | undefined>) => {
  const shared = shareResult(FRESH_MS, read)
  return () => Promise.race([shared().catch(() => undefined), delay(LONGEST_WAIT_MS, undefined, { ref: false })])
}

/** How results are shared. */
export type ShareOptions<Query, Answer> = {
  /** Queries with the same key share a result. */
  readonly keyOf: (query: Query) => string
  /** How long a result is shared after it is available, in milliseconds, computed from its duration and the result; not at all by default. */
  readonly freshMs?: (tookMs: number, answer: Answer) => number
  readonly now?: () => number
}

/** Shares results for each query. Stale results are removed at the next call, so memory is bounded by the queries made meanwhile. */
export const shareByKey = <Query, Answer>(
  ask: (query: Query) => Promise<Answer>, { keyOf, freshMs = () => 0, now = () => performance.now() }: ShareOptions<Query, Answer>,
): ((query: Query) => Promise<Answer>) => {
  const kept = new Map<string, { readonly answer: Promise<Answer>; staleAt: number }>()
  return (query) => {
    const at = now()
    for (const [other, { staleAt }] of kept) if (staleAt <= at) kept.delete(other)
    const key = keyOf(query)
    const known = kept.get(key)
    if (known !== undefined) return known.answer
    const asked = { answer: ask(query), staleAt: Infinity }
    kept.set(key, asked)
    asked.answer.then(
      (answer) => { asked.staleAt = now() + freshMs(now() - at, answer) },
      () => { if (kept.get(key) === asked) kept.delete(key) },
    )
    return asked.answer
  }
}

/** Shares the sums of the books. Sums that took a second to compute are reused for a second, so repeated requests use one connection for at most half of the time. */
export const sharedBooks = (books: Ledger['books']): Ledger['books'] => {
  let last: Promise<unknown> = Promise.resolve()
  // One after another, because each uses a connection while it runs.
  const addUp = (workspace: WorkspaceId): ReturnType<Ledger['books']> => {
    const found = last.then(() => books(workspace))
    last = found.catch(() => undefined)
    return found
  }
  const shared = shareByKey(addUp, {
    keyOf: (workspace) => workspace, freshMs: (tookMs, found) => (E.isRight(found) ? Math.min(tookMs, MINUTE_MS) : 0),
  })
  return (workspace) => shared(workspace)
}
