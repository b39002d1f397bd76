import { type AlongEntry, eventsIn, isAuditEntry } from '../../core/kernel/outbox.js'
import { writeAuditEntries } from './audit-entries.js'
import type { Dialect } from './dialect.js'
import { writeEvents } from './events.js'
import type { Queryable } from './sql.js'

/**
 * Stores what writes took along, as the last statements of their transaction: the audit entries, then the events, whose lock must be the last one.
 * The answer is how many events there were.
 */
export const writeAlong = async (dialect: Dialect, trx: Queryable, entries: ReadonlyArray<AlongEntry>): Promise<number> => {
  if (entries.length === 0) return 0
  const events = eventsIn(entries)
  await Promise.all([writeAuditEntries(dialect, trx, entries.filter(isAuditEntry)), writeEvents(dialect, trx, events)])
  return events.length
}
