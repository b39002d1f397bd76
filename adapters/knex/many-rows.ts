import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { execute, type Binding, type Bound } from './sql.js'

// knex and the drivers take a microsecond for each `?`. So PostgreSQL is given a list for each column, which it also plans
// in half the time, and mysql2, which writes a statement out before it is sent, a list for each row or one of all rows.

/** The values of a row, in the order of some columns. */
type Values = ReadonlyArray<Bound>

/** A part of a statement with what is bound for it. */
export type Condition = { readonly sql: string; readonly bindings: ReadonlyArray<Binding> }

/** The condition that a row's columns, all texts, equal one of several lists of values. */
export const among = (dialect: Dialect, columns: readonly [string, ...string[]], keys: ReadonlyArray<ReadonlyArray<string>>): Condition => {
  // MariaDB scans the whole table to update the one row that a list of one names; told so plainly, it looks it up.
  if (keys.length === 1) return { sql: columns.map((column) => `${column} = ?`).join(' AND '), bindings: keys.flat() }
  const named = columns.length === 1 ? columns[0] : `(${columns.join(', ')})`
  if (dialect.name === 'postgres') {
    return { sql: `${named} IN (SELECT * FROM ${unnested(columns.map(() => 'text'))})`, bindings: columns.map((_, place) => listOf(keys, place)) }
  }
  if (dialect.name === 'mysql') return { sql: `${named} IN (?)`, bindings: [columns.length === 1 ? keys.flat() : keys] }
  const marks = repeated(columns.length === 1 ? '?' : marksOf(columns.length), keys.length)
  return { sql: `${named} IN (${columns.length === 1 ? marks : `VALUES ${marks}`})`, bindings: keys.flat() }
}

/** Inserts rows given as lists of values in the order of the columns; `upsert` says what to do where a key is taken. */
export const insert = async (
  db: Knex, dialect: Dialect, table: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Values>, upsert = '',
): Promise<void> => {
  if (rows.length === 0) return
  if (dialect.name === 'postgres') {
    const typed = columns.flatMap((name, place) => typeIn(rows, place, name))
    const lists = unnested(typed.map(({ type }) => type))
    await execute(db, `INSERT INTO ${table} (${typed.map(({ name }) => name).join(', ')}) SELECT * FROM ${lists} ${upsert}`, typed.map(({ place }) => listOf(rows, place)))
  } else if (dialect.name === 'mysql') {
    await execute(db, `INSERT INTO ${table} (${columns.join(', ')}) VALUES ? ${upsert}`, [rows])
  } else {
    await execute(db, `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${repeated(marksOf(columns.length), rows.length)} ${upsert}`, rows.flat())
  }
}

/** A column of the values that rows are updated with; none may be named as a column of the table is. */
export type EachColumn = { readonly name: string; readonly type: ColumnType }

/** What a column holds, as far as it matters for a list of its values. */
export type ColumnType = 'text' | 'integer'

/** An update of many rows, each with values of its own, which `set` and `where` call `v.…` and the row `t.…`. */
export type EachUpdate = {
  readonly table: string
  /** The columns that name a row, all texts; their values come first. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<EachColumn>
  readonly set: ReadonlyArray<readonly [column: string, value: string]>
  readonly where: string
}

/** Updates each row with its own values and gives the number of rows touched; `bindings` are those of `set`, then of `where`. */
export const updateEach = (
  db: Knex, dialect: Dialect, { table, key, columns, set, where }: EachUpdate,
  rows: ReadonlyArray<Values>, bindings: { readonly set: Values; readonly where: Values } = NO_BINDINGS,
): Promise<number> => {
  const own: ReadonlyArray<EachColumn> = [...key.map((column): EachColumn => ({ name: `key_${column}`, type: 'text' })), ...columns]
  const names = own.map(({ name }) => name).join(', ')
  // A binding is taken for an integer only where something says so, and the first row speaks for all.
  const first = own.map(({ type }) => (type === 'text' ? '?' : `CAST(? AS ${dialect.name === 'mysql' ? 'SIGNED' : 'INTEGER'})`))
  const on = key.map((column) => `t.${column} = v.key_${column}`).join(' AND ')
  const sets = (prefix: string): string => set.map(([column, value]) => `${prefix}${column} = ${value}`).join(', ')
  switch (dialect.name) {
    case 'mysql': {
      const named = first.map((mark, place) => `${mark} AS ${own[place]?.name}`).join(', ')
      return execute(
        db,
        // In this order: each row is looked up by its key, however the planner rates a list it knows nothing of.
        `UPDATE (SELECT ${named}${' UNION ALL SELECT ?'.repeat(rows.length - 1)}) AS v STRAIGHT_JOIN ${table} AS t ON ${on} SET ${sets('t.')} WHERE ${where}`,
        [...rows[0] ?? [], ...rows.slice(1), ...bindings.set, ...bindings.where],
      )
    }
    case 'sqlite':
      return execute(
        db,
        `WITH v (${names}) AS (VALUES (${first.join(', ')})${`, ${marksOf(own.length)}`.repeat(rows.length - 1)})
         UPDATE ${table} AS t SET ${sets('')} FROM v WHERE ${on} AND ${where}`,
        [...rows.flat(), ...bindings.set, ...bindings.where],
      )
    case 'postgres':
      return execute(
        db,
        `UPDATE ${table} AS t SET ${sets('')} FROM ${unnested(own.map(({ type }) => type))} AS v (${names}) WHERE ${on} AND ${where}`,
        [...bindings.set, ...own.map((_, place) => listOf(rows, place)), ...bindings.where],
      )
  }
}

const NO_BINDINGS = { set: [], where: [] }

const marksOf = (count: number): string => `(${'?, '.repeat(count).slice(0, -2)})`

const repeated = (marks: string, count: number): string => `${marks}, `.repeat(count).slice(0, -2)

const unnested = (types: ReadonlyArray<ColumnType>): string =>
  `unnest(${types.map((type) => (type === 'text' ? 'CAST(? AS TEXT[])' : 'CAST(? AS BIGINT[])')).join(', ')})`

const listOf = (rows: ReadonlyArray<Values>, place: number): Values => rows.map((row) => row[place] ?? null)

/** A column as its values tell it; one that is null in every row is left out, which inserts the same. */
const typeIn = (rows: ReadonlyArray<Values>, place: number, name: string): ReadonlyArray<EachColumn & { readonly place: number }> => {
  const value = rows.find((row) => row[place] !== null)?.[place]
  return value === undefined || value === null ? [] : [{ name, place, type: typeof value === 'string' ? 'text' : 'integer' }]
}
