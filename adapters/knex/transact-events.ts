import type { Event } from '../../core/event.js'
import type { Database } from './database.js'
import type { EventSignal } from './event-signal.js'
import { writeEvents } from './events.js'
import type { Queryable } from './sql.js'
import { transact, type TransactOptions } from './transact.js'

/** Takes events that are stored at the end of the transaction, if it commits. */
export type Emit = (events: ReadonlyArray<Event>) => void

/** Runs work in one transaction, as `transact` does, and stores the events that the work emits in the same transaction. */
export type TransactEvents = <Result>(work: (trx: Queryable, emit: Emit) => Promise<Result>, options?: TransactOptions) => Promise<Result>

/** Makes transactions that store events, and calls the signal after each commit that stored some. */
export const makeTransactEvents = (database: Database, signal: EventSignal): TransactEvents => async (work, options) => {
  const { result, events } = await transact(database, async (trx) => {
    // A transaction that is run again emits its events again.
    const emitted: Array<Event> = []
    const done = await work(trx, (more) => { emitted.push(...more) })
    await writeEvents(database.dialect, trx, emitted)
    return { result: done, events: emitted.length }
  }, options)
  if (events > 0) signal.stored()
  return result
}
