import type { Knex } from 'knex'
import type { CustomerId } from '../../core/customers/customer.js'
import { type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, parseWindowCursor, windowCursorOf } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/json.js'
import type { Database } from './database.js'
import { portTasks } from './port-tasks.js'
import { addIndex } from './schema-changes.js'
import { instant, select } from './sql.js'

/** Adds the indexes of `makeCustomerWindows`. They cost a message of a customer, and no send. */
export const indexWindows = async (db: Knex): Promise<void> => {
  await addIndex(db, 'windows', 'workspace_id, last_inbound', 'windows_last_inbound')
  await addIndex(db, 'windows', 'workspace_id, number_inbound', 'windows_number_inbound', 'number_inbound IS NOT NULL')
}

/** The customers by when they last wrote, over SQL. */
export const makeCustomerWindows = (database: Database): CustomerWindows => ({
  list: (workspace, query) =>
    tasks.value(async () => {
      const found = await Promise.all(MOMENTS.map((moment) => read(database, moment, workspace, query)))
      return pageOf(found.flat().toSorted(latestFirst).slice(0, query.limit + 1), query.limit, windowCursorOf)
    }),
})

/**
 * The two columns in which `OWN_INBOUND` finds the moment of an id, and where each has it. They are read one by one, since no index has the moment of both.
 */
const MOMENTS = [
  { column: 'last_inbound', counts: '(user_inbound IS NULL OR last_inbound > user_inbound)' },
  { column: 'number_inbound', counts: 'last_inbound <= user_inbound' },
] as const

const read = async (
  { db, dialect }: Database, { column, counts }: (typeof MOMENTS)[number], workspace: WorkspaceId, { since, limit, cursor }: CustomerWindowsQuery,
): Promise<ReadonlyArray<CustomerWindow>> => {
  // PostgreSQL otherwise sorts by the rules of the database's language.
  const customer = dialect.name === 'postgres' ? 'customer COLLATE "C"' : 'customer'
  const place = cursor === undefined ? undefined : parseWindowCursor(cursor)
  const rows = await select(
    db,
    `SELECT customer, ${column} AS own FROM windows WHERE workspace_id = ? AND ${column} > ? AND ${counts}
       ${place === undefined ? '' : `AND ${column} <= ? AND (${column} < ? OR ${customer} < ?)`} ORDER BY ${column} DESC, ${customer} DESC LIMIT ?`,
    [workspace, since, ...(place === undefined ? [] : [place.lastInbound, place.lastInbound, place.customer]), limit + 1],
  )
  return rows.map((row) => ({ customer: String(row['customer']) as CustomerId, lastInbound: instant(row['own']) }))
}

const latestFirst = (a: CustomerWindow, b: CustomerWindow): number => b.lastInbound - a.lastInbound || (a.customer < b.customer ? 1 : -1)

const tasks = portTasks('CustomerWindows')
