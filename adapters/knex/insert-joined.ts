import { columnOf, unnest, type EachColumn, type Values } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { execute, writeEach, type Queryable } from './sql.js'

/** An insert of rows that are partly read from another table. In `set`, `v` is the given values. */
export type JoinedInsert = {
  readonly table: string
  /** The columns of the given values. */
  readonly given: ReadonlyArray<EachColumn>
  readonly set: ReadonlyArray<readonly [column: string, value: string]>
  /** The table that the given values are joined with, and on what. */
  readonly join: string
  /** The clause for a key that already exists. */
  readonly upsert?: string
}

/** Inserts a row for each list of given values. So a value that is in the database need not be read first, which would be a round trip. */
export const insertJoined = async (
  db: Queryable, dialect: Dialect, { table, given, set, join, upsert = '' }: JoinedInsert, rows: ReadonlyArray<Values>,
): Promise<void> => {
  if (rows.length === 0) return
  const names = given.map(({ name }) => name).join(', ')
  const into = `INSERT INTO ${table} (${set.map(([column]) => column).join(', ')}) SELECT ${set.map(([, value]) => value).join(', ')}`
  switch (dialect.name) {
    case 'mysql': {
      const first = given.map(({ name }) => `? AS ${name}`).join(', ')
      // STRAIGHT_JOIN makes MySQL begin with the given values. In the first row a list would be one value, so its values are given one by one.
      await execute(
        db, `${into} FROM (SELECT ${first}${' UNION ALL SELECT ?'.repeat(rows.length - 1)}) AS v STRAIGHT_JOIN ${join} ${upsert}`,
        [...rows[0] ?? [], ...rows.slice(1)],
      )
      return
    }
    case 'sqlite':
      // Without a WHERE, SQLite would read the ON of the upsert as that of the join.
      await writeEach(db, `WITH v (${names}) AS (VALUES (${given.map(() => '?').join(', ')})) ${into} FROM v JOIN ${join} WHERE TRUE ${upsert}`, rows)
      return
    case 'postgres':
      await execute(
        db, `${into} FROM ${unnest(given.map(({ type }) => type))} AS v (${names}) JOIN ${join} ${upsert}`, given.map((_, index) => columnOf(rows, index)),
      )
  }
}
