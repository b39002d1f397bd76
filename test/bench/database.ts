import createKnex, { type Knex } from 'knex'
import { openStorage } from '../../adapters/knex/index.js'
import type { TestServer } from '../support/databases.js'
import { checkBooks } from './check-books.js'
import type { Cleanup } from './cleanup.js'
import { fillWithMessages } from './fill-messages.js'
import { FUNDS, makeTenants, SECRET, type Tenant } from './tenants.js'

/** A database of the bench that contains workspaces. */
export type BenchDatabase = {
  readonly url: string
  readonly tenants: ReadonlyArray<Tenant>
  /** Restores the state before anything was sent; a filled database is not reset. */
  readonly reset: () => Promise<void>
  /**
   * Throws if the audit fails, or if the number of messages accepted since the last reset is different.
   *
   * A filled database only adds up the numbers: reading a million rows between runs would evict the cached rows.
   */
  readonly check: (sent: number) => Promise<void>
  /** The same check for all messages so far, at the end of the run. */
  readonly finalCheck: () => Promise<void>
}

export type DatabaseOptions = { readonly tenants: number; readonly filled: boolean }

const EMPTIED = ['messages', 'holds', 'idempotency_keys', 'wallet_entries']

/** Makes a database with a number of workspaces, perhaps filled with a million old messages. */
export const makeDatabase = async (server: TestServer, options: DatabaseOptions, cleanup: Cleanup): Promise<BenchDatabase> => {
  const database = await server.create()
  cleanup.defer(async () => database[Symbol.asyncDispose]())
  const storage = openStorage({ url: database.url, secret: SECRET })
  cleanup.defer(() => storage.close())
  const knex = openKnex(database.url)
  cleanup.defer(() => knex.destroy())
  await storage.migrate()
  const tenants = await makeTenants(storage, options.tenants)
  if (options.filled) await fillWithMessages(knex)
  else await knex.raw('CREATE TABLE bench_entries AS SELECT * FROM wallet_entries')
  let accepted = 0

  return {
    url: database.url,
    tenants,
    reset: async () => {
      if (options.filled) return
      for (const table of EMPTIED) await knex(table).truncate()
      await knex.raw('INSERT INTO wallet_entries SELECT * FROM bench_entries')
      await knex('wallets').update({ available: String(FUNDS), held: 0 })
      if (isSqlite(database.url)) await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)')
      accepted = 0
    },
    check: async (sent) => {
      accepted += sent
      if (!options.filled) await checkAll()
    },
    finalCheck: checkAll,
  }

  async function checkAll(): Promise<void> {
    const rows = await knex('messages').where({ state: 'accepted' }).count({ count: '*' })
    const found = Number(rows[0]?.['count'])
    if (found !== accepted) throw new Error(`${accepted} messages were answered with 200, but ${found} are accepted in the log`)
    await checkBooks(storage)
  }
}

/** The name and version of a database server. */
export const versionOf = async (server: TestServer): Promise<string> => {
  const database = await server.create()
  const knex = openKnex(database.url)
  try {
    const [rows] = [
      await knex.select(knex.raw(isSqlite(database.url) ? 'sqlite_version() AS version' : 'version() AS version')),
    ] as [ReadonlyArray<{ readonly version: string }>]
    return named(server.name, rows[0]?.version ?? 'unknown')
  } finally {
    await knex.destroy()
    await database[Symbol.asyncDispose]()
  }
}

const named = (server: string, version: string): string =>
  /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}`
    : version.startsWith(server) ? version.split(' ').slice(0, 2).join(' ')
    : `${server} ${version}`

const isSqlite = (url: string): boolean => url.startsWith('sqlite:')

/** Opens one connection. */
export const openKnex = (url: string): Knex => {
  const pool = { min: 0, max: 1 }
  if (isSqlite(url)) {
    return createKnex({ client: 'better-sqlite3', connection: { filename: url.slice('sqlite:'.length) }, useNullAsDefault: true, pool })
  }
  return createKnex({ client: url.startsWith('postgres') ? 'pg' : 'mysql2', connection: url, pool })
}
