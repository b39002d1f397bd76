import type { Database } from '../../adapters/knex/engine/database.js'
import type { DialectName } from '../../adapters/knex/engine/dialect.js'
import { type Row, select } from '../../adapters/knex/engine/sql.js'
import { type ColumnType, type ForDialect, NULLABLE, type Table } from '../../adapters/knex/schema/current.js'

/** A table of one database: its columns and indexes by name, described in the same words for the page and for the database. */
export type Described = {
  readonly columns: ReadonlyMap<string, string>
  readonly primaryKey: string
  readonly indexes: ReadonlyMap<string, string>
}

/** The tables of a database according to the page. */
export const tablesOnPage = (page: Readonly<Record<string, Table>>, dialect: DialectName): ReadonlyMap<string, Described> =>
  new Map(Object.entries(page).map(([name, { columns, primaryKey, indexes }]) => {
    const keys = of(primaryKey, dialect) ?? ''
    const described = Object.entries(columns).map(([column, said]) => {
      const isNullable = said.endsWith(NULLABLE)
      const type = typeOn(dialect, (isNullable ? said.slice(0, -NULLABLE.length) : said) as ColumnType)
      return [column, `${type}${isNullable ? ' null' : ''}`] as const
    })
    const indexed = Object.entries(indexes).flatMap(([index, said]) => {
      const columnsOf = of(said, dialect)
      return columnsOf === undefined ? [] : [[index, columnsOf] as const]
    })
    return [name, { columns: new Map(described), primaryKey: keys, indexes: new Map(indexed) }]
  }))

const of = (said: ForDialect, dialect: DialectName): string | undefined =>
  typeof said === 'string' ? said : dialect === 'mysql' ? said.mysql : said.others

/** The name of a type on a database. SQLite ignores lengths, and a migration that makes a column longer changes nothing there, so lengths are omitted. */
const typeOn = (dialect: DialectName, type: ColumnType): string => {
  const [, name = '', characters = ''] = /^(\w+)(?:\((\d+)\))?$/.exec(type) ?? []
  const length = Number(characters)
  switch (name) {
    case 'varchar':
      return { sqlite: 'varchar', mysql: `varchar(${length})`, postgres: `character varying(${length})` }[dialect]
    case 'exact':
      return { sqlite: 'varchar', mysql: `varbinary(${4 * length})`, postgres: `character varying(${length}) collate C` }[dialect]
    case 'bytes':
      return { sqlite: 'varchar', mysql: `varbinary(${4 * length})`, postgres: `character varying(${length})` }[dialect]
    case 'integer':
      return dialect === 'mysql' ? 'int' : 'integer'
    case 'mediumtext':
      return dialect === 'mysql' ? 'mediumtext' : 'text'
    default:
      return name
  }
}

/** The tables of a database according to the database. */
export const tablesIn = async ({ db, dialect }: Database): Promise<ReadonlyMap<string, Described>> => {
  const { columns, keys } = READERS[dialect.name]
  const tables = new Map<string, { columns: Map<string, string>; primaryKey: string; indexes: Map<string, string> }>()
  for (const row of await select(db, columns)) {
    const table = tables.get(String(row['name'])) ?? {
      columns: new Map<string, string>(), primaryKey: '', indexes: new Map<string, string>(),
    }
    tables.set(String(row['name']), table)
    table.columns.set(String(row['col']), columnIn(dialect.name, row))
  }
  for (const row of await select(db, keys)) {
    const table = tables.get(String(row['name']))
    if (table === undefined) continue
    if (isTrue(row['is_primary'])) table.primaryKey = plain(row['cols'])
    else table.indexes.set(String(row['key_name']), `${isTrue(row['is_unique']) ? 'unique ' : ''}${plain(row['cols'])}${conditionIn(row)}`)
  }
  return tables
}

const columnIn = (dialect: DialectName, row: Row): string => {
  const type = String(row['type']).toLowerCase()
  // MariaDB reports a width for integers, which has no meaning.
  const named = dialect === 'sqlite' ? type.replace(/\(.*\)/, '') : type.replace(/int\(\d+\)/, 'int')
  const collation = row['coll'] === null || row['coll'] === undefined ? '' : ` collate ${row['coll']}`
  const byDefault = row['by_default'] === null ? '' : ` default ${row['by_default']}`
  return `${named}${collation}${isTrue(row['nullable']) ? ' null' : ''}${byDefault}`
}

/** The condition of a partial index, without the quotes and parentheses that a database adds. */
const conditionIn = (row: Row): string => {
  const condition = row['condition'] === null ? undefined : /(?:\bwhere\b|^\()\s*(.*?)\)?$/is.exec(String(row['condition']))?.[1]
  return condition === undefined ? '' : ` where ${plain(condition).toLowerCase()}`
}

/** Names without the quotes that a database adds. */
const plain = (text: Row[string] | undefined): string => String(text).replaceAll(/[`"]/g, '')

const isTrue = (value: Row[string] | undefined): boolean => Number(value) === 1

/** The tables that knex's migrator uses for itself. */
const IS_OURS = "NOT LIKE 'knex_migrations%'"

/** The queries for each kind of database. A column of a primary key is never null; only SQLite would allow it. */
const READERS = {
  sqlite: {
    columns: `SELECT m.name, c.name AS col, c.type, NOT (c."notnull" OR c.pk) AS nullable, c.dflt_value AS by_default, NULL AS coll
      FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name ${IS_OURS}`,
    keys: `SELECT m.name, i.name AS key_name, i.origin = 'pk' AS is_primary, i."unique" AS is_unique,
        (SELECT group_concat(c.name || CASE c.desc WHEN 1 THEN ' desc' ELSE '' END, ', ' ORDER BY c.seqno) FROM pragma_index_xinfo(i.name) AS c WHERE c.key = 1) AS cols,
        CASE i.partial WHEN 1 THEN s.sql END AS condition
      FROM sqlite_schema AS m, pragma_index_list(m.name) AS i LEFT JOIN sqlite_schema AS s ON s.name = i.name WHERE m.type = 'table' AND m.name ${IS_OURS}
      UNION ALL SELECT m.name, '', 1, 1, c.name, NULL FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
      WHERE m.type = 'table' AND c.pk = 1 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(m.name) AS i WHERE i.origin = 'pk')`,
  },
  mysql: {
    columns: `SELECT table_name AS name, column_name AS col, column_type AS type, is_nullable = 'YES' AS nullable,
        NULLIF(TRIM(CONCAT(COALESCE(NULLIF(column_default, 'NULL'), ''), ' ', extra)), '') AS by_default, NULLIF(collation_name, 'utf8mb4_bin') AS coll
      FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name ${IS_OURS}`,
    keys: `SELECT table_name AS name, index_name AS key_name, index_name = 'PRIMARY' AS is_primary, non_unique = 0 AS is_unique,
        GROUP_CONCAT(column_name, COALESCE(CONCAT('(', sub_part, ')'), ''), IF(collation = 'D', ' desc', '') ORDER BY seq_in_index SEPARATOR ', ') AS cols, NULL AS \`condition\`
      FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, index_name, non_unique`,
  },
  postgres: {
    columns: `SELECT t.relname AS name, a.attname AS col, format_type(a.atttypid, a.atttypmod) AS type, CASE WHEN a.attnotnull THEN 0 ELSE 1 END AS nullable,
        pg_get_expr(d.adbin, d.adrelid) AS by_default, CASE WHEN c.collname <> 'default' THEN c.collname END AS coll
      FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid LEFT JOIN pg_attrdef AS d ON d.adrelid = t.oid AND d.adnum = a.attnum
      LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
      WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND t.relname ${IS_OURS}`,
    keys: `SELECT t.relname AS name, k.relname AS key_name, CASE WHEN i.indisprimary THEN 1 ELSE 0 END AS is_primary, CASE WHEN i.indisunique THEN 1 ELSE 0 END AS is_unique,
        (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, false) || CASE WHEN i.indoption[n - 1] & 1 = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY n)
          FROM generate_series(1, i.indnkeyatts) AS n) AS cols,
        pg_get_expr(i.indpred, i.indrelid) AS condition
      FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid JOIN pg_class AS k ON k.oid = i.indexrelid WHERE t.relnamespace = current_schema()::regnamespace`,
  },
} as const

/** The differences between two sets of tables, in one sentence each. */
export const differences = (page: ReadonlyMap<string, Described>, database: ReadonlyMap<string, Described>): ReadonlyArray<string> => [
  ...between('table', page, database, () => 'there'),
  ...[...page].flatMap(([name, said]) => {
    const found = database.get(name)
    if (found === undefined) return []
    return [
      ...between(`column ${name}`, said.columns, found.columns),
      ...between(`key ${name}`, new Map([['primary', said.primaryKey]]), new Map([['primary', found.primaryKey]])),
      ...between(`index ${name}`, said.indexes, found.indexes),
    ]
  }),
]

const between = <Value>(
  kind: string, page: ReadonlyMap<string, Value>, database: ReadonlyMap<string, Value>, text: (value: Value) => string = String,
): ReadonlyArray<string> =>
  [...new Set([...page.keys(), ...database.keys()])].flatMap((name) => {
    const [said, found] = [page.get(name), database.get(name)].map((value) => (value === undefined ? 'missing' : text(value)))
    return said === found ? [] : [`${kind} ${name}: the page says ${said}, the database ${found}`]
  })
