import createKnex, { type Knex } from 'knex'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import type { TestServer } from '../support/databases.js'
import type { Closing } from './closing.js'
import { fillWithMessages } from './million.js'
import { FUNDS, makeTenants, SECRET, succeed, type Tenant } from './tenants.js'

/** A database of the bench's own with tenants in it. */
export type BenchDatabase = {
  readonly url: string
  readonly tenants: ReadonlyArray<Tenant>
  /** Makes it as it was before anything was sent; what it was filled with stays, and so does what came on top of that. */
  readonly reset: () => Promise<void>
  /**
   * Throws where the books are off, or where another number of messages than this was accepted since the last reset.
   *
   * A filled database only notes the number: to read a million rows between runs would drive what is in use from its memory.
   */
  readonly check: (sent: number) => Promise<void>
  /** The same check of everything so far, once nothing more is measured. */
  readonly finalCheck: () => Promise<void>
}

export type DatabaseWants = { readonly tenants: number; readonly filled: boolean }

const EMPTIED = ['messages', 'holds', 'idempotency_keys', 'wallet_entries']

/** Makes a database on a server, with so many tenants, perhaps filled with a million messages of the past. */
export const makeDatabase = async (server: TestServer, wants: DatabaseWants, closing: Closing): Promise<BenchDatabase> => {
  const database = await server.create()
  closing.defer(async () => database[Symbol.asyncDispose]())
  const storage = openStorage({ url: database.url, secret: SECRET })
  closing.defer(() => storage.close())
  const knex = openKnex(database.url)
  closing.defer(() => knex.destroy())
  await storage.migrate()
  const tenants = await makeTenants(storage, wants.tenants)
  if (wants.filled) await fillWithMessages(knex)
  else await knex.raw('CREATE TABLE bench_entries AS SELECT * FROM wallet_entries')
  let accepted = 0

  return {
    url: database.url,
    tenants,
    reset: async () => {
      if (wants.filled) return
      for (const table of EMPTIED) await knex(table).truncate()
      await knex.raw('INSERT INTO wallet_entries SELECT * FROM bench_entries')
      await knex('wallets').update({ available: String(FUNDS), held: 0 })
      if (isSqlite(database.url)) await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)')
      accepted = 0
    },
    check: async (sent) => {
      accepted += sent
      if (!wants.filled) await checkAll()
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

/** Throws where any workspace's books are off. */
export const checkBooks = async ({ ledger }: Pick<KnexStorage, 'ledger'>): Promise<void> => {
  const { broken } = await succeed(ledger.audit())
  if (broken.length > 0) throw new Error(`the books are off: ${broken.slice(0, 3).map(({ fault }) => fault).join('; ')}`)
}

/** What a database server calls itself. */
export const versionOf = async (server: TestServer): Promise<string> => {
  const database = await server.create()
  const knex = openKnex(database.url)
  try {
    const [rows] = [await knex.select(knex.raw(isSqlite(database.url) ? 'sqlite_version() AS version' : 'version() AS version'))] as [ReadonlyArray<{ readonly version: string }>]
    return named(server.name, rows[0]?.version ?? 'unknown')
  } finally {
    await knex.destroy()
    await database[Symbol.asyncDispose]()
  }
}

const named = (server: string, version: string): string =>
  /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : version.startsWith(server) ? version.split(' ').slice(0, 2).join(' ') : `${server} ${version}`

const isSqlite = (url: string): boolean => url.startsWith('sqlite:')

const openKnex = (url: string): Knex => {
  const pool = { min: 0, max: 1 }
  if (isSqlite(url)) return createKnex({ client: 'better-sqlite3', connection: { filename: url.slice('sqlite:'.length) }, useNullAsDefault: true, pool })
  return createKnex({ client: url.startsWith('postgres') ? 'pg' : 'mysql2', connection: url, pool })
}
