import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Page, pageOf } from '../../../core/kernel/page.js'
import type { Instant } from '../../../core/kernel/time.js'
import { type LoggedRequest, REFUSED, type RequestLog, type RequestQuery } from '../../../core/requests/request-log.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { storableText } from '../engine/dialect.js'
import { type Bound, execute, groupsOf, inList, insert, instant, type Row, select, textOrNone } from '../engine/sql.js'

const COLUMNS = [
  'workspace_id', 'id', 'request_id', 'key_id', 'method', 'route', 'status', 'code', 'message_id', 'duration_ms', 'left_out', 'created_at',
] as const
const SELECTED = COLUMNS.join(', ')

/** The request log over SQL. */
export const makeRequestLog = (database: Database): RequestLog => {
  const { db, dialect } = database
  return {
    append: (entries) => tasks.value(() => transact(database, (trx) =>
      insert(
        trx, dialect, 'request_log', COLUMNS, entries.map(rowOf),
        dialect.insertIgnore('request_log', dialect.name === 'mysql' ? ['id'] : ['workspace_id', 'id']),
      ))),
    list: (workspace, query) => tasks.value(() => list(database, workspace, query)),
    find: (workspace, id) => tasks.value(async () => {
      const [row] = await select(db, `SELECT ${SELECTED} FROM request_log WHERE workspace_id = ? AND id = ?`, [workspace, id])
      return row === undefined ? O.none : O.some(entryIn(row))
    }),
    removeOld: (before, limit) => tasks.value(() => removeOld(database, before, limit)),
  }
}

type Where = readonly [condition: string, value: Bound]

const list = async (
  { db, dialect }: Database, workspace: WorkspaceId, { limit, cursor, look, requestId, ...filters }: RequestQuery,
): Promise<Page<LoggedRequest>> => {
  const near: ReadonlyArray<Where> = [['workspace_id = ?', workspace], ...given('id < ?', cursor), ...given('request_id = ?', requestId)]
  // The id of a request has a separate index.
  const table = requestId === undefined ? dialect.byWorkspace('request_log') : 'request_log'
  const end = look === undefined || requestId !== undefined ? undefined : await endOfLook(db, table, near, look)
  const wanted = [
    ...near, ...given('id >= ?', end), ...given('key_id = ?', filters.key), ...given('code = ?', filters.code),
    ...given('status >= ?', filters.isRefused && REFUSED),
  ]
  const rows = await select(db, `SELECT ${SELECTED} FROM ${table} WHERE ${sqlOf(wanted)} ORDER BY id DESC LIMIT ?`, [
    ...wanted.map(([, value]) => value), limit + 1,
  ])
  const page = pageOf(rows.map(entryIn), limit, ({ id }) => id)
  return page.next === undefined ? { ...page, next: end } : page
}

/** The id of the last entry to read, which is the cursor for the rest; none if all are read. */
const endOfLook = async (db: Database['db'], table: string, near: ReadonlyArray<Where>, look: number): Promise<string | undefined> => {
  const [last, following] = await select(
    db, `SELECT id FROM ${table} WHERE ${sqlOf(near)} ORDER BY id DESC LIMIT 2 OFFSET ?`, [...near.map(([, value]) => value), look - 1],
  )
  return last === undefined || following === undefined ? undefined : String(last['id'])
}

const given = (condition: string, value: Bound | undefined): ReadonlyArray<Where> => (value === undefined ? [] : [[condition, value]])

const sqlOf = (conditions: ReadonlyArray<Where>): string => conditions.map(([condition]) => condition).join(' AND ')

const removeOld = async (database: Database, before: Instant, limit: number): Promise<number> => {
  const rows = await select(
    database.db, 'SELECT workspace_id, id FROM request_log WHERE created_at < ? ORDER BY created_at LIMIT ?', [before, limit],
  )
  await transact(database, async (trx) => {
    for (const [workspace, ids] of groupsOf(rows, 'workspace_id', 'id')) {
      const { sql, bindings } = inList(database.dialect, ['id'], ids.map((id) => [id]))
      await execute(trx, `DELETE FROM request_log WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
    }
  })
  return rows.length
}

const rowOf = ({
  workspace, id, requestId, key, method, route, status, code, message, durationMs, leftOut, at,
}: LoggedRequest): ReadonlyArray<Bound> => [
  workspace, id, storableText(requestId, 128), storableText(key, 64), storableText(method, 16), storableText(route, 128), status,
  code === undefined ? null : storableText(code, 64), message ?? null, Math.round(durationMs), leftOut ?? null, at,
]

const entryIn = (row: Row): LoggedRequest => {
  const [code, message] = [textOrNone(row['code']), textOrNone(row['message_id'])]
  return {
    id: String(row['id']), workspace: row['workspace_id'] as WorkspaceId, requestId: String(row['request_id']), key: String(row['key_id']),
    method: String(row['method']), route: String(row['route']), status: Number(row['status']), durationMs: Number(row['duration_ms']),
    at: instant(row['created_at']), ...(code !== undefined && { code }), ...(message !== undefined && { message }),
    ...(row['left_out'] !== null && { leftOut: Number(row['left_out']) }),
  }
}

const tasks = portTasks('RequestLog')
