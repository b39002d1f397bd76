import type { Knex } from 'knex'
import { ask } from './together.js'

/** A value as it is bound to a statement. */
export type Bound = string | number | bigint | null

/** One row as the drivers give it: 64-bit integers come as numbers, strings or bigints. */
export type Row = Readonly<Record<string, string | number | bigint | null>>

/** What stands for one `?` of a statement: a value, on PostgreSQL and MySQL also a list of them, on MySQL even of such lists. */
export type Binding = Bound | ReadonlyArray<Binding>

/** Runs a query and gives its rows. A text with a NUL, which PostgreSQL cannot even be asked for, finds nothing. */
export const select = async (db: Knex, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<ReadonlyArray<Row>> =>
  rowsOf(await run(db, sql, bindings.map(askable)))

const askable = (value: Binding): Binding => {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return typeof value === 'object' && value !== null ? value.map(askable) : value
}

/** Runs a statement and gives the number of rows it touched. */
export const execute = async (db: Knex, sql: string, bindings: ReadonlyArray<Binding> = []): Promise<number> => {
  const answer = await run(db, sql, bindings)
  if (isList(answer)) return (answer[0] as { readonly affectedRows?: number } | undefined)?.affectedRows ?? 0
  return answer.rowCount ?? answer.changes ?? 0
}

/** What the drivers answer: `pg`, and better-sqlite3 to a write, an object; mysql2 a pair; better-sqlite3 to a query, rows. */
type Answer = { readonly rows?: ReadonlyArray<Row>; readonly rowCount?: number | null; readonly changes?: number } | ReadonlyArray<unknown>

const run = (db: Knex, sql: string, bindings: ReadonlyArray<Binding>): Promise<Answer> => ask(db, { sql, bindings }) as Promise<Answer>

const isList = (answer: Answer): answer is ReadonlyArray<unknown> => Array.isArray(answer)

const rowsOf = (answer: Answer): ReadonlyArray<Row> => {
  if (!isList(answer)) return answer.rows ?? []
  return (Array.isArray(answer[0]) ? answer[0] : answer) as ReadonlyArray<Row>
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
