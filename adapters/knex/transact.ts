import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Database } from './database.js'
import { sqlErrorKind } from './sql-error.js'

/** How long a transaction that keeps being broken off is tried again, in milliseconds. */
const PATIENCE_MS = 10_000
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 200

/** How a transaction is isolated, where not as usual, and what tells that nobody waits for it any more. */
export type TransactOptions = { readonly isolationLevel?: Knex.IsolationLevels; readonly givenUp?: AbortSignal }

/**
 * Runs work in one transaction, again and within bounds where the database broke it off to let another one through.
 *
 * The pauses grow and are scattered, so that two transactions that met once do not meet for ever. One that was given up
 * before it is committed is rolled back.
 */
export const transact = async <Result>(
  { knex }: Database,
  work: (trx: Knex.Transaction, attempt: number) => Promise<Result>,
  { isolationLevel, givenUp }: TransactOptions = {},
): Promise<Result> => {
  const lastTry = performance.now() + PATIENCE_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await knex.transaction(async (trx) => {
        const result = await work(trx, attempt)
        givenUp?.throwIfAborted()
        return result
      }, isolationLevel && { isolationLevel })
    } catch (error) {
      if (sqlErrorKind(error) !== 'retry' || performance.now() > lastTry) throw error
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * attempt ** 2))
    }
  }
}
