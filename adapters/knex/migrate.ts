import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Database } from './database.js'
import { createLeases, renewLease, takeLease, type LeaseRequest } from './lease.js'
import { STEPS, type Step } from './schema.js'
import { sqlErrorKind } from './sql-error.js'
import { retryConflicts } from './transact.js'

/** How many steps had run in the database before and after. */
export type Migrated = { readonly from: number; readonly to: number }

export type MigrateOptions = {
  readonly steps?: ReadonlyArray<Step>
  /** How long the lease of the migrating gateway is valid after each renewal, in milliseconds. */
  readonly ttlMs?: number
  /** How long to wait while another gateway migrates, in milliseconds. */
  readonly waitMs?: number
}

const LEASE = 'migrate'
const TTL_MS = 30_000
const WAIT_MS = 60_000

/** Another gateway has taken the lease, because this one did not renew it in time. */
class LeaseLost extends Error {}

/**
 * Runs the steps that the database lacks. Of many gateways that start at once, only one migrates.
 *
 * That gateway holds a lease, a row in `leases`, which works in a cluster too, and renews it while it works. If the gateway ends, the lease
 * expires, and another gateway takes it and runs the unfinished step again.
 * A database of a later release is left as it is. If that release has removed what this program uses, it throws an `Error` and changes nothing.
 */
export const migrate = async (database: Database, { steps = STEPS, ttlMs = TTL_MS, waitMs = WAIT_MS }: MigrateOptions = {}): Promise<Migrated> => {
  const lastTry = Date.now() + waitMs
  const holder = randomUUID()
  database.allowCreate()
  const request = (): LeaseRequest => ({ name: LEASE, holder, now: Date.now(), ttlMs })
  for (;;) {
    try {
      const version = await knownVersion(database.knex, steps)
      if (version >= steps.length) return { from: version, to: version }
      await createLeases(database)
      if (await takeLease(database, request())) return await runMissing(database, steps, request)
    } catch (error) {
      if (!(error instanceof LeaseLost) && (sqlErrorKind(error) !== 'retry' || Date.now() > lastTry)) throw error
    }
    if (Date.now() > lastTry) {
      throw new Error(`another gateway has been migrating this database for more than ${waitMs / 1_000} s; wait until it is done, then start this one again`)
    }
    await delay(50 + Math.random() * 100)
  }
}

/** How many steps have run in the database; 0 if it was never migrated. */
export const schemaVersion = async (db: Knex): Promise<number> => (await stepsRunIn(db)).length

const stepsRunIn = async (db: Knex): Promise<ReadonlyArray<string>> => {
  if (!(await db.schema.hasTable(MIGRATIONS))) return []
  const rows = await db<{ readonly name: string }>(MIGRATIONS).distinct('name')
  return rows.map(({ name }) => name)
}

const MIGRATIONS = 'knex_migrations'

/** The name of a step that removes what an earlier release uses. An earlier release knows only the names of later steps, so the name says it. */
const CONTRACTING = /^[0-9]+-contract-/

const knownVersion = async (db: Knex, steps: ReadonlyArray<Step>): Promise<number> => {
  const run = await stepsRunIn(db)
  const unknown = run.filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length === 0) return run.length
  const hasEveryKnown = run.length - unknown.length === steps.length
  if (!hasEveryKnown || unknown.some((name) => CONTRACTING.test(name))) {
    throw new Error(`the database is at version ${run.length}, newer than this program, which knows ${steps.length}; run the newer one`)
  }
  return run.length
}

/** Runs every missing step, while this gateway holds the lease, and then releases the lease. */
const runMissing = async (database: Database, steps: ReadonlyArray<Step>, request: () => LeaseRequest): Promise<Migrated> => {
  try {
    const from = await knownVersion(database.knex, steps)
    // Knex has a lock of its own. A gateway that was killed may have left it locked.
    await database.knex.migrate.forceFreeMigrationsLock(configOf(steps))
    database.allowLongStatements(true)
    // Nobody uses an empty database yet, so its steps need no transaction each; elsewhere a step keeps its locks no longer than it must.
    const atOnce = from === 0 || !database.dialect.transactionalSchema ? steps.length : 1
    for (let version = from; version < steps.length; version += atOnce) await runNext(database, steps, request, atOnce === 1 ? 'up' : 'latest')
    return { from, to: steps.length }
  } finally {
    database.allowLongStatements(false)
    await retryConflicts(() => renewLease(database.knex, { ...request(), ttlMs: 0 })).catch(() => undefined)
  }
}

/** Runs the next step (`up`) or all missing ones (`latest`), and records each of them, unless another gateway has taken the lease. */
const runNext = async ({ knex, dialect }: Database, steps: ReadonlyArray<Step>, request: () => LeaseRequest, which: 'up' | 'latest'): Promise<void> => {
  const renew = async (db: Knex): Promise<void> => {
    if (!(await renewLease(db, request()))) throw new LeaseLost('another gateway migrates this database now')
  }
  if (dialect.transactionalSchema) {
    // On SQLite another gateway that asks for the lease may lock the file at the same moment.
    await retryConflicts(() => knex.transaction(async (trx) => {
      // The lease's row stays locked until the commit, so no other gateway can take the lease before.
      await renew(trx)
      for (const statement of dialect.migration) await trx.raw(statement)
      await trx.migrate[which](configOf(steps))
    }))
    return
  }
  const heartbeat = setInterval(() => { renewLease(knex, request()).catch(() => undefined) }, request().ttlMs / 3)
  try {
    await knex.migrate[which](configOf(steps, () => renew(knex)))
  } catch (error) {
    await renew(knex)
    throw error
  } finally {
    clearInterval(heartbeat)
  }
}

/** The configuration of knex's migrator; `beforeRecord` is called after a step and before knex records it. */
const configOf = (steps: ReadonlyArray<Step>, beforeRecord: () => Promise<void> = () => Promise.resolve()): Knex.MigratorConfig => ({
  disableTransactions: true,
  migrationSource: {
    getMigrations: () => Promise.resolve([...steps]),
    getMigrationName: (step: Step) => step.name,
    getMigration: (step: Step) => Promise.resolve({
      up: async (db: Knex) => {
        await step.up(db)
        await beforeRecord()
      },
      down: () => Promise.reject(new Error('migrations only go forward')),
    }),
  },
})
