import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import createKnex, { type Knex } from 'knex'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { type Dialect, type DialectName, DIALECTS, sqlErrorKind } from './dialect.js'
import {
  connectToHosts, type DatabaseHosts, type HostConnections, type OnHost, parseDatabaseHosts, type PooledConnection, setSocketTimeout,
  socketOf,
} from './hosts.js'
import { ServerDatabase, setUpGaleraSession } from './server.js'
import type { Queryable, TransactionOptions, Transactor } from './sql.js'
import { IN_MEMORY, type LentConnection, prepareFile, SqliteConnection, sqlitePath } from './sqlite.js'

/** A clock of the time in which this process was able to work, in milliseconds. */
export type WorkClock = {
  readonly now: () => number
  /** Starts the clock. While it runs, it keeps the process alive. */
  readonly start: () => void
  /** Stops the clock, which keeps its time. */
  readonly stop: () => void
  /** Calls back at the given time, unless the returned function is called before. There is one such callback at a time. */
  readonly at: (time: number, onTime: () => void) => () => void
}

/**
 * Creates a clock with this many milliseconds between ticks.
 *
 * A tick that is late, because the event loop was busy or the process got no processor, counts as its own length. So a deadline on this clock never ends before the
 * answers could be read: after the last tick, too, Node.js reads its sockets before the callback.
 */
export const makeWorkClock = (tickMs: number): WorkClock => {
  let now = 0
  let timer: NodeJS.Timeout | undefined
  let call: { readonly time: number; readonly onTime: () => void } | undefined
  const tick = (): void => {
    now += tickMs
    const due = call
    if (due === undefined || due.time > now) return
    setImmediate(() => {
      if (call !== due) return
      call = undefined
      due.onTime()
    })
  }
  return {
    now: () => now,
    start: () => { timer ??= setInterval(tick, tickMs) },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
    at: (time, onTime) => {
      const added = { time, onTime }
      call = added
      return () => { if (call === added) call = undefined }
    },
  }
}

/** An open database and its dialect. */
export type Database = {
  /** Runs statements outside of a transaction; `transact` provides a transaction. */
  readonly db: Transactor
  /** For the schema, which is changed only through knex. */
  readonly knex: Knex
  readonly dialect: Dialect
  /** The hosts of its connections; undefined for SQLite. */
  readonly hosts: HostConnections | undefined
  /** Whether the disk of a SQLite file was full when the last writes failed. `isBack` resets it. */
  readonly room: { readonly isMissing: () => boolean; readonly isBack: () => void }
  /** Starts the thread of a SQLite file, before its first statement. */
  readonly startThread: () => void
  /** Allows the next connection to create the file of a SQLite database that does not exist yet. */
  readonly allowCreate: () => void
  /** Removes the time limit of statements, until it is called with `false`. */
  readonly allowLongStatements: (allowed: boolean) => void
  /** Closes every connection. After two seconds the sockets to a server that does not answer are destroyed, and the thread of a SQLite file is ended. */
  readonly close: () => Promise<void>
}

/** How long a caller waits for a free connection, in milliseconds. */
const ACQUIRE_MS = 5_000

/** How long a connection may take to open, in milliseconds. It is shorter than the wait of a caller, so that the caller's error names the host and not the pool. */
const CONNECT_MS = 4_000

/** How long a connection in use may be silent, in milliseconds. Longer than the longest statement. */
const SOCKET_TIMEOUT_MS = 90_000

/** The same during a migration of the schema: a server may copy a table of any size without sending anything. */
const MIGRATION_TIMEOUT_MS = 24 * HOUR_MS

/** How long closing the connections may take, in milliseconds. */
const CLOSE_MS = 2_000

const POOL_SIZE = 10
/** How many connections to a database server are used for pages, lists and reports. */
const READING_POOL_SIZE = 3

/**
 * Opens the database of a URL: `sqlite:PATH`, `mysql://…` or `postgres://…`. `onHost` is called when another one of several hosts is used.
 *
 * It does not connect yet. It throws an `Error` if the URL has no known form or the driver is not installed.
 */
export const openDatabase = (url: string, socketTimeoutMs: number = SOCKET_TIMEOUT_MS, onHost?: OnHost, use: Use = SENDS): Database => {
  const dialect = DIALECTS[dialectOf(url)]
  const named = hostsIn(url)
  const sockets = new Set<Socket>()
  let create = false
  let timeoutMs = socketTimeoutMs
  const knex = withDriver({
    ...connectionTo(named.hosts[0].url, dialect.name, () => create),
    acquireConnectionTimeout: ACQUIRE_MS,
    pool: poolOf(dialect.name === 'sqlite' ? 1 : use.connections, dialect, () => timeoutMs, sockets, () => hosts), log: NO_LOG,
    compileSqlOnError: false,
  })
  const hosts = dialect.name === 'sqlite' ? undefined : connectToHosts(knex, {
    ...named, dialect: dialect.name, onHost, settingsOf: (one) => connectionTo(one, dialect.name, () => false).connection as object,
  })
  const sqlite = dialect.name === 'sqlite' ? openSqlite(dialect, sqlitePath(url), () => create, use) : undefined
  if (sqlite !== undefined && isInMemory(url)) lendToKnex(knex, sqlite)
  return {
    dialect,
    db: sqlite ?? new ServerDatabase(knex, dialect.name),
    knex,
    hosts,
    room: { isMissing: () => sqlite?.lacksRoom === true, isBack: () => { if (sqlite !== undefined) sqlite.lacksRoom = false } },
    startThread: () => { sqlite?.start() },
    allowCreate: () => { create = true },
    allowLongStatements: (allowed) => {
      timeoutMs = allowed ? MIGRATION_TIMEOUT_MS : socketTimeoutMs
      for (const socket of sockets) socket.setTimeout(timeoutMs)
    },
    close: async () => {
      const cancel = new AbortController()
      const late = delay(CLOSE_MS, undefined, { signal: cancel.signal }).catch(() => undefined)
      const closed = knex.destroy()
        .catch(() => undefined)
        .then(() => Promise.all(Array.from(sockets, (socket) => once(socket, 'close').catch(() => undefined))))
      await Promise.race([Promise.all([closed, sqlite?.close()]), late])
      cancel.abort()
      sqlite?.terminate()
      for (const socket of sockets) socket.destroy()
      hosts?.close()
    },
  }
}

/** The purpose of the connections of a database. */
type Use = { readonly connections: number; readonly isReading: boolean }
const SENDS: Use = { connections: POOL_SIZE, isReading: false }
const READING: Use = { connections: READING_POOL_SIZE, isReading: true }

/**
 * Opens the same database again for pages, lists and reports, so that they wait for each other and sends do not wait for them. A server gets a few more connections, a
 * SQLite file another thread. A database in memory has one connection, which all share.
 */
export const openReading = (url: string, database: Database): Database =>
  (isInMemory(url) ? database : openDatabase(url, undefined, undefined, READING))

/** The drivers are optional packages. If one is missing, knex prints a stack trace; this throws one sentence that explains how to install it. */
const withDriver = (config: Knex.Config & { readonly client: string }): Knex => {
  try {
    return createKnex(config)
  } catch (cause) {
    const { client } = config
    if (!(cause instanceof Error) || !cause.message.includes(`Cannot find module '${client}'`)) throw cause
    throw new Error(`the package ${client} is needed for such a database and not installed; \`npm install ${client}\` adds it`, { cause })
  }
}

/** Without this, knex would print errors that it also throws. */
const NO_LOG = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

const isInMemory = (url: string): boolean => dialectOf(url) === 'sqlite' && sqlitePath(url) === IN_MEMORY

const dialectOf = (url: string): DialectName => {
  if (url.startsWith('sqlite:')) return 'sqlite'
  if (/^(mysql|mariadb):\/\//.test(url)) return 'mysql'
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres'
  throw new Error('the database URL must begin with sqlite:, mysql:// or postgres://')
}

const hostsIn = (url: string): DatabaseHosts => {
  const parsed = parseDatabaseHosts(url)
  if (E.isLeft(parsed)) throw new Error(`DATABASE_URL must be ${parsed.left}`)
  return parsed.right
}

const connectionTo = (url: string, name: DialectName, mayCreate: () => boolean): Knex.Config & { readonly client: string } => {
  switch (name) {
    case 'sqlite':
      return { client: 'better-sqlite3', useNullAsDefault: true, connection: () => fileConnection(sqlitePath(url), mayCreate) }
    case 'mysql':
      return {
        client: 'mysql2',
        // Integers beyond 2^53 are returned as strings, others as numbers, so no digit is lost. For `multipleStatements` see `server.ts`.
        connection: {
          uri: url.replace(/^mariadb:/, 'mysql:'), timezone: 'Z', charset: 'utf8mb4', supportBigNumbers: true, bigNumberStrings: false,
          connectTimeout: CONNECT_MS, multipleStatements: true,
        },
      }
    case 'postgres':
      return {
        client: 'pg',
        connection: pipelined({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: 'postern', keepAlive: true }),
      }
  }
}

/** Knex reads the file's name each time it opens a connection, so the file is checked each time. */
const fileConnection = (path: string, mayCreate: () => boolean): Knex.BetterSqlite3ConnectionConfig => ({
  get filename() {
    prepareFile(path, mayCreate())
    return path
  },
  options: { safeIntegers: true },
})

const openSqlite = (dialect: Dialect, path: string, mayCreate: () => boolean, { isReading }: Use): SqliteConnection =>
  new SqliteConnection({ path, session: dialect.session, isReading }, () => { prepareFile(path, mayCreate()) })

/** The parts of knex's client that decide which connection it uses. */
type LendingClient = { acquireConnection: () => Promise<LentConnection>; releaseConnection: (connection: LentConnection) => Promise<void> }

/** Another connection to a database in memory would open another database, so knex changes the schema over the same connection. */
const lendToKnex = (knex: Knex, connection: SqliteConnection): void => {
  const client = knex.client as LendingClient
  client.acquireConnection = () => connection.lend()
  client.releaseConnection = async ({ release }) => { release() }
}

/** With `pipeline`, `pg` sends a statement before the previous one is answered; knex's types lack the option. See `server.ts`. */
const pipelined = (connection: Knex.PgConnectionConfig): Knex.PgConnectionConfig & { readonly pipeline: true } =>
  ({ ...connection, pipeline: true })

/** SQLite has one connection, because it writes one transaction at a time and its calls are synchronous. */
const poolOf = (
  max: number, dialect: Dialect, socketTimeoutMs: () => number, sockets: Set<Socket>, hosts: () => HostConnections | undefined,
): Knex.PoolConfig => ({
  min: 0,
  validate: (connection: object) => hosts()?.isUsable(connection) ?? true,
  max,
  afterCreate: (connection: RawConnection, done: (error: Error | null, connection: RawConnection) => void) => {
    hosts()?.place(connection)
    const socket = socketOf(connection)
    if (socket !== undefined) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    setSocketTimeout(connection, socketTimeoutMs())
    setUp(dialect, connection).then(() => { done(null, connection) }, (error: unknown) => { done(error as Error, connection) })
  },
})

/** A connection of any of the three drivers, with the methods that its set-up needs. */
type RawConnection = PooledConnection & {
  readonly exec?: (sql: string) => unknown
  readonly query?: (sql: string, done: (error: Error | null, rows?: unknown) => void) => unknown
}

const setUp = async (dialect: Dialect, connection: RawConnection): Promise<void> => {
  for (const statement of dialect.session) {
    if (connection.exec) connection.exec(statement)
    else await new Promise<void>((resolve, reject) =>
      connection.query?.(statement, (error) => { if (error) reject(error); else resolve() }))
  }
  if (dialect.name === 'mysql') await setUpGaleraSession(connection)
}

/** How long a transaction is retried after conflicts, in milliseconds. */
const RETRY_MS = 5_000
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 200

/** If the signal is aborted, the transaction is not retried either. */
export type TransactOptions = TransactionOptions & {
  /** How long the transaction is retried, in milliseconds. */
  readonly retryMs?: number
}

/**
 * Runs work in one transaction. If it conflicts with another transaction, it is rolled back and run again, for a limited time.
 *
 * The pauses between retries grow and are random, so that the same transactions do not conflict again.
 */
export const transact = <Result>(
  { db }: Pick<Database, 'db'>,
  work: (trx: Queryable, attempt: number) => Promise<Result>,
  { isolationLevel, signal, retryMs = RETRY_MS }: TransactOptions = {},
): Promise<Result> =>
  retryConflicts((attempt) => {
    signal?.throwIfAborted()
    return db.transaction((trx) => work(trx, attempt), { isolationLevel, signal })
  }, retryMs)

/** Repeats work that conflicted with another transaction and has written nothing. */
export const retryConflicts = async <Result>(work: (attempt: number) => Promise<Result>, retryMs: number = RETRY_MS): Promise<Result> => {
  const lastTry = performance.now() + retryMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      if (sqlErrorKind(error) !== 'retry' || performance.now() > lastTry) throw error
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * attempt ** 2))
    }
  }
}
