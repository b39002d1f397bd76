import { PULL_LISTENS_MS } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { type ColumnType, inList } from './bulk-sql.js'
import type { Database } from './database.js'
import { execute, type Queryable, type Row, select } from './sql.js'
import { transact } from './transact.js'

/** The most rows that one transaction removes. */
const BATCH = 500

/** The most batches of each kind in one call. */
const BATCHES = 10

/** What is removed: all events and attempts before a moment, and contents that have been delivered by another moment. */
export type Removal = { readonly before: Instant; readonly at: Instant; readonly hasBroker: boolean }

/** Removes old events and attempts and delivered contents, up to a limit, and returns how many. */
export const removeOldEvents = async (database: Database, removal: Removal): Promise<number> => {
  let removed = 0
  for (const removeBatch of [removeEvents, removeAttempts, removeContents]) removed += await inBatches(() => removeBatch(database, removal))
  return removed
}

const inBatches = async (removeBatch: () => Promise<number>): Promise<number> => {
  let removed = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const found = await removeBatch()
    removed += found
    if (found < BATCH) break
  }
  return removed
}

const removeEvents = async (database: Database, { before }: Removal): Promise<number> => {
  const { db, dialect } = database
  const events = await select(db, 'SELECT workspace_id, position, id FROM events WHERE created_at < ? ORDER BY created_at LIMIT ?', [before, BATCH])
  if (events.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['e.id'], events.map(({ id }) => [String(id)]))
  const retries = await select(
    db,
    `SELECT r.endpoint_id, r.event_id FROM events e JOIN event_endpoints p ON p.workspace_id = e.workspace_id
     JOIN event_retries r ON r.endpoint_id = p.id AND r.event_id = e.id WHERE ${sql}`,
    bindings,
  )
  await transact(database, async (trx) => {
    await removeRows(trx, database, RETRIES, retries)
    await removeRows(trx, database, CONTENTS, events)
    await removeRows(trx, database, { ...CONTENTS, table: 'events' }, events)
  })
  return events.length
}

const removeAttempts = async (database: Database, { before }: Removal): Promise<number> => {
  const attempts = await select(
    database.db, 'SELECT endpoint_id, id FROM event_attempts WHERE attempted_at < ? ORDER BY attempted_at LIMIT ?', [before, BATCH],
  )
  await transact(database, (trx) => removeRows(trx, database, ATTEMPTS, attempts))
  return attempts.length
}

/** Removes contents that every enabled endpoint and the broker have got, of workspaces whose applications do not ask for events. */
const removeContents = async (database: Database, removal: Removal): Promise<number> => {
  const contents: Array<Row> = []
  for (const delivered of await deliveredContents(database, removal)) {
    if (contents.length < BATCH) contents.push(...await select(database.db, DELIVERED_CONTENTS, [...delivered, BATCH - contents.length]))
  }
  await transact(database, (trx) => removeRows(trx, database, CONTENTS, contents))
  return contents.length
}

/** The workspaces whose oldest content has been delivered, and the position up to which everything has been. */
const deliveredContents = async ({ db }: Database, { at, hasBroker }: Removal): Promise<ReadonlyArray<readonly [workspace: string, upTo: number]>> => {
  const rows = await select(
    db,
    `SELECT s.workspace_id, ${hasBroker ? 'b.position' : 's.last_position'} AS last_sent,
       (SELECT MIN(p.position) FROM event_endpoints p WHERE p.workspace_id = s.workspace_id AND p.status = 'enabled') AS slowest,
       (SELECT c.position FROM event_contents c WHERE c.workspace_id = s.workspace_id ORDER BY c.position LIMIT 1) AS oldest
     FROM event_streams s ${hasBroker ? "JOIN event_cursors b ON b.workspace_id = s.workspace_id AND b.consumer = 'broker'" : ''}
     WHERE s.pulled_at IS NULL OR s.pulled_at <= ?`,
    [at - PULL_LISTENS_MS],
  )
  return rows.flatMap((row) => {
    const upTo = Math.min(Number(row['last_sent']), Number(row['slowest'] ?? Infinity))
    return row['oldest'] !== null && Number(row['oldest']) <= upTo ? [[String(row['workspace_id']), upTo] as const] : []
  })
}

/** An endpoint that waits to try an event again needs its content. */
const DELIVERED_CONTENTS = `SELECT c.workspace_id, c.position FROM event_contents c
  WHERE c.workspace_id = ? AND c.position <= ? AND NOT EXISTS (
    SELECT 1 FROM events e JOIN event_endpoints p ON p.workspace_id = e.workspace_id
    JOIN event_retries r ON r.endpoint_id = p.id AND r.event_id = e.id WHERE e.workspace_id = c.workspace_id AND e.position = c.position)
  ORDER BY c.position LIMIT ?`

/** A table, and the two columns of its primary key. */
type KeyedTable = { readonly table: string; readonly group: string; readonly key: string; readonly type: ColumnType }

const RETRIES: KeyedTable = { table: 'event_retries', group: 'endpoint_id', key: 'event_id', type: 'text' }
const ATTEMPTS: KeyedTable = { table: 'event_attempts', group: 'endpoint_id', key: 'id', type: 'text' }
const CONTENTS: KeyedTable = { table: 'event_contents', group: 'workspace_id', key: 'position', type: 'integer' }

/** One statement for each endpoint or workspace, because MariaDB finds no index for a list of pairs. */
const removeRows = async (trx: Queryable, { dialect }: Database, { table, group, key, type }: KeyedTable, rows: ReadonlyArray<Row>): Promise<void> => {
  const groups = new Map<string, Array<string | number>>()
  for (const row of rows) {
    const name = String(row[group])
    groups.set(name, [...groups.get(name) ?? [], type === 'text' ? String(row[key]) : Number(row[key])])
  }
  await Promise.all(Array.from(groups).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => {
    const { sql, bindings } = inList(dialect, [key], keys.map((one) => [one]), type)
    return execute(trx, `DELETE FROM ${table} WHERE ${group} = ? AND ${sql}`, [name, ...bindings])
  }))
}
