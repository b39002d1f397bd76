/** The databases this adapter speaks to; MariaDB counts as `mysql`. */
export type DialectName = 'sqlite' | 'mysql' | 'postgres'

/** What the databases say differently; everything else is said once, for all of them. */
export type Dialect = {
  readonly name: DialectName
  /** In an upsert, the later of a stored moment and the one about to be inserted. */
  readonly latest: (table: string, column: string) => string
  /** A table whose rows are asked for by their workspaces and ids. */
  readonly byPrimaryKey: (table: string) => string
  /** Told to a new connection before its first use. */
  readonly session: ReadonlyArray<string>
  /** Whether schema changes roll back with their transaction. */
  readonly transactionalSchema: boolean
}

/** Milliseconds after which a database gives up on a lock or a statement, so that no caller waits for ever. */
const LOCK_WAIT_MS = 5_000
const STATEMENT_MS = 15_000

/** How much of a SQLite file is kept in memory, in KiB. */
const CACHED_KIB = 65_536
/** After so many pages of 4 KiB the log of SQLite is worked into its file, which waits for the disk twice; often it would be for each commit. */
const CHECKPOINT_PAGES = 16_384

/** SQLite waits for another process's lock without yielding, so it waits briefly and is asked again. */
const BLOCKED_MS = 10

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    byPrimaryKey: (table) => table,
    latest: (table, column) => `max(${table}.${column}, excluded.${column})`,
    // FULL: in WAL mode anything less may lose the last commits with the power, and money is at stake.
    session: [
      'PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL', `PRAGMA busy_timeout = ${BLOCKED_MS}`, 'PRAGMA foreign_keys = ON',
      `PRAGMA cache_size = -${CACHED_KIB}`, `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    ],
    transactionalSchema: true,
  },
  mysql: {
    name: 'mysql',
    // Told of some hundred keys, its planner takes 60 ms of weighing the indexes that begin with the workspace, or uses one of them.
    byPrimaryKey: (table) => `${table} FORCE INDEX (PRIMARY)`,
    latest: (_table, column) => `greatest(${column}, values(${column}))`,
    // READ COMMITTED: guarded updates carry correctness, and the gap locks of the default would only make neighbours wait.
    session: [
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_MS / 1_000}`,
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
    ],
    transactionalSchema: false,
  },
  postgres: {
    name: 'postgres',
    byPrimaryKey: (table) => table,
    latest: (table, column) => `greatest(${table}.${column}, excluded.${column})`,
    session: [
      `SET lock_timeout = ${LOCK_WAIT_MS}`,
      `SET statement_timeout = ${STATEMENT_MS}`,
      `SET idle_in_transaction_session_timeout = ${STATEMENT_MS}`,
      // What a send asks for is in memory. As for a disk that turns, which is the default, small tables would be read whole.
      'SET random_page_cost = 1.1',
    ],
    transactionalSchema: true,
  },
}
