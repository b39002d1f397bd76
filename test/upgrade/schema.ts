import type { Database } from '../../adapters/knex/engine/database.js'
import { type Row, select } from '../../adapters/knex/engine/sql.js'

/** A column: its type, its longest text where it has one, and whether rows may leave it out. */
export type Column = { readonly type: string; readonly length?: number; readonly isNullable: boolean; readonly hasDefault: boolean }

/** A table: its columns by name, and the columns of each unique key, as `a, b`. */
export type TableSchema = { readonly columns: ReadonlyMap<string, Column>; readonly uniqueKeys: ReadonlySet<string> }

/** The tables of a database by name. */
export type Schema = ReadonlyMap<string, TableSchema>

/** Reads the schema of a database from the database itself. */
export const readSchema = async (database: Database): Promise<Schema> => {
  const { columns, keys } = READERS[database.dialect.name]
  const tables = new Map<string, { columns: Map<string, Column>; uniqueKeys: Set<string> }>()
  for (const row of await select(database.db, columns)) {
    const table = tables.get(String(row['name'])) ?? { columns: new Map<string, Column>(), uniqueKeys: new Set<string>() }
    tables.set(String(row['name']), table)
    table.columns.set(String(row['col']), columnOf(row))
  }
  const columnsOf = new Map<string, { readonly table: string; readonly columns: string[] }>()
  for (const row of await select(database.db, keys)) {
    const id = `${String(row['name'])} ${String(row['key_name'])}`
    const key = columnsOf.get(id) ?? { table: String(row['name']), columns: [] }
    columnsOf.set(id, key)
    key.columns.push(String(row['col']))
  }
  for (const key of columnsOf.values()) tables.get(key.table)?.uniqueKeys.add(key.columns.join(', '))
  return tables
}

const columnOf = (row: Row): Column => {
  const [, type = '', length] = /^([^(]*)(?:\((\d+)\))?/.exec(String(row['type']).toLowerCase()) ?? []
  const longest = length ?? row['length']
  return {
    type: type.trim(), isNullable: Number(row['nullable']) === 1, hasDefault: Number(row['has_default']) === 1,
    ...(longest !== null && longest !== undefined && { length: Number(longest) }),
  }
}

/** The queries for each kind of database. `name` is the table's and `col` the column's; the columns of a key come in its order. */
const READERS = {
  sqlite: {
    columns: `SELECT m.name, c.name AS col, c.type, NOT c."notnull" AS nullable, c.dflt_value IS NOT NULL OR c.pk > 0 AND c.type = 'INTEGER' AS has_default
      FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    keys: `SELECT m.name, i.name AS key_name, c.name AS col FROM sqlite_schema AS m, pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
      WHERE m.type = 'table' AND i."unique" = 1 ORDER BY m.name, i.name, c.seqno`,
  },
  mysql: {
    columns: `SELECT table_name AS name, column_name AS col, column_type AS type, is_nullable = 'YES' AS nullable,
      column_default IS NOT NULL AND column_default <> 'NULL' OR extra LIKE '%auto_increment%' AS has_default FROM information_schema.columns WHERE table_schema = DATABASE()`,
    keys: `SELECT table_name AS name, index_name AS key_name, column_name AS col FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND non_unique = 0 ORDER BY table_name, index_name, seq_in_index`,
  },
  postgres: {
    columns: `SELECT table_name AS name, column_name AS col, data_type AS type, character_maximum_length AS length, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS nullable,
      CASE WHEN column_default IS NULL THEN 0 ELSE 1 END AS has_default FROM information_schema.columns WHERE table_schema = current_schema()`,
    keys: `SELECT t.relname AS name, k.relname AS key_name, a.attname AS col FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid JOIN pg_class AS k ON k.oid = i.indexrelid
      JOIN pg_namespace AS n ON n.oid = t.relnamespace CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS o(attnum, position)
      JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = o.attnum
      WHERE i.indisunique AND n.nspname = current_schema() ORDER BY t.relname, k.relname, o.position`,
  },
} as const
