/** The databases that this adapter supports; MariaDB is `mysql` too. */
export type DialectName = 'sqlite' | 'mysql' | 'postgres'

/** The differences between the databases. All other SQL is the same for each of them. */
export type Dialect = {
  readonly name: DialectName
  /** In an upsert, the later of the stored moment and the new one. */
  readonly latest: (table: string, column: string) => string
  /** In an upsert, the new value. */
  readonly inserted: (column: string) => string
  /** A table's name for a statement that finds rows by their workspaces and ids. */
  readonly byPrimaryKey: (table: string) => string
  /** A table's name for a statement that reads rows of one workspace in the order of their ids, from or up to one of them. */
  readonly byWorkspace: (table: string) => string
  /** The end of a query whose rows stay locked until the transaction ends; SQLite locks the whole file. */
  readonly forUpdate: string
  /** The statements that set up a new connection before its first use. */
  readonly session: ReadonlyArray<string>
  /** The statements at the beginning of each migration step that is a transaction: a step may take longer than a request. */
  readonly migration: ReadonlyArray<string>
  /** Whether schema changes are rolled back with their transaction. */
  readonly transactionalSchema: boolean
}

/** How long a database waits for a lock, and for a statement, in milliseconds; then the caller gets an error. */
const LOCK_WAIT_MS = 5_000
const STATEMENT_MS = 15_000

/** The page cache of SQLite, in KiB. */
const CACHE_KIB = 65_536
/** The pages of 4 KiB in SQLite's log after which it is copied into the database file. A copy waits for the disk twice, so it must be rare. */
const CHECKPOINT_PAGES = 16_384

/** SQLite blocks the process while it waits for another process's lock. So each wait is short, and the transaction is tried again. */
const BUSY_TIMEOUT_MS = 10

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    forUpdate: '',
    byPrimaryKey: (table) => table,
    byWorkspace: (table) => table,
    latest: (table, column) => `max(${table}.${column}, excluded.${column})`,
    inserted: (column) => `excluded.${column}`,
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
    forUpdate: 'FOR UPDATE',
    // For some hundred keys its planner otherwise compares the indexes that begin with the workspace for 60 ms, or uses one of them.
    byPrimaryKey: (table) => `${table} FORCE INDEX (PRIMARY)`,
    // MariaDB otherwise looks for the workspace alone, and reads all of its rows that are newer than the wanted ones: a second for each page of a long list.
    byWorkspace: (table) => `${table} FORCE INDEX (${table}_workspace)`,
    latest: (_table, column) => `greatest(${column}, values(${column}))`,
    inserted: (column) => `values(${column})`,
    // Guarded updates need no more than READ COMMITTED. The default level would add gap locks, which delay other transactions.
    session: [
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
      // MariaDB ends a transaction of which it hears nothing, as of a gateway that has left this host; otherwise its locks would stay. MySQL cannot, and skips it.
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_MS / 1_000} /*M!100301 , idle_transaction_timeout = ${STATEMENT_MS / 1_000} */`,
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
    ],
    migration: [],
    transactionalSchema: false,
  },
  postgres: {
    name: 'postgres',
    forUpdate: 'FOR UPDATE',
    byPrimaryKey: (table) => table,
    byWorkspace: (table) => table,
    latest: (table, column) => `greatest(${table}.${column}, excluded.${column})`,
    inserted: (column) => `excluded.${column}`,
    session: [
      `SET lock_timeout = ${LOCK_WAIT_MS}`,
      `SET statement_timeout = ${STATEMENT_MS}`,
      `SET idle_in_transaction_session_timeout = ${STATEMENT_MS}`,
      // The rows of a send are in memory. The default of this setting is for rotating disks and makes PostgreSQL scan small tables.
      'SET random_page_cost = 1.1',
    ],
    migration: ['SET LOCAL statement_timeout = 0', 'SET LOCAL idle_in_transaction_session_timeout = 0'],
    transactionalSchema: true,
  },
}
