import { findServers } from '../support/databases.js'
import type { Finding } from './run-record.js'
import { startDatabaseServer } from '../support/database-server.js'
import { MARIADB, POSTGRES, type ServerKind } from '../support/database-server-kinds.js'

/** A database for one run. */
export type TortureDatabase = {
  readonly name: string
  readonly url: string
  /** Its URLs for further gateways, which are not killed. */
  readonly otherUrls?: ReadonlyArray<string>
  /** Its server, if the run may kill it. */
  readonly server: KillableServer | undefined
  /** Checks at the end of a run for faults that only this kind of database can have. */
  readonly check?: () => Promise<ReadonlyArray<Finding>>
} & AsyncDisposable

export type KillableServer = {
  /** Kills it without warning. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same data, and waits until it answers. */
  readonly start: () => Promise<void>
}

/** The databases of a run, by their names on the command line. */
export const DATABASES = ['sqlite', 'mysql', 'postgres'] as const

export type DatabaseName = (typeof DATABASES)[number]

/** The names of the databases in reports. */
export const SERVER_NAMES: Readonly<Record<DatabaseName, string>> = { sqlite: 'SQLite', mysql: 'MySQL', postgres: 'PostgreSQL' }

const KINDS: Readonly<Record<DatabaseName, ServerKind | undefined>> = { sqlite: undefined, mysql: MARIADB, postgres: POSTGRES }

/** Creates an empty database on a running server, which other programs may use too. Rejects with a sentence if there is no server. */
export const openSharedDatabase = async (database: DatabaseName): Promise<TortureDatabase> => {
  const name = SERVER_NAMES[database]
  const { found, missing } = await findServers()
  const server = found.find((one) => one.name === name)
  if (server === undefined) throw new Error(`${name} does not answer: ${missing.find((one) => one.name === name)?.remedy ?? 'it is not known'}`)
  const made = await server.create()
  return { name, url: made.url, server: undefined, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() }
}

/** Starts a server for this run and creates an empty database on it. Rejects with a sentence if the server is not installed. */
export const openOwnDatabase = async (database: DatabaseName): Promise<TortureDatabase> => {
  const kind = KINDS[database]
  if (kind === undefined) throw new Error('SQLite has no server to kill')
  if (kind.programFolder === undefined) throw new Error(`${kind.name} is not installed: ${kind.remedy}`)
  const own = await startDatabaseServer(kind)
  return { name: kind.name, url: own.url, server: own, [Symbol.asyncDispose]: () => own.remove() }
}
