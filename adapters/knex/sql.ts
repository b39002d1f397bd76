import type { Knex } from 'knex'
import { ServerStatements } from './server-database.js'
import { sqlErrorKind, WriteConflict } from './sql-error.js'
import { SqliteStatements } from './sqlite-connection.js'
import { runStatement } from './statement-pipeline.js'

/** What statements run on: a database, or one of its transactions. */
export type Queryable = Knex | ServerStatements | SqliteStatements

/** A value as it is bound to a statement. */
export type Bound = string | number | bigint | null

/** A row as the drivers return it: 64-bit integers are numbers, strings or bigints. */
export type Row = Readonly<Record<string, string | number | bigint | null>>

/** The value for one `?` of a statement. PostgreSQL and MySQL also take a list of values, MySQL also a list of lists. */
export type Binding = Bound | ReadonlyArray<Binding>

/** Runs a query and returns its rows. PostgreSQL rejects texts with a NUL, so such a text is changed to one that matches no row. */
export const select = async (db: Queryable, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<ReadonlyArray<Row>> => {
  const values = bindings.map(withoutNul)
  return db instanceof SqliteStatements ? db.select(sql, values) : rowsOf(await run(db, sql, values))
}

const withoutNul = (value: Binding): Binding => {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return typeof value === 'object' && value !== null ? value.map(withoutNul) : value
}

/** Runs a statement and returns the number of rows that it inserted, updated or deleted. */
export const execute = async (db: Queryable, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<number> => {
  if (db instanceof SqliteStatements) return db.execute(sql, bindings)
  const answer = await run(db, sql, bindings)
  if (isList(answer)) return (answer[0] as { readonly affectedRows?: number } | undefined)?.affectedRows ?? 0
  return answer.rowCount ?? answer.changes ?? 0
}

/** A driver's answer: an object (`pg`, and better-sqlite3 for a write), a pair (mysql2) or rows (better-sqlite3 for a query). */
type Answer = { readonly rows?: ReadonlyArray<Row>; readonly rowCount?: number | null; readonly changes?: number } | ReadonlyArray<unknown>

/** Runs a statement of SQLite once for each row and returns the number of rows that it changed. */
export const executeEach = async (db: Queryable, sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>): Promise<number> => {
  if (db instanceof SqliteStatements) return db.executeEach(sql, rows)
  let changes = 0
  for (const row of rows) changes += await execute(db, sql, row)
  return changes
}

/**
 * Runs a statement of SQLite once for each row, without waiting for it in a transaction of a file: see `SqliteStatements.writeEach`. With `conflict`, a run
 * that writes no row, or a key that exists, fails with a `WriteConflict` of that text.
 */
export const writeEach = async (db: Queryable, sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>, conflict?: string): Promise<void> => {
  if (db instanceof SqliteStatements) return db.writeEach(sql, rows, conflict)
  await allWritten(rows.length, conflict, () => executeEach(db, sql, rows))
}

/** Runs a write of some rows. With `conflict`, too few written rows and a key that exists are a `WriteConflict` of that text. */
export const allWritten = async (rows: number, conflict: string | undefined, write: () => Promise<number>): Promise<void> => {
  try {
    const written = await write()
    if (conflict !== undefined && written !== rows) throw new WriteConflict(conflict)
  } catch (error) {
    throw conflict !== undefined && sqlErrorKind(error) === 'conflict' ? new WriteConflict(conflict) : error
  }
}

const run = (db: Knex | ServerStatements, sql: string, bindings: ReadonlyArray<Binding>): Promise<Answer> =>
  (db instanceof ServerStatements ? db.run(sql, bindings) : runStatement(db, { sql, bindings })) as Promise<Answer>

const isList = (answer: Answer): answer is ReadonlyArray<unknown> => Array.isArray(answer)

const rowsOf = (answer: Answer): ReadonlyArray<Row> => {
  if (!isList(answer)) return answer.rows ?? []
  return (Array.isArray(answer[0]) ? answer[0] : answer) as ReadonlyArray<Row>
}

export const micros = (value: Row[string] | undefined): bigint => BigInt(value ?? 0)

/** A moment in milliseconds since the epoch. */
export const instant = (value: Row[string] | undefined): number => Number(value)

export const instantOrNone = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)

export const textOrNone = (value: Row[string] | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value)
