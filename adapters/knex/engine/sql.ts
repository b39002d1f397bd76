import type { Traced, TraceContext } from '../../../core/kernel/tracing.js'
import { type Dialect, sqlErrorKind, WriteConflict } from './dialect.js'

/** A value as it is bound to a statement. */
export type Bound = string | number | bigint | null

/** A row as the drivers return it: 64-bit integers are numbers, strings or bigints. */
export type Row = Readonly<Record<string, string | number | bigint | null>>

/** The value for one `?` of a statement. PostgreSQL and MySQL also accept a list of values, MySQL also a list of lists. */
export type Binding = Bound | ReadonlyArray<Binding>

/**
 * The target of statements: a database outside of any transaction, or one of its transactions. All access to the drivers uses it, except changes of the schema by knex.
 */
export type Queryable = {
  /** Runs a query and returns its rows. */
  readonly select: (sql: string, values: ReadonlyArray<Binding>) => Promise<ReadonlyArray<Row>>
  /** Runs a statement and returns the number of rows that it inserted, updated or deleted. */
  readonly execute: (sql: string, values: ReadonlyArray<Binding>) => Promise<number>
  /** Runs a statement once for each row and returns the number of changed rows. */
  readonly executeEach: (sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>) => Promise<number>
  /**
   * Runs a statement once for each row. In a transaction of SQLite the statement may still be waiting when this resolves: if it fails, the next statement whose answer
   * is awaited fails with its error, at the latest the commit. With `conflict`, a run that writes no row, or a key that exists, fails with a `WriteConflict` of that
   * text.
   */
  readonly writeEach: (sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>, conflict?: string) => Promise<void>
}

/** The options of a transaction. */
export type TransactionOptions = {
  /** SQLite has one level. */
  readonly isolationLevel?: 'repeatable read' | undefined
  /** If it is aborted, the transaction does not commit. A transaction of a server checks it before the commit, a transaction of SQLite even while the commit is being sent. */
  readonly signal?: AbortSignal | undefined
}

/** A database that can run transactions. */
export type Transactor = Queryable & {
  /** Runs work in a transaction. If the work fails, all of it is rolled back. */
  readonly transaction: <Result>(work: (trx: Queryable) => Promise<Result>, options?: TransactionOptions) => Promise<Result>
  /** The target of look-ups outside of any transaction. Look-ups that are started together share a round trip. If one fails, the others still succeed. */
  readonly lookUps: () => Queryable
}

/** Runs a query and returns its rows. PostgreSQL rejects texts with a NUL, so such a text is changed to one that matches no row. */
export const select = (db: Queryable, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<ReadonlyArray<Row>> =>
  db.select(sql, bindings.map(withoutNul))

const withoutNul = (value: Binding): Binding => {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return typeof value === 'object' && value !== null ? value.map(withoutNul) : value
}

/** Runs a statement and returns the number of rows that it inserted, updated or deleted. */
export const execute = (db: Queryable, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<number> => db.execute(sql, bindings)

/** Runs a write of some rows. With `conflict`, too few written rows and an existing key are a `WriteConflict` of that text. */
export const allWritten = async (rows: number, conflict: string | undefined, write: () => Promise<number>): Promise<void> => {
  try {
    const written = await write()
    if (conflict !== undefined && written !== rows) throw new WriteConflict(conflict)
  } catch (error) {
    throw conflict !== undefined && sqlErrorKind(error) === 'conflict' ? new WriteConflict(conflict) : error
  }
}

/**
 * Waits until all parts of a transaction that were started together have ended, because the transaction may end only then. If several fail, it throws
 * an error after which the transaction may be run again, if there is one, or the first error: the statements after a failed one fail, too, and on MySQL
 * all statements of a text fail with the error of one, and only that one knows what its error means.
 */
export const together = async <const Parts extends ReadonlyArray<Promise<unknown>>>(
  parts: Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> => {
  const failures: Array<unknown> = []
  await Promise.all(parts.map((part) => part.catch((failure: unknown) => { failures.push(failure) })))
  if (failures.length > 0) throw failures.find((failure) => sqlErrorKind(failure) === 'retry') ?? failures[0]
  return Promise.all(parts)
}

export const micros = (value: Row[string] | undefined): bigint => BigInt(value ?? 0)

/** A time in milliseconds since the epoch. */
export const instant = (value: Row[string] | undefined): number => Number(value)

export const instantOrNone = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)

export const textOrNone = (value: Row[string] | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value)

/** The span of a row that has one. */
export const traceIn = ({ traceparent }: Row): Traced => (typeof traceparent === 'string' ? { trace: traceparent as TraceContext } : {})

// Over a network one statement writes all rows. knex and the drivers need about one microsecond for each `?`, so these statements use few of them.
// PostgreSQL gets one array for each column, which also halves its planning time. mysql2 writes the values into the statement's text, so it gets one
// list for each row, or one list of all rows. SQLite runs a statement for one row once for each row, because such a statement is prepared once.

/** The values of a row, in the order of the given columns. */
export type Values = ReadonlyArray<Bound>

/** A part of a statement with its bindings. */
export type Condition = { readonly sql: string; readonly bindings: ReadonlyArray<Binding> }

/** The condition that the columns of a row equal one of the keys; the columns are texts, unless `type` says otherwise. */
export const inList = (
  dialect: Dialect, columns: readonly [string, ...string[]], keys: ReadonlyArray<ReadonlyArray<string | number>>, type: ColumnType = 'text',
): Condition => {
  // MariaDB scans the whole table for an update by a list of one key. For an update by `=` it uses the index.
  if (keys.length === 1) return { sql: columns.map((column) => `${column} = ?`).join(' AND '), bindings: keys.flat() }
  const left = columns.length === 1 ? columns[0] : `(${columns.join(', ')})`
  if (dialect.name === 'postgres') {
    return {
      sql: `${left} IN (SELECT * FROM ${unnest(columns.map(() => type))})`, bindings: columns.map((_, index) => columnOf(keys, index)),
    }
  }
  if (dialect.name === 'mysql') return { sql: `${left} IN (?)`, bindings: [columns.length === 1 ? keys.flat() : keys] }
  const placeholders = repeat(columns.length === 1 ? '?' : rowOf(columns.length), keys.length)
  return { sql: `${left} IN (${columns.length === 1 ? placeholders : `VALUES ${placeholders}`})`, bindings: keys.flat() }
}

/**
 * Inserts rows, whose values are in the order of the columns. `upsert` is the clause for a key that already exists. Without it, and with `conflict`, such a key fails
 * with a `WriteConflict` of that text. On SQLite the insert may still be waiting when this resolves: see `writeEach`.
 */
export const insert = async (
  db: Queryable, dialect: Dialect, table: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Values>, upsert = '',
  conflict?: string,
): Promise<void> => {
  if (rows.length === 0) return
  if (dialect.name === 'postgres') {
    const typed = columns.flatMap((name, index) => typedColumn(rows, index, name))
    const source = unnest(typed.map(({ type }) => type))
    const sql = `INSERT INTO ${table} (${typed.map(({ name }) => name).join(', ')}) SELECT * FROM ${source} ${upsert}`
    await allWritten(rows.length, conflict, () => execute(db, sql, typed.map(({ index }) => columnOf(rows, index))))
  } else if (dialect.name === 'mysql') {
    await allWritten(rows.length, conflict, () => execute(db, `INSERT INTO ${table} (${columns.join(', ')}) VALUES ? ${upsert}`, [rows]))
  } else {
    await db.writeEach(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rowOf(columns.length)} ${upsert}`, rows, conflict)
  }
}

/** A column of the new values; its name must differ from the names of the table's columns. */
export type EachColumn = { readonly name: string; readonly type: ColumnType }

/** The type of a column's values, which PostgreSQL needs for an array. */
export type ColumnType = 'text' | 'integer'

/** An update that gives each row its own values. In `set` and `where`, `v` is the new values and `t` is the table. */
export type EachUpdate = {
  readonly table: string
  /** The columns that identify a row, all of them texts; their values come first. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<EachColumn>
  readonly set: ReadonlyArray<readonly [column: string, value: string]>
  readonly where: string
}

/** The bindings of `set` and of `where`. */
export type EachBindings = { readonly set: Values; readonly where: Values }

/** Runs the update and returns the number of updated rows. */
export const updateEach = (
  db: Queryable, dialect: Dialect, update: EachUpdate, rows: ReadonlyArray<Values>, bindings: EachBindings = NO_BINDINGS,
): Promise<number> => {
  if (dialect.name === 'sqlite') return db.executeEach(...updateOfOne(update, rows, bindings))
  const { table, key, columns, set, where } = update
  const own: ReadonlyArray<EachColumn> = [...key.map((column): EachColumn => ({ name: `key_${column}`, type: 'text' })), ...columns]
  const on = key.map((column) => `t.${column} = v.key_${column}`).join(' AND ')
  const sets = (prefix: string): string => set.map(([column, value]) => `${prefix}${column} = ${value}`).join(', ')
  if (dialect.name === 'mysql') {
    // A placeholder has no type of its own. The casts in the first row give every row its types.
    const firstRow = own.map(({ name, type }) => `${type === 'text' ? '?' : 'CAST(? AS SIGNED)'} AS ${name}`).join(', ')
    return execute(
      db,
      // STRAIGHT_JOIN makes MySQL look each row up by its key. Otherwise its planner, without statistics of `v`, may scan the table.
      `UPDATE (SELECT ${firstRow}${' UNION ALL SELECT ?'.repeat(rows.length - 1)}) AS v STRAIGHT_JOIN ${table} AS t ON ${on} SET ${sets('t.')} WHERE ${where}`,
      [...rows[0] ?? [], ...rows.slice(1), ...bindings.set, ...bindings.where],
    )
  }
  return execute(
    db,
    `UPDATE ${table} AS t SET ${sets('')} FROM ${unnest(own.map(({ type }) => type))} AS v (${own.map(({ name }) => name).join(', ')}) WHERE ${on} AND ${where}`,
    [...bindings.set, ...own.map((_, index) => columnOf(rows, index)), ...bindings.where],
  )
}

/**
 * Runs the update, which must update every row: otherwise another transaction has changed one, and it fails with a `WriteConflict` of that text. On SQLite the update
 * may still be waiting when this resolves: see `writeEach`.
 */
export const updateAll = async (
  db: Queryable, dialect: Dialect, update: EachUpdate, rows: ReadonlyArray<Values>, conflict: string, bindings: EachBindings = NO_BINDINGS,
): Promise<void> =>
  dialect.name === 'sqlite'
    ? db.writeEach(...updateOfOne(update, rows, bindings), conflict)
    : allWritten(rows.length, conflict, () => updateEach(db, dialect, update, rows, bindings))

/** A statement of SQLite for one row, and the values of each row in the order of its placeholders. */
type RowByRow = readonly [sql: string, rows: ReadonlyArray<Values>]

/**
 * SQLite's update of one row. The values are inserted at the places that need them, and are not joined as a table. SQLite would create a temporary table for the join
 * in each run, which took about as long as the update itself.
 */
const updateOfOne = ({ table, key, columns, set, where }: EachUpdate, rows: ReadonlyArray<Values>, bindings: EachBindings): RowByRow => {
  const places: Array<number> = []
  let next = key.length + columns.length
  // A placeholder of `set` or `where` stands for its next value, `v.name` for a value of the row.
  const placed = (sql: string): string => sql.replace(/\?|\bv\.(\w+)/g, (_found, name?: string) => {
    const index = columns.findIndex((column) => column.name === name)
    places.push(name === undefined ? next++ : key.length + index)
    return columns[index]?.type === 'integer' ? 'CAST(? AS INTEGER)' : '?'
  })
  const sets = set.map(([column, value]) => `${column} = ${placed(value)}`).join(', ')
  key.forEach((_, index) => { places.push(index) })
  const sql = `UPDATE ${table} AS t SET ${sets} WHERE ${key.map((column) => `t.${column} = ?`).join(' AND ')} AND ${placed(where)}`
  return [sql, rows.map((row) => {
    const values = [...row, ...bindings.set, ...bindings.where]
    return places.map((place) => values[place] ?? null)
  })]
}

const NO_BINDINGS: EachBindings = { set: [], where: [] }

const rowOf = (columns: number): string => `(${repeat('?', columns)})`

const repeat = (placeholders: string, count: number): string => `${placeholders}, `.repeat(count).slice(0, -2)

/** The rows of arrays of these types, for a `FROM` of PostgreSQL. */
export const unnest = (types: ReadonlyArray<ColumnType>): string =>
  `unnest(${types.map((type) => (type === 'text' ? 'CAST(? AS TEXT[])' : 'CAST(? AS BIGINT[])')).join(', ')})`

/** One column of some rows. */
export const columnOf = (rows: ReadonlyArray<Values>, index: number): Values => rows.map((row) => row[index] ?? null)

/** A column with the type of its values. A column that is null in every row is left out, so that the database inserts null itself. */
const typedColumn = (rows: ReadonlyArray<Values>, index: number, name: string): ReadonlyArray<EachColumn & { readonly index: number }> => {
  const value = rows.find((row) => row[index] !== null)?.[index]
  return value === undefined || value === null ? [] : [{ name, index, type: typeof value === 'string' ? 'text' : 'integer' }]
}

/** An insert of rows that are partly read from another table. In `set`, `v` is the given values. */
export type JoinedInsert = {
  readonly table: string
  /** The columns of the given values. */
  readonly given: ReadonlyArray<EachColumn>
  readonly set: ReadonlyArray<readonly [column: string, value: string]>
  /** The table to join with the given values, and the join condition. */
  readonly join: string
  /** The clause for a key that already exists. */
  readonly upsert?: string
}

/** Inserts a row for each list of given values. A value from the database then need not be read first, which would be a round trip. */
export const insertJoined = async (
  db: Queryable, dialect: Dialect, { table, given, set, join, upsert = '' }: JoinedInsert, rows: ReadonlyArray<Values>,
): Promise<void> => {
  if (rows.length === 0) return
  const names = given.map(({ name }) => name).join(', ')
  const into = `INSERT INTO ${table} (${set.map(([column]) => column).join(', ')}) SELECT ${set.map(([, value]) => value).join(', ')}`
  switch (dialect.name) {
    case 'mysql': {
      const first = given.map(({ name }) => `? AS ${name}`).join(', ')
      // STRAIGHT_JOIN makes MySQL begin with the given values. In the first row a list would be one value, so its values are passed one by one.
      await execute(
        db, `${into} FROM (SELECT ${first}${' UNION ALL SELECT ?'.repeat(rows.length - 1)}) AS v STRAIGHT_JOIN ${join} ${upsert}`,
        [...rows[0] ?? [], ...rows.slice(1)],
      )
      return
    }
    case 'sqlite':
      // Without a WHERE, SQLite would parse the ON of the upsert as the ON of the join.
      await db.writeEach(
        `WITH v (${names}) AS (VALUES (${given.map(() => '?').join(', ')})) ${into} FROM v JOIN ${join} WHERE TRUE ${upsert}`, rows,
      )
      return
    case 'postgres':
      // If two rows have the same key, the first is kept. A join does not guarantee an order: with other statistics PostgreSQL uses a hash join.
      await execute(
        db, `${into} FROM ${unnest(given.map(({ type }) => type))} WITH ORDINALITY AS v (${names}, place) JOIN ${join} ORDER BY v.place ${upsert}`,
        given.map((_, index) => columnOf(rows, index)),
      )
  }
}

/** The texts of one column grouped by the texts of another, such as ids by their workspaces: MariaDB uses no index for a list of pairs. */
export const groupsOf = (
  rows: ReadonlyArray<Row>, group: string, key: string,
): ReadonlyArray<readonly [group: string, keys: ReadonlyArray<string>]> => {
  const groups = new Map<string, Array<string>>()
  for (const row of rows) groups.set(String(row[group]), [...groups.get(String(row[group])) ?? [], String(row[key])])
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}
