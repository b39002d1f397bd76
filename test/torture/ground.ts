import { findServers } from '../support/databases.js'
import { startOwn } from '../support/own-server.js'
import { MARIADB, POSTGRES, type Kind } from '../support/own-server-kinds.js'

/** A database of a run's own. */
export type Ground = {
  readonly name: string
  readonly url: string
  /** Its server, where the run may kill it. */
  readonly server: KillableServer | undefined
} & AsyncDisposable

export type KillableServer = {
  /** Kills it without warning. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same data, and waits until it answers. */
  readonly start: () => Promise<void>
}

/** The databases a run can be held on, by the names the command line takes. */
export const DATABASES = ['sqlite', 'mysql', 'postgres'] as const

export type DatabaseName = (typeof DATABASES)[number]

/** What the databases are called. */
export const SERVER_NAMES: Readonly<Record<DatabaseName, string>> = { sqlite: 'SQLite', mysql: 'MySQL', postgres: 'PostgreSQL' }

const KINDS: Readonly<Record<DatabaseName, Kind | undefined>> = { sqlite: undefined, mysql: MARIADB, postgres: POSTGRES }

/** An empty database on a server at hand, which is shared and stays up. Rejects with a sentence where there is none. */
export const sharedGround = async (database: DatabaseName): Promise<Ground> => {
  const name = SERVER_NAMES[database]
  const { found, missing } = await findServers()
  const server = found.find((one) => one.name === name)
  if (server === undefined) throw new Error(`${name} does not answer: ${missing.find((one) => one.name === name)?.remedy ?? 'it is not known'}`)
  const made = await server.create()
  return { name, url: made.url, server: undefined, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() }
}

/** An empty database on a server of the run's own, started for it. Rejects with a sentence where it is not installed. */
export const ownGround = async (database: DatabaseName): Promise<Ground> => {
  const kind = KINDS[database]
  if (kind === undefined) throw new Error('SQLite has no server to kill')
  if (kind.home === undefined) throw new Error(`${kind.name} is not installed: ${kind.remedy}`)
  const own = await startOwn(kind)
  return { name: kind.name, url: own.url, server: own, [Symbol.asyncDispose]: () => own.remove() }
}
