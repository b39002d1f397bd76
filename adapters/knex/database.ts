import createKnex, { type Knex } from 'knex'
import { DIALECTS, type Dialect, type DialectName } from './dialect.js'
import { endWhenSilent, type Speaking } from './silence.js'

/** An open database and the way it speaks. */
export type Database = { readonly knex: Knex; readonly dialect: Dialect }

/** How long a caller may wait for a free connection, in milliseconds. */
const ACQUIRE_MS = 5_000

const CONNECT_MS = 5_000

/** How long a connection may be silent while it is asked, in milliseconds: more than any statement may take. */
const SILENT_MS = 90_000

const POOL_SIZE = 10

/**
 * Opens the database that a URL names: `sqlite:PATH`, `mysql://…` or `postgres://…`.
 *
 * Nothing is connected yet. Throws an `Error` with a sentence where the URL names none of them, or the driver is not installed.
 */
export const openDatabase = (url: string, silentMs: number = SILENT_MS): Database => {
  const dialect = DIALECTS[dialectOf(url)]
  return {
    dialect,
    knex: withDriver({ ...connectionTo(url, dialect.name), acquireConnectionTimeout: ACQUIRE_MS, pool: poolOf(dialect, silentMs), log: SILENT, compileSqlOnError: false }),
  }
}

/** The drivers are optional packages; knex tells of one that is not there with a stack, and this with a sentence. */
const withDriver = (config: Knex.Config & { readonly client: string }): Knex => {
  try {
    return createKnex(config)
  } catch (cause) {
    const { client } = config
    if (!(cause instanceof Error) || !cause.message.includes(`Cannot find module '${client}'`)) throw cause
    throw new Error(`the package ${client} is needed for such a database and not installed; \`npm install ${client}\` adds it`, { cause })
  }
}

/** What knex would print is told by the errors that it throws. */
const SILENT = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

const dialectOf = (url: string): DialectName => {
  if (url.startsWith('sqlite:')) return 'sqlite'
  if (/^(mysql|mariadb):\/\//.test(url)) return 'mysql'
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres'
  throw new Error('the database URL must begin with sqlite:, mysql:// or postgres://')
}

const connectionTo = (url: string, name: DialectName): Knex.Config & { readonly client: string } => {
  switch (name) {
    case 'sqlite':
      return {
        client: 'better-sqlite3', useNullAsDefault: true,
        connection: { filename: url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''), options: { safeIntegers: true } },
      }
    case 'mysql':
      return {
        client: 'mysql2',
        // Integers beyond 2^53 come as strings, all others as numbers; either way no digit is lost. Several statements: `together.ts`.
        connection: { uri: url.replace(/^mariadb:/, 'mysql:'), timezone: 'Z', charset: 'utf8mb4', supportBigNumbers: true, bigNumberStrings: false, connectTimeout: CONNECT_MS, multipleStatements: true },
      }
    case 'postgres':
      return { client: 'pg', connection: pipelined({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: 'postern', keepAlive: true }) }
  }
}

/** `pg` sends a statement before the last is answered; knex's types do not know of that. See `together.ts`. */
const pipelined = (connection: Knex.PgConnectionConfig): Knex.PgConnectionConfig & { readonly pipeline: true } => ({ ...connection, pipeline: true })

/** SQLite is one connection: it writes one transaction at a time, and calls into it are synchronous anyway. */
const poolOf = (dialect: Dialect, silentMs: number): Knex.PoolConfig => ({
  min: 0,
  max: dialect.name === 'sqlite' ? 1 : POOL_SIZE,
  afterCreate: (connection: RawConnection, done: (error: Error | null, connection: RawConnection) => void) => {
    endWhenSilent(connection, silentMs)
    begin(dialect, connection).then(() => { done(null, connection) }, (error: unknown) => { done(error as Error, connection) })
  },
})

/** What the three drivers' connections have in common, as far as a session's beginning needs it. */
type RawConnection = Speaking & {
  readonly exec?: (sql: string) => unknown
  readonly query?: (sql: string, done: (error: Error | null) => void) => unknown
}

const begin = async (dialect: Dialect, connection: RawConnection): Promise<void> => {
  for (const statement of dialect.session) {
    if (connection.exec) connection.exec(statement)
    else await new Promise<void>((resolve, reject) => connection.query?.(statement, (error) => { if (error) reject(error); else resolve() }))
  }
}
