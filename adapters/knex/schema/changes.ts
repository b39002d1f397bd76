import type { Knex } from 'knex'
import { isMySql, type Table } from './tables.js'

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
export const addColumn = async (
  db: Knex, table: string, column: string, add: (table: Knex.AlterTableBuilder) => unknown,
): Promise<void> => {
  if (!(await db.schema.hasColumn(table, column))) await db.schema.alterTable(table, (altered) => { add(altered) })
}

/** Makes a column of texts that are not null longer; again, it changes nothing. SQLite ignores lengths. */
export const widen = async (db: Knex, table: string, column: string, length: number): Promise<void> => {
  const { driverName } = db.client as { readonly driverName?: string }
  if (driverName === 'mysql2') await db.raw(`ALTER TABLE ${table} MODIFY ${column} varchar(${length}) NOT NULL`)
  if (driverName === 'pg') await db.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE varchar(${length})`)
}

/**
 * Adds an index if it is missing, of the rows that meet a condition; of all rows on MySQL, which has no partial indexes. A unique index allows any number of rows with null.
 *
 * PostgreSQL and SQLite skip an index that exists. MySQL has no IF NOT EXISTS for indexes and reports an error.
 */
export const addIndex = async (
  db: Knex, table: string, column: string, name: string, condition?: string, unique: 'UNIQUE' | '' = '',
): Promise<void> => {
  const ifMissing = isMySql(db) ? '' : 'IF NOT EXISTS '
  const partial = condition === undefined || isMySql(db) ? '' : ` WHERE ${condition}`
  try {
    await db.raw(`CREATE ${unique} INDEX ${ifMissing}${name} ON ${table} (${column})${partial}`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ER_DUP_KEYNAME')) throw error
  }
}
