import { isStaleName } from './postgres-statements.js'

/** The databases that this adapter supports; MariaDB is `mysql` too. */
export type DialectName = 'sqlite' | 'mysql' | 'postgres'

/** The differences between the databases. All other SQL is the same for each of them. */
export type Dialect = {
  readonly name: DialectName
  /**
   * The end of an insert whose rows may exist by a key: such a row is updated. A column without an expression gets the new value; the other columns get their
   * expressions, in which `table.column` is the stored value. An update to the new value of the key changes nothing and locks the row.
   */
  readonly upsert: (key: ReadonlyArray<string>, set: ReadonlyArray<string | readonly [column: string, value: string]>) => string
  /**
   * The end of an insert whose rows may exist by a key: such a row stays unchanged. MySQL has no suitable clause, because its INSERT IGNORE would also truncate long
   * texts, so there a column is assigned to itself.
   */
  readonly insertIgnore: (table: string, key: ReadonlyArray<string>, column?: string) => string
  /** In an upsert, the later of the stored time and the new time. */
  readonly latest: (table: string, column: string) => string
  /** In an upsert, the new value. */
  readonly inserted: (column: string) => string
  /** A table's name for a statement that finds rows by their workspaces and ids. */
  readonly byPrimaryKey: (table: string) => string
  /** A table's name for a statement that reads rows of one workspace in the order of their ids, starting or ending at an id. */
  readonly byWorkspace: (table: string) => string
  /** A table's name for a statement that reads the rows in the order of an index. */
  readonly byIndex: (table: string, index: string) => string
  /** The `code` of an error in a column of JSON, as a text. */
  readonly errorCode: (column: string) => string
  /** The current time of the database's clock, in milliseconds since the epoch, independent of the time zone; on SQLite it is the machine's clock. */
  readonly now: string
  /** The end of a query whose rows stay locked until the transaction ends; SQLite locks the whole file. */
  readonly forUpdate: string
  /** The statements that set up a new connection before its first use. */
  readonly session: ReadonlyArray<string>
  /**
   * The statements at the beginning of each migration step. A step may take longer than a request, but it waits for a table only briefly, because all requests that use
   * the table wait behind it.
   */
  readonly migration: ReadonlyArray<string>
  /** Whether schema changes are rolled back with their transaction. */
  readonly transactionalSchema: boolean
}

/** How long a database waits for a lock, and for a statement, in milliseconds; then the caller gets an error. */
const LOCK_WAIT_MS = 5_000
const STATEMENT_MS = 15_000
/** How long a migration step waits for a table that another transaction uses, in milliseconds. */
const TABLE_WAIT_MS = 1_000

/** The page cache of SQLite, in KiB. */
const CACHE_KIB = 65_536
/** The pages of 4 KiB in SQLite's log after which it is copied into the database file. A copy waits for the disk twice, so it must be rare. */
const CHECKPOINT_PAGES = 16_384

/** SQLite blocks the process while it waits for another process's lock. So each wait is short, and the transaction is tried again. */
const BUSY_TIMEOUT_MS = 10

type Insert = Pick<Dialect, 'inserted' | 'insertIgnore' | 'upsert'>

const assignments = (set: Parameters<Dialect['upsert']>[1], inserted: Dialect['inserted']): string =>
  set.map((one) => (typeof one === 'string' ? `${one} = ${inserted(one)}` : `${one[0]} = ${one[1]}`)).join(', ')

/** SQLite has the clauses of PostgreSQL. */
const ON_CONFLICT: Insert = {
  inserted: (column) => `excluded.${column}`,
  upsert: (key, set) => `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments(set, ON_CONFLICT.inserted)}`,
  insertIgnore: (_table, key) => `ON CONFLICT (${key.join(', ')}) DO NOTHING`,
}

const ON_DUPLICATE_KEY: Insert = {
  inserted: (column) => `values(${column})`,
  upsert: (_key, set) => `ON DUPLICATE KEY UPDATE ${assignments(set, ON_DUPLICATE_KEY.inserted)}`,
  insertIgnore: (table, [first = ''], column = first) => `ON DUPLICATE KEY UPDATE ${table}.${column} = ${table}.${column}`,
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    now: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
    forUpdate: '',
    byPrimaryKey: (table) => table,
    byWorkspace: (table) => table,
    byIndex: (table) => table,
    errorCode: (column) => `json_extract(${column}, '$.code')`,
    latest: (table, column) => `max(${table}.${column}, excluded.${column})`,
    ...ON_CONFLICT,
    // With less than FULL, WAL mode may lose the last commits in a power failure.
    session: [
      'PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL', `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`, 'PRAGMA foreign_keys = ON',
      `PRAGMA cache_size = -${CACHE_KIB}`, `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    ],
    migration: [],
    transactionalSchema: true,
  },
  mysql: {
    name: 'mysql',
    now: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
    forUpdate: 'FOR UPDATE',
    // For some hundred keys its planner otherwise spends 60 ms on comparing the indexes that begin with the workspace, or uses one of them.
    byPrimaryKey: (table) => `${table} FORCE INDEX (PRIMARY)`,
    // MariaDB otherwise searches by the workspace only, and reads all of its rows that are newer than the wanted ones: a second for each page of a long list.
    byWorkspace: (table) => `${table} FORCE INDEX (${table}_workspace)`,
    byIndex: (table, index) => `${table} FORCE INDEX (${index})`,
    errorCode: (column) => `JSON_UNQUOTE(JSON_EXTRACT(${column}, '$.code'))`,
    latest: (_table, column) => `greatest(${column}, values(${column}))`,
    ...ON_DUPLICATE_KEY,
    // Guarded updates need no more than READ COMMITTED. The default level would add gap locks, which delay other transactions.
    session: [
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
      // MariaDB ends a transaction whose client is silent, such as a gateway that has left this host; otherwise its locks would stay. MySQL has no such setting and
      // skips it.
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_MS / 1_000} /*M!100301 , idle_transaction_timeout = ${STATEMENT_MS / 1_000} */`,
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
    ],
    // For metadata locks, which a transaction holds on each table that it has read. By default the server waits for a day.
    migration: [`SET SESSION lock_wait_timeout = ${TABLE_WAIT_MS / 1_000}`],
    transactionalSchema: false,
  },
  postgres: {
    name: 'postgres',
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    forUpdate: 'FOR UPDATE',
    byPrimaryKey: (table) => table,
    byWorkspace: (table) => table,
    byIndex: (table) => table,
    // PostgreSQL would refuse to read the JSON of a text with a NUL. A quotation mark inside of a text is preceded by a backslash, so it ends no name.
    errorCode: (column) => `substring(${column} from '"code":"*([0-9A-Za-z_]{1,64})')`,
    latest: (table, column) => `greatest(${table}.${column}, excluded.${column})`,
    ...ON_CONFLICT,
    session: [
      `SET lock_timeout = ${LOCK_WAIT_MS}`,
      `SET statement_timeout = ${STATEMENT_MS}`,
      `SET idle_in_transaction_session_timeout = ${STATEMENT_MS}`,
      // The rows of a send are in memory. The default of this setting assumes rotating disks and makes PostgreSQL scan small tables.
      'SET random_page_cost = 1.1',
      // A plan that is kept would be the plan for the size that the tables had when it was made; see `postgres-statements.ts`.
      'SET plan_cache_mode = force_custom_plan',
    ],
    migration: ['SET LOCAL statement_timeout = 0', 'SET LOCAL idle_in_transaction_session_timeout = 0', `SET LOCAL lock_timeout = ${TABLE_WAIT_MS}`],
    transactionalSchema: true,
  },
}

/**
 * The meaning of a driver's error for its transaction.
 *
 * - `retry`: nothing was written, because of another transaction; the transaction may succeed if it is run again.
 * - `conflict`: a row with that unique key exists.
 * - `unavailable`: the database cannot be reached, is shutting down or refuses writes. It is unknown whether the last commit was written.
 * - `other`: the statement is wrong.
 */
export type SqlErrorKind = 'retry' | 'conflict' | 'unavailable' | 'other'

/** A guarded update matched too few rows, because another transaction has changed them. */
export class WriteConflict extends Error {}

const RETRY = new Set([
  'ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD', // MySQL and MariaDB
  '40001', '40P01', '55P03', // PostgreSQL: serialization failure, deadlock, lock timeout
  'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED', 'SQLITE_LOCKED_SHAREDCACHE',
])

const CONFLICT = new Set(['ER_DUP_ENTRY', '23505', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE'])

const UNAVAILABLE = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT',
  'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR', 'ER_SERVER_SHUTDOWN', 'ER_NORMAL_SHUTDOWN',
  'ER_CON_COUNT_ERROR', 'ER_CONNECTION_KILLED', 'ER_QUERY_INTERRUPTED', 'ER_ACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR',
  '3D000', '28P01', '28000',
  // A server that refuses writes, and a database URL without a usable host.
  '25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_UNKNOWN_COM_ERROR', 'NO_USABLE_HOST',
  // A Galera node lost its cluster while it committed; the other nodes may have the transaction.
  'ER_ERROR_DURING_COMMIT',
  'SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_THREAD_LOST',
  'SQLITE_FILE_REPLACED',
])

/** PostgreSQL's code classes for connection exceptions, insufficient resources and operator intervention. */
const UNAVAILABLE_CLASS = /^(08|53|57)[0-9A-Z]{3}$/

/** For lost connections, connection timeouts and a full pool the drivers and knex give only a message and no code. */
const UNAVAILABLE_WORDS = new RegExp([
  'Connection terminated', 'Connection ended', 'connection is closed', 'timeout expired', 'Client was closed',
  'Client has encountered a connection error', "Can't add new command", "Can't write in closed state",
  'Timeout acquiring a connection', 'Unable to acquire a connection',
].join('|'), 'i')

/** Classifies an error of any of the drivers. */
export const sqlErrorKind = (error: unknown): SqlErrorKind => {
  if (error instanceof WriteConflict || isStaleName(error)) return 'retry'
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : { code: undefined, message: '' }
  if (typeof code === 'string') {
    if (RETRY.has(code)) return 'retry'
    if (CONFLICT.has(code)) return 'conflict'
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CLASS.test(code) || /^SQLITE_IOERR/.test(code)) return 'unavailable'
  }
  return UNAVAILABLE_WORDS.test(message) ? 'unavailable' : 'other'
}

/**
 * A text in a form that every database can store, cut to some characters. PostgreSQL cannot store NUL, and no database can store half of a character. If a text of the
 * platform contains them, its report must still be stored.
 */
export const storableText = (text: string, length: number): string =>
  text.length <= length && !UNSTORABLE.test(text) ? text : [...text.replace(EACH_UNSTORABLE, '\uFFFD')].slice(0, length).join('')

const UNSTORABLE = /[\0\p{Surrogate}]/u
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'gu')
