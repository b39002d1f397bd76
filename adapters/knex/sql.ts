import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'

/** A value as it is bound to a statement. */
export type Bound = string | number | bigint | null

/** One row as the drivers give it: 64-bit integers come as numbers, strings or bigints. */
export type Row = Readonly<Record<string, string | number | bigint | null>>

/** Runs a query and gives its rows. A text with a NUL, which PostgreSQL cannot even be asked for, finds nothing. */
export const select = async (db: Knex, sql: string, bindings: ReadonlyArray<Bound> = []): Promise<ReadonlyArray<Row>> => {
  const askable = bindings.map((value) => (typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value))
  return rowsOf(await run(db, sql, askable))
}

/** Runs a statement and gives the number of rows it touched. */
export const execute = async (db: Knex, sql: string, bindings: ReadonlyArray<Bound> = []): Promise<number> => {
  const answer = await run(db, sql, bindings)
  if (isList(answer)) return (answer[0] as { readonly affectedRows?: number } | undefined)?.affectedRows ?? 0
  return answer.rowCount ?? answer.changes ?? 0
}

/** What the drivers answer: `pg`, and better-sqlite3 to a write, an object; mysql2 a pair; better-sqlite3 to a query, rows. */
type Answer = { readonly rows?: ReadonlyArray<Row>; readonly rowCount?: number | null; readonly changes?: number } | ReadonlyArray<unknown>

const run = (db: Knex, sql: string, bindings: ReadonlyArray<Bound>): Promise<Answer> =>
  db.raw<Answer>(sql, bindings as ReadonlyArray<Knex.Value>)

const isList = (answer: Answer): answer is ReadonlyArray<unknown> => Array.isArray(answer)

const rowsOf = (answer: Answer): ReadonlyArray<Row> => {
  if (!isList(answer)) return answer.rows ?? []
  return (Array.isArray(answer[0]) ? answer[0] : answer) as ReadonlyArray<Row>
}

/** Inserts rows given as lists of values in the order of the columns; `upsert` says what to do where a key is taken. */
export const insert = async (
  db: Knex, table: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Bound>>, upsert = '',
): Promise<void> => {
  if (rows.length === 0) return
  const marks = `(${columns.map(() => '?').join(', ')})`
  await execute(db, `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')} ${upsert}`, rows.flat())
}

/** A condition that a row's columns equal one of several lists of values. */
export const among = (
  dialect: Dialect, columns: readonly [string, ...string[]], count: number,
): string => {
  if (columns.length === 1) return `${columns[0]} IN (${'?, '.repeat(count).slice(0, -2)})`
  const mark = `(${columns.map(() => '?').join(', ')})`
  const marks = new Array<string>(count).fill(mark).join(', ')
  return `(${columns.join(', ')}) IN (${dialect.name === 'mysql' ? marks : `VALUES ${marks}`})`
}

/** A 64-bit integer that counts micros. */
export const micros = (value: Row[string] | undefined): bigint => BigInt(value ?? 0)

/** A 64-bit integer that counts milliseconds since the epoch. */
export const instant = (value: Row[string] | undefined): number => Number(value)

/** A moment that may be absent. */
export const instantOrNone = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)

/** A text that may be absent. */
export const textOrNone = (value: Row[string] | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value)

/** A value for each of some keys, as `CASE key WHEN … THEN … END` with its bindings. */
export type ByKey = { readonly sql: string; readonly bindings: ReadonlyArray<Bound> }

/** Integers by key, cast so that every database takes them for what they are. */
export const integersByKey = (
  dialect: Dialect, column: string, values: ReadonlyArray<readonly [key: string, value: bigint | number | null]>,
): ByKey => byKey(column, `CAST(? AS ${dialect.integer})`, values)

/** Texts by key. */
export const textsByKey = (column: string, values: ReadonlyArray<readonly [key: string, value: string | null]>): ByKey =>
  byKey(column, '?', values)

const byKey = (column: string, value: string, values: ReadonlyArray<readonly [string, Bound]>): ByKey => ({
  sql: `CASE ${column} ${`WHEN ? THEN ${value} `.repeat(values.length)}END`,
  bindings: values.flat(),
})
