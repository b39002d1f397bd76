/**
 * What a driver's error means for its transaction.
 *
 * - `retry`: nothing was written, because of another transaction; the transaction may succeed if it is run again.
 * - `conflict`: a row with that unique key exists.
 * - `unavailable`: the database cannot be reached, is shutting down or takes no writes. It is unknown whether the last commit was written.
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
  // A server that takes no writes, and a database URL none of whose hosts can be used.
  '25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_UNKNOWN_COM_ERROR', 'NO_USABLE_HOST',
  // A Galera node lost its cluster while it committed; the other nodes may have the transaction.
  'ER_ERROR_DURING_COMMIT',
  'SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_THREAD_LOST',
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
  if (error instanceof WriteConflict) return 'retry'
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : { code: undefined, message: '' }
  if (typeof code === 'string') {
    if (RETRY.has(code)) return 'retry'
    if (CONFLICT.has(code)) return 'conflict'
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CLASS.test(code) || /^SQLITE_IOERR/.test(code)) return 'unavailable'
  }
  return UNAVAILABLE_WORDS.test(message) ? 'unavailable' : 'other'
}
