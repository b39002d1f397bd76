/**
 * What an error of a driver means for the transaction it ended.
 *
 * `retry`: the database broke it off to let another one through, or a guarded update found that another one had been
 * faster; nothing was written. `conflict`: a unique key is taken. `unavailable`: the database cannot be reached or is
 * going down; whether the last commit was written is not known. `other`: the statement is at fault.
 */
export type SqlErrorKind = 'retry' | 'conflict' | 'unavailable' | 'other'

/** A guarded update touched fewer rows than its transaction had read: another one came between. */
export class Raced extends Error {}

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
  'SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_NOTADB', 'SQLITE_CORRUPT',
])

/** PostgreSQL's classes of codes: connection exceptions, too few resources, operator intervention. */
const UNAVAILABLE_CLASS = /^(08|53|57)[0-9A-Z]{3}$/

/** The drivers and knex report a lost connection, a late one or an exhausted pool in words only. */
const UNAVAILABLE_WORDS = new RegExp([
  'Connection terminated', 'Connection ended', 'connection is closed', 'timeout expired', 'Client was closed',
  'Client has encountered a connection error', "Can't add new command", "Can't write in closed state",
  'Timeout acquiring a connection', 'Unable to acquire a connection',
].join('|'), 'i')

/** Sorts an error of any of the drivers. */
export const sqlErrorKind = (error: unknown): SqlErrorKind => {
  if (error instanceof Raced) return 'retry'
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : { code: undefined, message: '' }
  if (typeof code === 'string') {
    if (RETRY.has(code)) return 'retry'
    if (CONFLICT.has(code)) return 'conflict'
    if (UNAVAILABLE.has(code) || UNAVAILABLE_CLASS.test(code) || /^SQLITE_IOERR/.test(code)) return 'unavailable'
  }
  return UNAVAILABLE_WORDS.test(message) ? 'unavailable' : 'other'
}
