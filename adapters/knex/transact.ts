import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Database } from './database.js'
import { sqlErrorKind } from './sql-error.js'
import type { Queryable } from './sql.js'
import { ServerDatabase } from './server-database.js'
import { SqliteConnection } from './sqlite-connection.js'

/** How long a transaction is retried after conflicts, in milliseconds. */
const RETRY_MS = 5_000
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 200

export type TransactOptions = {
  readonly isolationLevel?: Knex.IsolationLevels
  /** When it is aborted, the transaction is rolled back and not retried. */
  readonly signal?: AbortSignal
  /** How long the transaction is retried, in milliseconds. */
  readonly retryMs?: number
}

/**
 * Runs work in one transaction. If it conflicts with another transaction, it is rolled back and run again, for a limited time.
 *
 * The pauses between retries grow and are random, so that the same transactions do not conflict again.
 */
export const transact = <Result>(
  { db }: Pick<Database, 'db'>,
  work: (trx: Queryable, attempt: number) => Promise<Result>,
  { isolationLevel, signal, retryMs = RETRY_MS }: TransactOptions = {},
): Promise<Result> =>
  retryConflicts((attempt) => {
    signal?.throwIfAborted()
    const run = async (trx: Queryable): Promise<Result> => {
      const result = await work(trx, attempt)
      signal?.throwIfAborted()
      return result
    }
    if (db instanceof ServerDatabase) return db.transaction(run, isolationLevel)
    return db instanceof SqliteConnection ? db.transaction(run, signal) : db.transaction(run)
  }, retryMs)

/** Runs work again that conflicted with another transaction and has written nothing. */
export const retryConflicts = async <Result>(work: (attempt: number) => Promise<Result>, retryMs: number = RETRY_MS): Promise<Result> => {
  const lastTry = performance.now() + retryMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      if (sqlErrorKind(error) !== 'retry' || performance.now() > lastTry) throw error
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * attempt ** 2))
    }
  }
}
