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
export const among = (dialect: Dialect, columns: readonly [string, ...string[]], count: number): string => {
  // MariaDB scans the whole table to update the one row that a list of one names; told so plainly, it looks it up.
  if (count === 1) return columns.map((column) => `${column} = ?`).join(' AND ')
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

/** A column of the values that rows are updated with; none may be named as a column of the table is. */
export type EachColumn = { readonly name: string; readonly type: 'text' | 'integer' }

/** An update of many rows, each with values of its own, which `set` and `where` call `v.…` and the row `t.…`. */
export type EachUpdate = {
  readonly table: string
  /** The columns that name a row; their values come first. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<EachColumn>
  readonly set: ReadonlyArray<readonly [column: string, value: string]>
  readonly where: string
}

/** Updates each row with its own values and gives the number of rows touched; `bindings` are those of `set`, then of `where`. */
export const updateEach = (
  db: Knex, dialect: Dialect, { table, key, columns, set, where }: EachUpdate,
  rows: ReadonlyArray<ReadonlyArray<Bound>>, bindings: { readonly set: ReadonlyArray<Bound>; readonly where: ReadonlyArray<Bound> } = NO_BINDINGS,
): Promise<number> => {
  const names = [...key.map((column) => `key_${column}`), ...columns.map(({ name }) => name)]
  const first = [...key.map(() => dialect.cast.text), ...columns.map(({ type }) => dialect.cast[type])]
  const others = names.map(() => '?').join(', ')
  const on = key.map((column) => `t.${column} = v.key_${column}`).join(' AND ')
  const values = rows.flat()
  if (dialect.name === 'mysql') {
    const named = first.map((mark, place) => `${mark} AS ${names[place]}`).join(', ')
    const sets = set.map(([column, value]) => `t.${column} = ${value}`).join(', ')
    return execute(
      db,
      // In this order: each row is looked up by its key, however the planner rates a list it knows nothing of.
      `UPDATE (SELECT ${named}${` UNION ALL SELECT ${others}`.repeat(rows.length - 1)}) AS v STRAIGHT_JOIN ${table} AS t ON ${on} SET ${sets} WHERE ${where}`,
      [...values, ...bindings.set, ...bindings.where],
    )
  }
  const sets = set.map(([column, value]) => `${column} = ${value}`).join(', ')
  return execute(
    db,
    `WITH v (${names.join(', ')}) AS (VALUES (${first.join(', ')})${`, (${others})`.repeat(rows.length - 1)})
     UPDATE ${table} AS t SET ${sets} FROM v WHERE ${on} AND ${where}`,
    [...values, ...bindings.set, ...bindings.where],
  )
}

const NO_BINDINGS = { set: [], where: [] }
