import type { JsonObject } from '../../core/kernel/json.js'
import { isEventAbout } from '../../core/privacy.js'
import { inList } from './bulk-sql.js'
import type { Database } from './database.js'
import { execute, type Row, select } from './sql.js'
import { transact } from './transact.js'

/** How many positions one statement looks at. No index leads from a person to events: it would cost every event that is stored. */
const RANGE = 5_000

/** How many rows one transaction deletes. */
const BATCH = 500

/**
 * Deletes the events of a workspace about one of some ids, with their contents, their waiting deliveries and the log of their deliveries; gives how many
 * events. The log goes first, because it is found by the events.
 */
export const removeEventsAbout = async (database: Database, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const events = await eventsAbout(database, workspace, ids)
  if (events.length === 0) return 0
  const endpoints = (await select(database.db, 'SELECT id FROM event_endpoints WHERE workspace_id = ?', [workspace])).map(({ id }) => String(id))
  const about = new Set(events.map(({ id }) => id))
  for (const endpoint of endpoints) await removeAttempts(database, endpoint, about)
  for (const batch of batchesOf(events)) await removeEvents(database, workspace, endpoints, batch)
  return events.length
}

type Found = { readonly id: string; readonly position: number }

const eventsAbout = async ({ db }: Database, workspace: string, ids: ReadonlyArray<string>): Promise<ReadonlyArray<Found>> => {
  const [range] = await select(db, 'SELECT MIN(position) AS first, MAX(position) AS last FROM events WHERE workspace_id = ?', [workspace])
  if (range === undefined || range['first'] === null) return []
  const known = new Set(ids)
  const found: Array<Found> = []
  for (let from = Number(range['first']) - 1; from < Number(range['last']); from += RANGE) {
    const rows = await select(
      db,
      `SELECT id, position, subject, data FROM events WHERE workspace_id = ? AND position > ? AND position <= ?
         AND (${ids.map(() => 'subject = ? OR data LIKE ?').join(' OR ')}) ORDER BY position`,
      [workspace, from, from + RANGE, ...ids.flatMap((id) => [id, `%"${id}"%`])],
    )
    found.push(...rows.filter((row) => isRowAbout(known, row)).map((row) => ({ id: String(row['id']), position: Number(row['position']) })))
  }
  return found
}

/** LIKE of SQLite ignores letter case, which counts in user ids. */
const isRowAbout = (ids: ReadonlySet<string>, row: Row): boolean =>
  isEventAbout(ids, { subject: String(row['subject']), data: JSON.parse(String(row['data'])) as JsonObject })

const removeAttempts = async (database: Database, endpoint: string, events: ReadonlySet<string>): Promise<void> => {
  let after = ''
  for (;;) {
    const rows = await select(database.db, 'SELECT id, event_id FROM event_attempts WHERE endpoint_id = ? AND id > ? ORDER BY id LIMIT ?', [endpoint, after, RANGE])
    for (const batch of batchesOf(rows.filter((row) => events.has(String(row['event_id']))))) {
      const { sql, bindings } = inList(database.dialect, ['id'], batch.map(({ id }) => [String(id)]))
      await transact(database, (trx) => execute(trx, `DELETE FROM event_attempts WHERE endpoint_id = ? AND ${sql}`, [endpoint, ...bindings]))
    }
    if (rows.length < RANGE) return
    after = String(rows.at(-1)?.['id'])
  }
}

const removeEvents = (database: Database, workspace: string, endpoints: ReadonlyArray<string>, events: ReadonlyArray<Found>): Promise<void> =>
  transact(database, async (trx) => {
    const ids = inList(database.dialect, ['event_id'], events.map(({ id }) => [id]))
    for (const endpoint of endpoints) await execute(trx, `DELETE FROM event_retries WHERE endpoint_id = ? AND ${ids.sql}`, [endpoint, ...ids.bindings])
    const { sql, bindings } = inList(database.dialect, ['position'], events.map(({ position }) => [position]), 'integer')
    for (const table of ['event_contents', 'events']) await execute(trx, `DELETE FROM ${table} WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  })

const batchesOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) => items.slice(index * BATCH, (index + 1) * BATCH))
