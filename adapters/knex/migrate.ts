import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Database } from './database.js'
import { STEPS, type Step } from './schema.js'
import { sqlErrorKind } from './sql-error.js'

/** How many steps the database had behind it before and after. */
export type Migrated = { readonly from: number; readonly to: number }

/** How long a gateway waits for another one that is migrating, in seconds. */
const LOCK_WAIT_S = 60

const LOCK = 'postern_migrations'

/** PostgreSQL names advisory locks by number; this one is ours. */
const LOCK_NUMBER = 7_230_115

/**
 * Brings the database up to date, one gateway at a time however many start at once.
 *
 * Throws an `Error` with a sentence where the database is newer than this program; nothing is changed then.
 */
export const migrate = async (database: Database, steps: ReadonlyArray<Step> = STEPS): Promise<Migrated> => {
  const lastTry = Date.now() + LOCK_WAIT_S * 1_000
  for (;;) {
    try {
      return await alone(database, (db) => forward(db, steps))
    } catch (error) {
      if (sqlErrorKind(error) !== 'retry' || Date.now() > lastTry) throw error
      await delay(50 + Math.random() * 100)
    }
  }
}

/** How many steps the database has behind it; none where it was never migrated. */
export const schemaVersion = async (db: Knex): Promise<number> =>
  (await db.schema.hasTable('knex_migrations')) ? (await db('knex_migrations').select('name')).length : 0

/** Runs work while no other gateway migrates the same database; the lock ends with its connection, even by a crash. */
const alone = async <Result>({ knex, dialect }: Database, work: (db: Knex) => Promise<Result>): Promise<Result> => {
  switch (dialect.name) {
    case 'sqlite':
      return knex.transaction(async (trx) => {
        // A first write makes this the one writer; a second gateway waits here and then sees what this one did.
        await trx.raw('CREATE TABLE IF NOT EXISTS migration_lock (id INTEGER PRIMARY KEY)')
        await trx.raw('DELETE FROM migration_lock')
        return work(trx)
      })
    case 'postgres':
      return knex.transaction(async (trx) => {
        await trx.raw('SET LOCAL lock_timeout = 0')
        await trx.raw(`SET LOCAL statement_timeout = ${LOCK_WAIT_S * 1_000}`)
        await trx.raw('SELECT pg_advisory_xact_lock(?)', [LOCK_NUMBER])
        return work(trx)
      })
    case 'mysql':
      return knex.transaction(async (trx) => {
        // The name carries the database's, since MySQL's named locks are the whole server's.
        const [rows] = (await trx.raw('SELECT GET_LOCK(CONCAT(?, DATABASE()), ?) AS taken', [LOCK, LOCK_WAIT_S])) as [ReadonlyArray<{ taken: number | null }>]
        if (rows[0]?.taken !== 1) throw new Error('another gateway has been migrating this database for too long')
        try {
          return await work(knex)
        } finally {
          await trx.raw('SELECT RELEASE_LOCK(CONCAT(?, DATABASE()))', [LOCK])
        }
      })
  }
}

const forward = async (db: Knex, steps: ReadonlyArray<Step>): Promise<Migrated> => {
  const from = await schemaVersion(db)
  if (from > steps.length) {
    throw new Error(`the database is at version ${from}, newer than this program, which knows ${steps.length}; run the newer one`)
  }
  // Whoever held knex's own lock is gone, since this gateway is alone; it would otherwise stay taken after a crash.
  const migrations = db.migrate
  const config: Knex.MigratorConfig = { migrationSource: sourceOf(steps), disableTransactions: true }
  await migrations.forceFreeMigrationsLock(config)
  await migrations.latest(config)
  return { from, to: steps.length }
}

const sourceOf = (steps: ReadonlyArray<Step>): Knex.MigrationSource<Step> => ({
  getMigrations: () => Promise.resolve([...steps]),
  getMigrationName: (step) => step.name,
  getMigration: (step) => Promise.resolve({ up: step.up, down: () => Promise.reject(new Error('migrations only go forward')) }),
})
