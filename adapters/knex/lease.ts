import type { Database } from './database.js'
import { insert } from './bulk-sql.js'
import { sqlErrorKind } from './sql-error.js'
import { execute, type Queryable } from './sql.js'
import { transact } from './transact.js'

/** A request for a lease, which one holder at a time has for a limited time. */
export type LeaseRequest = { readonly name: string; readonly holder: string; readonly now: number; readonly ttlMs: number }

/** Takes a lease that is free, expired or already the holder's; `false` if another holder has it. */
export const takeLease = async (database: Database, { name, holder, now, ttlMs }: LeaseRequest): Promise<boolean> => {
  try {
    return await transact(database, async (trx) => {
      const taken = await execute(
        trx, 'UPDATE leases SET holder = ?, until = ? WHERE name = ? AND (holder = ? OR until <= ?)', [holder, now + ttlMs, name, holder, now],
      )
      if (taken === 0) await insert(trx, database.dialect, 'leases', ['name', 'holder', 'until'], [[name, holder, now + ttlMs]])
      return true
    })
  } catch (error) {
    if (sqlErrorKind(error) === 'conflict') return false
    throw error
  }
}

/** Renews the holder's lease, even an expired one; `false` if another holder has taken it since. A `ttlMs` of 0 releases it. */
export const renewLease = async (db: Queryable, { name, holder, now, ttlMs }: LeaseRequest): Promise<boolean> =>
  (await execute(db, 'UPDATE leases SET until = ? WHERE name = ? AND holder = ?', [now + ttlMs, name, holder])) > 0

/** Creates the table of leases. It is the first table, because the gateway that creates the others holds a lease. */
export const createLeases = async ({ knex, dialect }: Database): Promise<void> => {
  if (await knex.schema.hasTable('leases')) return
  const text = dialect.name === 'mysql' ? ' DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin' : ''
  try {
    await knex.raw(
      `CREATE TABLE IF NOT EXISTS leases (name VARCHAR(64) NOT NULL PRIMARY KEY, holder VARCHAR(64) NOT NULL, until BIGINT NOT NULL)${text}`,
    )
  } catch (error) {
    // If two gateways create it at once, PostgreSQL fails the slower one, with one of several errors. The table exists then.
    if (!(await knex.schema.hasTable('leases'))) throw error
  }
}
