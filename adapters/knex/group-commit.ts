import type { Knex } from 'knex'
import type { Database } from './database.js'
import { makeLane, type LaneBounds } from './lane.js'
import { sqlErrorKind, type SqlErrorKind } from './sql-error.js'
import { transact } from './transact.js'

/** One kind of write, done for many callers in one transaction. */
export type Write<In, Out> = {
  /** Its place in a transaction: every transaction begins its kinds of writes in this order, so that they lock much alike. */
  readonly order: number
  /**
   * Does the write for each item and answers for each, in their order, with an `Error` for one that fails alone. Throws,
   * and then nothing is written. Other kinds run beside it, so that statements asked for at once go together.
   *
   * At first it may assume the usual case and throw where it was not; `careful` says that it must look before it writes.
   */
  readonly run: (trx: Knex.Transaction, items: ReadonlyArray<In>, careful: boolean) => Promise<ReadonlyArray<Out | Error>>
}

/** Concurrent writes of all kinds, merged into shared transactions. */
export type GroupCommit = {
  /** Resolves once the transaction that did the write has committed. */
  readonly write: <In, Out>(kind: Write<In, Out>, item: In) => Promise<Out>
  readonly idle: () => Promise<void>
}

/** The most writes that share a transaction. */
const COHORT = 256

/** What the database says where it is out of reach or too busy, whatever it was asked for. */
const FAULTLESS = new Set<SqlErrorKind>(['unavailable', 'retry'])

type Asked = { readonly kind: Write<unknown, unknown>; readonly item: unknown }

/**
 * Merges writes as databases do in their own logs: what is asked for while a transaction is under way goes together in
 * the next, so that a busy wallet's row is locked once for all of them and the disk is waited for once.
 *
 * A transaction that fails for the fault of an item is done again item by item, so that one bad item costs nobody else.
 */
export const makeGroupCommit = (database: Database, { width = COHORT, ...bounds }: LaneBounds = {}): GroupCommit => {
  const lane = makeLane<Asked, unknown>((cohort, givenUp) => commit(database, cohort, { careful: false, givenUp }), { width, ...bounds })
  return {
    write: <In, Out>(kind: Write<In, Out>, item: In) => lane.load({ kind: kind as Write<unknown, unknown>, item }) as Promise<Out>,
    idle: lane.idle,
  }
}

/** How a cohort is written: whether it looks before it writes, and what tells that nobody waits for it any more. */
type Manner = { readonly careful: boolean; readonly givenUp: AbortSignal }

const commit = async (database: Database, cohort: ReadonlyArray<Asked>, { careful, givenUp }: Manner): Promise<ReadonlyArray<unknown>> => {
  try {
    return await transact(database, (trx, attempt) => runAll(trx, cohort, careful || attempt > 1), { givenUp })
  } catch (error) {
    if (givenUp.aborted) throw error
    // Where no item is at fault, or it is known which, asking again for each would only make everybody wait.
    if (FAULTLESS.has(sqlErrorKind(error)) || (careful && cohort.length === 1)) return cohort.map(() => asError(error))
    const answers: Array<unknown> = []
    for (const asked of cohort) answers.push((await commit(database, [asked], { careful: true, givenUp }))[0])
    return answers
  }
}

const runAll = async (trx: Knex.Transaction, cohort: ReadonlyArray<Asked>, careful: boolean): Promise<ReadonlyArray<unknown>> => {
  const places = new Map<Write<unknown, unknown>, Array<number>>()
  cohort.forEach(({ kind }, place) => {
    const known = places.get(kind)
    if (known === undefined) places.set(kind, [place])
    else known.push(place)
  })
  const answers: Array<unknown> = new Array(cohort.length)
  const failures: Array<unknown> = []
  const run = async ([kind, of]: readonly [Write<unknown, unknown>, ReadonlyArray<number>]): Promise<void> => {
    try {
      const results = await kind.run(trx, of.map((place) => cohort[place]?.item), careful)
      of.forEach((place, index) => { answers[place] = results[index] })
    } catch (failure) {
      failures.push(failure)
    }
  }
  // At once, so that their statements share round trips; nothing is left running when this ends, and the first failure counts.
  await Promise.all([...places].sort(([a], [b]) => a.order - b.order).map(run))
  if (failures.length > 0) throw failures[0]
  return answers
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
