import { type Spending, spendingDay } from '../../core/money/wallet.js'
import { type EachUpdate, inList, insert, updateAll } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import type { Table } from './schema-changes.js'
import { micros, type Queryable, select } from './sql.js'

/** What a key with a limit has spent in a day. */
export type SpendingRow = {
  readonly names: readonly [workspace: string, key: string, day: string]
  /** As it was read; undefined if there is no row yet, or if it was not read because no new hold counts for it. */
  readonly read: bigint | undefined
  add: bigint
  /** The most that may have been spent before, so that no new hold passes the limit; undefined without a new hold. */
  most: bigint | undefined
}

/** The rows of some keys and days. */
export type SpendingRows = Map<string, SpendingRow>

/** A hold that counts for the limit of a key. */
export type LimitedHold = { readonly workspace: string; readonly at: number; readonly spending: Spending }

/** The table of what each key with a limit has spent in each day. */
export const KEY_SPENDING: Readonly<Record<string, Table>> = {
  key_spending: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('key_id', KEY_ID).notNullable()
    table.string('on_day', 10).notNullable()
    table.bigInteger('spent').notNullable()
    table.primary(['workspace_id', 'key_id', 'on_day'])
  },
}

/** The length of a column with the id of a key. */
export const KEY_ID = 64

/** Reads what the keys of new holds have spent on the days of the holds. Without a hold that counts for a limit it asks nothing. */
export const readSpending = async (dialect: Dialect, trx: Queryable, holds: ReadonlyArray<LimitedHold>): Promise<SpendingRows> => {
  const rows: SpendingRows = new Map()
  for (const { workspace, at, spending } of holds) spendingRow(rows, workspace, spending.key, at)
  if (rows.size === 0) return rows
  const { sql, bindings } = inList(dialect, KEY, Array.from(rows.values(), ({ names }) => names))
  for (const found of await select(trx, `SELECT ${KEY.join(', ')}, spent FROM key_spending WHERE ${sql}`, bindings)) {
    const names = [String(found['workspace_id']), String(found['key_id']), String(found['on_day'])] as const
    rows.set(names.join(' '), { names, read: micros(found['spent']), add: 0n, most: undefined })
  }
  return rows
}

/** What keys have spent on the day of a moment, each found by its primary key. */
export const spentBy = async (
  db: Queryable, dialect: Dialect, { workspace, keys, at }: { readonly workspace: string; readonly keys: ReadonlyArray<string>; readonly at: number },
): Promise<ReadonlyMap<string, bigint>> => {
  const spent = new Map(keys.map((key) => [key, 0n]))
  if (spent.size === 0) return spent
  const { sql, bindings } = inList(dialect, KEY, Array.from(spent.keys(), (key) => [workspace, key, spendingDay(at)]))
  for (const row of await select(db, `SELECT key_id, spent FROM key_spending WHERE ${sql}`, bindings)) spent.set(String(row['key_id']), micros(row['spent']))
  return spent
}

/** The row of a key on the day of a moment; one that was not read is added. */
export const spendingRow = (rows: SpendingRows, workspace: string, key: string, at: number): SpendingRow => {
  const names = [workspace, key, spendingDay(at)] as const
  const name = names.join(' ')
  const row = rows.get(name) ?? { names, read: undefined, add: 0n, most: undefined }
  rows.set(name, row)
  return row
}

/** Adds the price of a new hold, for which the limit must leave room. */
export const spend = (row: SpendingRow, price: bigint, limit: bigint): void => {
  row.add += price
  const most = limit - row.add
  row.most = row.most === undefined || most < row.most ? most : row.most
}

/** Writes what has changed. If another transaction has spent so much meanwhile that a limit would be passed, the update matches too few rows. */
export const writeSpending = async (dialect: Dialect, trx: Queryable, rows: SpendingRows): Promise<void> => {
  const changed = [...rows].filter(([, { add }]) => add !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  if (changed.length === 0) return
  const missing = changed.filter(({ read, most }) => read === undefined && most !== undefined)
  await Promise.all([
    insert(trx, dialect, 'key_spending', [...KEY, 'spent'], missing.map(({ names }) => [...names, 0]), KEEP_FIRST[dialect.name]),
    updateAll(
      trx, dialect, ADD_TO_SPENDING, changed.map(({ names, add, most }) => [...names, add, most ?? NO_LIMIT]), 'a key was used by another transaction',
    ),
  ])
}

const KEY = ['workspace_id', 'key_id', 'on_day'] as const

const ADD_TO_SPENDING: EachUpdate = {
  table: 'key_spending',
  key: KEY,
  columns: [{ name: 'add_spent', type: 'integer' }, { name: 'most_spent', type: 'integer' }],
  set: [['spent', 't.spent + v.add_spent']],
  where: 't.spent <= v.most_spent',
}

const KEEP_FIRST = {
  mysql: 'ON DUPLICATE KEY UPDATE key_spending.spent = key_spending.spent',
  postgres: `ON CONFLICT (${KEY.join(', ')}) DO NOTHING`,
  sqlite: `ON CONFLICT (${KEY.join(', ')}) DO NOTHING`,
} as const

/** Higher than all that can be spent. */
const NO_LIMIT = 2n ** 62n
