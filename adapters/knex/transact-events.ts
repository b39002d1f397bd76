import type { AlongEntry } from '../../core/kernel/outbox.js'
import { writeAlong } from './along-entries.js'
import type { Database } from './database.js'
import type { EventSignal } from './event-signal.js'
import type { Queryable } from './sql.js'
import { transact, type TransactOptions } from './transact.js'

/** Takes events and audit entries that are stored at the end of the transaction, if it commits. */
export type Emit = (entries: ReadonlyArray<AlongEntry>) => void

/** Runs work in one transaction, as `transact` does, and stores what the work emits in the same transaction. */
export type TransactEvents = <Result>(work: (trx: Queryable, emit: Emit) => Promise<Result>, options?: TransactOptions) => Promise<Result>

/** Makes transactions that store events, and calls the signal after each commit that stored some. */
export const makeTransactEvents = (database: Database, signal: EventSignal): TransactEvents => async (work, options) => {
  const { result, events } = await transact(database, async (trx) => {
    // A transaction that is run again emits its events again.
    const emitted: Array<AlongEntry> = []
    const done = await work(trx, (more) => { emitted.push(...more) })
    return { result: done, events: await writeAlong(database.dialect, trx, emitted) }
  }, options)
  if (events > 0) signal.stored()
  return result
}
