import { forgetRecord, lastReportOf, type PhoneNumber, variantsOf } from '../../core/customers/customer.js'
import type { Instant } from '../../core/kernel/time.js'
import type { ForgetQuery, ForgetStep, Forgotten } from '../../core/privacy.js'
import { inList } from './bulk-sql.js'
import { recordIn } from './customers.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import { removeOldLost } from './forget-lost.js'
import { canForget, type DigestOf, FORGET_COLUMNS, forgetMessages, groupsOf } from './forget-messages.js'
import { execute, type Queryable, type Row, select } from './sql.js'
import { transact } from './transact.js'

/**
 * Forgets what is old among the next records: messages first, then customers, windows and lost messages, each by workspace and key.
 *
 * The records of a step are read by their primary key, whether they are old or not, because no table has an index by age: an index would cost every send.
 */
export const forgetStep = async (database: Database, { before, limit, cursor }: ForgetQuery, digestOf: DigestOf): Promise<ForgetStep> => {
  const place = placeIn(cursor)
  const { columns, table, key } = TABLES[place.kind]
  const { dialect } = database
  const { rows, count } = await transact(database, async (trx) => {
    const from = place.kind === 'messages' && dialect.name === 'mysql' ? `${table} FORCE INDEX (messages_workspace)` : table
    const found = await select(
      trx, `SELECT ${columns} FROM ${from} WHERE ${isAfter(dialect, key)} ORDER BY workspace_id, ${key} LIMIT ?`,
      [...(dialect.name === 'mysql' ? [place.workspace] : []), place.workspace, place.key, limit],
    )
    return { rows: found, count: await FORGET[place.kind]({ trx, dialect, before, digestOf }, found) }
  })
  const last = rows.length === limit ? rows.at(-1) : undefined
  const next = last === undefined ? FIRST_OF[place.kind] : { kind: place.kind, workspace: String(last['workspace_id']), key: String(last[key]) }
  return { forgotten: { messages: 0, customers: 0, windows: 0, [place.kind === 'lost' ? 'messages' : place.kind]: count }, next: next && JSON.stringify([next.kind, next.workspace, next.key]) }
}

/** Lost messages are counted among the messages. */
type Kind = keyof Forgotten | 'lost'

/** The last record that was looked at. */
type Place = { readonly kind: Kind; readonly workspace: string; readonly key: string }

const START: Place = { kind: 'messages', workspace: '', key: '' }

/** The place before the first record of the next kind. */
const FIRST_OF: Readonly<Record<Kind, Place | undefined>> = {
  messages: { ...START, kind: 'customers' }, customers: { ...START, kind: 'windows' }, windows: { ...START, kind: 'lost' }, lost: undefined,
}

const TABLES: Readonly<Record<Kind, { readonly table: string; readonly key: string; readonly columns: string }>> = {
  messages: { table: 'messages', key: 'id', columns: FORGET_COLUMNS },
  customers: { table: 'customers', key: 'customer_id', columns: '*' },
  windows: { table: 'windows', key: 'customer', columns: 'workspace_id, customer' },
  lost: { table: 'lost_messages', key: 'message_id', columns: 'workspace_id, message_id' },
}

/** MySQL finds no index for a comparison of pairs, PostgreSQL none for two conditions with OR. */
const isAfter = (dialect: Dialect, key: string): string =>
  dialect.name === 'mysql' ? `(workspace_id > ? OR (workspace_id = ? AND ${key} > ?))` : `(workspace_id, ${key}) > (?, ?)`

const placeIn = (cursor: string | undefined): Place => {
  try {
    const [kind, workspace, key] = JSON.parse(cursor ?? '[]') as ReadonlyArray<unknown>
    return typeof kind === 'string' && kind in TABLES && typeof workspace === 'string' && typeof key === 'string'
      ? { kind: kind as Place['kind'], workspace, key }
      : START
  } catch {
    return START
  }
}

/** A step's transaction, and what it needs. */
type Step = { readonly trx: Queryable; readonly dialect: Dialect; readonly before: Instant; readonly digestOf: DigestOf }

const forgetOldCustomers = async ({ trx, dialect, before }: Step, rows: ReadonlyArray<Row>): Promise<number> => {
  const old = rows.map((row) => ({ row, record: recordIn(row) })).filter(({ record }) => (lastReportOf(record) ?? -Infinity) < before)
  const open = await idsThatWrote({ trx, dialect, before }, old.map(({ row }) => row))
  const unseen = old.filter(({ row }) => !idsIn(row).some((id) => open.has(`${row['workspace_id']} ${id}`)))
  const [removed, reduced] = [unseen.filter(({ record }) => forgetRecord(record) === undefined), unseen.filter(({ record }) => forgetRecord(record) !== undefined)]
  let count = 0
  // A report since then has moved one of these moments.
  const isOld = '(paired_at IS NULL OR paired_at < ?) AND (confirmed_at IS NULL OR confirmed_at < ?) AND (named_at IS NULL OR named_at < ?)'
  for (const [statement, some] of [
    [`DELETE FROM customers WHERE (opted_out IS NULL OR opted_out = 0) AND ${isOld}`, removed],
    [`UPDATE customers SET name = NULL, username = NULL, named_at = NULL WHERE named_at IS NOT NULL AND ${isOld}`, reduced],
  ] as const) {
    for (const [workspace, ids] of groupsOf(some.map(({ row }) => row), 'workspace_id', 'customer_id')) {
      const { sql, bindings } = inList(dialect, ['customer_id'], ids.map((id) => [id]))
      count += await execute(trx, `${statement} AND workspace_id = ? AND ${sql}`, [before, before, before, workspace, ...bindings])
    }
  }
  return count
}

/** Every id under which a customer's window may be. */
const idsIn = (row: Row): ReadonlyArray<string> =>
  [row['customer_id'], row['other']].flatMap((id) => (typeof id === 'string' ? variantsOf(id as PhoneNumber) : []))

/** The ids, after their workspaces, under which a message was received since the moment. */
const idsThatWrote = async ({ trx, dialect, before }: Omit<Step, 'digestOf'>, rows: ReadonlyArray<Row>): Promise<ReadonlySet<string>> => {
  const keys = rows.flatMap((row) => idsIn(row).map((id) => [String(row['workspace_id']), id]))
  if (keys.length === 0) return new Set()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], keys)
  const found = await select(
    trx, `SELECT workspace_id, customer FROM windows WHERE (last_inbound >= ? OR stated_at >= ?) AND ${sql}`, [before, before, ...bindings],
  )
  return new Set(found.map((row) => `${row['workspace_id']} ${row['customer']}`))
}

const forgetOldWindows = async ({ trx, dialect, before }: Step, rows: ReadonlyArray<Row>): Promise<number> => {
  let count = 0
  for (const [workspace, ids] of groupsOf(rows, 'workspace_id', 'customer')) {
    const { sql, bindings } = inList(dialect, ['customer'], ids.map((id) => [id]))
    count += await execute(
      trx, `DELETE FROM windows WHERE workspace_id = ? AND last_inbound < ? AND (stated_at IS NULL OR stated_at < ?) AND ${sql}`,
      [workspace, before, before, ...bindings],
    )
  }
  return count
}

const FORGET: Readonly<Record<Kind, (step: Step, rows: ReadonlyArray<Row>) => Promise<number>>> = {
  messages: ({ trx, dialect, before, digestOf }, rows) =>
    forgetMessages(trx, dialect, rows.filter((row) => canForget(row) && Number(row['created_at']) < before), digestOf),
  customers: forgetOldCustomers,
  windows: forgetOldWindows,
  lost: ({ trx, dialect, before }, rows) => removeOldLost(trx, dialect, before, rows),
}
