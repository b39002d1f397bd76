import { sqlErrorKind } from './dialect.js'
import { FileMissing, FolderMissing, SQLITE_FILE_REPLACED, sqlitePath } from './sqlite.js'

/** One host of a database URL. */
export type DatabaseHost = {
  /** Its name and port as in the URL, without user and password. */
  readonly name: string
  /** The database URL with only this host. */
  readonly url: string
}

/** Why the next host is used instead of this one. `code` has the form of a driver's error code. */
export class HostFault extends Error {
  constructor(readonly code: string, message: string) { super(message) }
}

/** No host of the database URL could be used. */
export class NoUsableHost extends Error {
  readonly code = 'NO_USABLE_HOST'
  constructor(readonly failures: ReadonlyArray<{ readonly host: DatabaseHost; readonly error: unknown }>) {
    super(`no host of the database can be used: ${failures.map(({ host, error }) => `${host.name}: ${error instanceof Error ? error.message : String(error)}`).join('; ')}`)
  }
}

/** Error codes of a server that refuses writes although another host may accept them: a standby, a read-only server, a Galera node outside its cluster. */
const REFUSES_WRITES = new Set(['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_UNKNOWN_COM_ERROR'])

const UNREACHABLE = /^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|PROTOCOL_CONNECTION_LOST)/

/** Whether a server refused writes. Its connections are then useless, although they are open. */
export const refusesWrites = (error: unknown): boolean => REFUSES_WRITES.has(codeOf(error))

/** Whether a host could not be reached at all, or did not answer before the deadline. */
export const isUnreachable = (error: unknown): boolean => UNREACHABLE.test(codeOf(error))

/** The code of a driver's error, or of the first of the errors that Node.js collects, one for each address of a host. */
export const codeOf = (error: unknown): string => {
  const own = error instanceof Error ? (error as Error & { readonly code?: unknown }).code : undefined
  if (typeof own === 'string') return own
  return error instanceof AggregateError && error.errors.length > 0 ? codeOf(error.errors[0]) : ''
}

/** Why a database cannot be used, and how to fix it: two texts for the operator, without a secret. */
export type ConnectionFault = { readonly fault: string; readonly remedy: string }

/** Explains in one line why a database cannot be used and how to fix it. */
export const sayFault = ({ fault, remedy }: ConnectionFault): string => `The database cannot be used: ${fault}. ${remedy}`

/** Explains the error of a connection to the database of a URL. */
export const connectionFault = (url: string, error: unknown): ConnectionFault => {
  if (hasPlainPassword(url)) {
    return {
      fault: 'the password in DATABASE_URL contains @, /, ? or #, which end other parts of a URL',
      remedy: 'Percent-encode it: @ is %40, / is %2F, ? is %3F, # is %23.',
    }
  }
  return knownFault(url, error) ?? unknownFault(url, error)
}

const unknownFault = (url: string, error: unknown): ConnectionFault =>
  (url.startsWith('sqlite:')
    ? { fault: `the database file ${sqlitePath(url)} failed: ${messageOf(error)}`, remedy: 'See that DATABASE_URL is right.' }
    : { fault: `the database server ${partsOf(url).host} cannot be reached: ${messageOf(error)}`, remedy: 'See that DATABASE_URL is right and its server runs.' })

/** Explains an error of a connection or a statement if its code describes the database or its server; otherwise `undefined`. */
export const knownFault = (url: string, error: unknown): ConnectionFault | undefined => {
  if (error instanceof NoUsableHost) {
    const faults = error.failures.map(({ host, error: failure }) => connectionFault(host.url, failure).fault)
    return { fault: `no host of DATABASE_URL can be used: ${faults.join('; ')}`, remedy: 'Start one of the servers, or make one of them take writes, or correct DATABASE_URL.' }
  }
  return url.startsWith('sqlite:') ? fileFault(sqlitePath(url), error) : serverFault(partsOf(url), error)
}

/** The fault of a SQLite file, by SQLite's error code. */
const fileFault = (path: string, error: unknown): ConnectionFault | undefined => {
  if (error instanceof FolderMissing) return { fault: error.message, remedy: 'Make the folder, or correct the path in DATABASE_URL.' }
  if (error instanceof FileMissing) return { fault: error.message, remedy: 'Correct the path in DATABASE_URL, or run `postern migrate` to create the database there.' }
  const code = codeOf(error)
  if (code === SQLITE_FILE_REPLACED) {
    return {
      fault: `the database file ${path}, or its -wal or -shm file, was removed or replaced while this gateway had it open`,
      remedy: 'Stop the gateway, put the files back or restore a backup, and start the gateway again.',
    }
  }
  if (code === 'SQLITE_NOTADB') return { fault: `the file ${path} is not a SQLite database`, remedy: 'Correct the path in DATABASE_URL.' }
  if (code.startsWith('SQLITE_CORRUPT')) return { fault: `the database file ${path} is damaged`, remedy: 'Restore it from a backup.' }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return { fault: `another process keeps the database file ${path} locked`, remedy: 'End the process that holds the lock, such as a backup or a SQL shell with an open transaction.' }
  }
  if (code.startsWith('SQLITE_FULL')) return { fault: `the disk of the database file ${path} is full`, remedy: 'Make room on the disk.' }
  if (/^(SQLITE_CANTOPEN|SQLITE_READONLY|EACCES|EPERM|EROFS|EISDIR)/.test(code)) {
    return { fault: `the database file ${path} cannot be opened and written`, remedy: 'See that it is a file and that this user may write to it and to its folder.' }
  }
  // SQLite gives no further detail if it can neither create nor enlarge the files next to the database. A full disk has the same effect.
  if (code.startsWith('SQLITE_IOERR')) return { fault: `the disk of the database file ${path} fails or is full`, remedy: 'Make room on the disk, and see that it is sound.' }
  return undefined
}

const WRITE_IT_AS = 'Write it as mysql://USER:PASSWORD@HOST/DATABASE or postgres://USER:PASSWORD@HOST/DATABASE.'
const NO_USER: ConnectionFault = { fault: 'DATABASE_URL names no user', remedy: WRITE_IT_AS }

type Parts = { readonly host: string; readonly user: string; readonly database: string }

/** The fault of a server, by the error code of the driver or the server. */
const serverFault = ({ host, user, database }: Parts, error: unknown): ConnectionFault | undefined => {
  const code = codeOf(error)
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR': case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR': case '28P01':
      if (user === '') return NO_USER
      return { fault: `the database server refuses the password of user ${user}, or has no such user`, remedy: 'Correct the user and the password in DATABASE_URL.' }
    case '28000':
      if (user === '') return NO_USER
      return { fault: `the database server does not let user ${user} in: ${messageOf(error)}`, remedy: 'Correct the user in DATABASE_URL, or allow it on the server.' }
    case 'ER_BAD_DB_ERROR': case '3D000':
      return { fault: `the server ${host} has no database ${database}`, remedy: 'Create the database, or correct its name in DATABASE_URL.' }
    case 'ER_DBACCESS_DENIED_ERROR': case 'ER_TABLEACCESS_DENIED_ERROR':
      return { fault: `user ${user} may not use the database ${database}`, remedy: 'Grant the user all rights on that database.' }
    // Privileges on a database of PostgreSQL do not include its contents.
    case '42501':
      return { fault: `user ${user} may not use the database ${database}`, remedy: 'Make the user the owner of that database and of its tables.' }
    case 'ER_DISK_FULL': case 'ER_RECORD_FILE_FULL': case '53100':
      return { fault: `the disk of the database server ${host} is full`, remedy: 'Make room on the disk.' }
    case 'ER_CON_COUNT_ERROR': case 'ER_TOO_MANY_USER_CONNECTIONS': case 'ER_USER_LIMIT_REACHED': case '53300':
      return { fault: `the database server ${host} takes no more connections`, remedy: 'Raise its limit, or end connections that are not needed.' }
    case 'ENOTFOUND': case 'EAI_AGAIN':
      return { fault: `there is no host ${host}`, remedy: 'Correct the host in DATABASE_URL, or see that its name can be resolved.' }
    case 'ECONNREFUSED':
      return { fault: `no database server listens on ${host}`, remedy: 'Start the server, or correct the host and the port in DATABASE_URL.' }
    case 'ETIMEDOUT': case 'EHOSTUNREACH': case 'ENETUNREACH':
      return { fault: `the host ${host} does not answer`, remedy: 'See that the network and its firewalls let this machine reach it.' }
    case 'ERR_INVALID_URL':
      return { fault: 'DATABASE_URL is not a URL', remedy: WRITE_IT_AS }
    case 'ER_UNKNOWN_COM_ERROR':
      return { fault: `the database server ${host} has no connection to its Galera cluster`, remedy: 'See why the node is not ready: `wsrep_cluster_status` must be Primary.' }
    case 'ER_OPTION_PREVENTS_STATEMENT': case 'ER_READ_ONLY_MODE': case '25006':
      return { fault: `the database server ${host} is read-only`, remedy: 'Connect to the primary server.' }
  }
  // PostgreSQL's driver gives no code after a timeout.
  if (messageOf(error) === 'timeout expired') return serverFault({ host, user, database }, new HostFault('ETIMEDOUT', 'timeout expired'))
  return sqlErrorKind(error) === 'retry'
    ? { fault: 'the database cannot be written, because another session holds its locks', remedy: 'End the session that holds them.' }
    : undefined
}

/** Whether the part before the last `@` has a character that must be percent-encoded there. */
const hasPlainPassword = (url: string): boolean => {
  const rest = /^[a-z]+:\/\/(.*)$/s.exec(url)?.[1] ?? ''
  const userAndPassword = rest.slice(0, Math.max(0, rest.lastIndexOf('@')))
  return userAndPassword.includes(':') && /[@/?#]/.test(userAndPassword)
}

const partsOf = (url: string): Parts => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return {
    host: parsed?.host ?? 'in DATABASE_URL',
    user: decodeURIComponent(parsed?.username ?? ''),
    database: decodeURIComponent(parsed?.pathname.slice(1) ?? ''),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
