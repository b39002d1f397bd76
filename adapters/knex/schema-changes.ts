import type { Knex } from 'knex'

/** Adds the columns and keys of a table. */
export type Table = (table: Knex.CreateTableBuilder, db: Knex) => void

/** Creates the tables that are missing. */
export const createAll = async (db: Knex, tables: Readonly<Record<string, Table>>): Promise<void> => {
  for (const [name, columns] of Object.entries(tables)) {
    if (await db.schema.hasTable(name)) continue
    await db.schema.createTable(name, (table) => {
      if (isMySql(db)) {
        // This collation compares bytes, as the other databases do: keys that differ in letter case are different keys.
        table.charset('utf8mb4')
        table.collate('utf8mb4_bin')
      }
      columns(table, db)
    })
  }
}

/** Adds a column if it is missing. */
export const addColumn = async (db: Knex, table: string, column: string, add: (table: Knex.AlterTableBuilder) => unknown): Promise<void> => {
  if (!(await db.schema.hasColumn(table, column))) await db.schema.alterTable(table, (altered) => { add(altered) })
}

/** Makes a column of texts that are not null longer; again, it changes nothing. SQLite ignores lengths. */
export const widen = async (db: Knex, table: string, column: string, length: number): Promise<void> => {
  const { driverName } = db.client as { readonly driverName?: string }
  if (driverName === 'mysql2') await db.raw(`ALTER TABLE ${table} MODIFY ${column} varchar(${length}) NOT NULL`)
  if (driverName === 'pg') await db.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE varchar(${length})`)
}

/**
 * Adds an index if it is missing, of the rows that meet a condition; of all rows on MySQL, which has no partial indexes.
 *
 * PostgreSQL and SQLite skip an index that exists. MySQL has no IF NOT EXISTS for indexes and reports an error.
 */
export const addIndex = async (db: Knex, table: string, column: string, name: string, condition?: string): Promise<void> => {
  const ifMissing = isMySql(db) ? '' : 'IF NOT EXISTS '
  const partial = condition === undefined || isMySql(db) ? '' : ` WHERE ${condition}`
  try {
    await db.raw(`CREATE INDEX ${ifMissing}${name} ON ${table} (${column})${partial}`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ER_DUP_KEYNAME')) throw error
  }
}

/** Whether the database is MySQL or MariaDB. */
export const isMySql = (db: Knex): boolean => (db.client as { readonly driverName?: string }).driverName === 'mysql2'

/** A partial index of the rows whose last indexed column is not null. MySQL has no partial indexes. */
const indexWhereSet = (db: Knex, table: Knex.CreateTableBuilder, columns: readonly [...string[], string], name: string): void => {
  table.index([...columns], name, { predicate: db.whereNotNull(columns.at(-1) ?? '') })
}

/**
 * The primary key of rows with a workspace and an id. MySQL stores rows in the order of their primary key. Ids grow with time, so with the id
 * as primary key all new rows are on the same pages. With the workspace first, each new row would be on another page.
 */
export const primaryKey = (db: Knex, table: Knex.CreateTableBuilder, id: string, index: string): void => {
  if (isMySql(db)) {
    table.primary([id])
    table.index(['workspace_id', id], index)
  } else table.primary(['workspace_id', id])
}

/** An index of the platform's ids. On MySQL the id comes first, so that messages without one are next to each other in the index. */
export const indexPlatformIds = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['platform_id', 'workspace_id'], name)
  else indexWhereSet(db, table, ['workspace_id', 'platform_id'], name)
}

/** An index of the few open rows. On MySQL it also has all others, by their moments, so that a new entry is next to the previous one. */
export const indexOpen = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['open_since', 'created_at'], name)
  else indexWhereSet(db, table, ['open_since'], name)
}

/**
 * A column of texts that compare and sort by their bytes on every database, not null. Without it MySQL takes texts for equal that differ only in spaces at
 * the end, and PostgreSQL sorts by the rules of the database's language. A character may have four bytes.
 */
export const exactText = (db: Knex, table: Knex.CreateTableBuilder, column: string, length: number): void => {
  const { driverName } = db.client as { readonly driverName?: string }
  const type = driverName === 'mysql2' ? `varbinary(${4 * length})` : `varchar(${length})${driverName === 'pg' ? ' COLLATE "C"' : ''}`
  table.specificType(column, type).notNullable()
}
