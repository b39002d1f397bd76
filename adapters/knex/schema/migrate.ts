import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { type Database, retryConflicts, transact } from '../engine/database.js'
import { type Dialect, sqlErrorKind } from '../engine/dialect.js'
import { codeOf, connectionFault, type ConnectionFault, knownFault, sayFault } from '../engine/faults.js'
import type { HostState } from '../engine/hosts.js'
import { execute, insert, select } from '../engine/sql.js'
import { SQLITE_FILE_REPLACED } from '../engine/sqlite.js'
import { type LeaseRequest, releaseLease, restOfLease, takeLease } from '../gateways.js'
import { type Step, STEPS } from './steps.js'

/** How many steps had run in the database before and after. */
export type Migrated = { readonly from: number; readonly to: number }

export type MigrateOptions = {
  readonly steps?: ReadonlyArray<Step>
  /** How long the lease of the migrating gateway is valid after each renewal, in milliseconds. */
  readonly ttlMs?: number
  /** How long to wait while another gateway migrates, or while another transaction uses a table that a step changes, in milliseconds. */
  readonly waitMs?: number
  /** Called once if another gateway migrates, with the seconds for which its lease still lasts. */
  readonly onWaiting?: (seconds: number) => void
}

const LEASE = 'migrate'
const TTL_MS = 30_000
const WAIT_MS = 60_000

/** The pause after a step has waited for a table in vain, in milliseconds. The requests that waited behind the step continue in it. */
const TABLE_PAUSE_MS = 2_000

/** Another gateway has taken the lease, because this one did not renew it before the deadline. */
class LeaseLost extends Error {}

/** Another transaction uses a table that the step changes, so the step has changed nothing of it. */
class TableInUse extends Error {}

/**
 * Runs the steps that the database lacks. If many gateways start simultaneously, only one migrates.
 *
 * That gateway holds a lease, a row in `leases`, which works in a cluster too, and renews it while it works. If the gateway ends, the lease expires, and another
 * gateway takes it and runs the unfinished step again. A database of a later release is left unchanged. If that release has removed something that this program uses,
 * it throws an `Error` and changes nothing.
 */
export const migrate = async (
  database: Database, { steps = STEPS, ttlMs = TTL_MS, waitMs = WAIT_MS, onWaiting }: MigrateOptions = {},
): Promise<Migrated> => {
  const lastTry = Date.now() + waitMs
  const holder = randomUUID()
  database.allowCreate()
  const lease: LeaseRequest = { name: LEASE, holder, ttlMs }
  let isWaiting = false
  for (;;) {
    try {
      const version = await knownVersion(database.knex, steps)
      if (version >= steps.length) return { from: version, to: version }
      await createLeases(database)
      if (await takeLease(database, lease)) return await runMissing(database, steps, { lease, waitMs, lastTry })
      if (!isWaiting) onWaiting?.(await secondsOfLease(database))
      isWaiting = true
    } catch (error) {
      if (!(error instanceof LeaseLost) && (sqlErrorKind(error) !== 'retry' || Date.now() > lastTry)) throw error
    }
    if (Date.now() > lastTry) {
      throw new Error(`another gateway has been migrating this database for more than ${waitMs / 1_000} s; wait until it is done, then start this one again`)
    }
    await delay(50 + Math.random() * 100)
  }
}

/** For how many seconds the migration lease still lasts; 0 if no gateway has it. */
const secondsOfLease = async (database: Database): Promise<number> => Math.ceil(await restOfLease(database, LEASE) / SECOND_MS)

/** How many steps have run in the database; 0 if it was never migrated. */
export const schemaVersion = async (db: Knex): Promise<number> => (await stepsRunIn(db)).length

const stepsRunIn = async (db: Knex): Promise<ReadonlyArray<string>> => {
  if (!(await db.schema.hasTable(MIGRATIONS))) return []
  const rows = await db<{ readonly name: string }>(MIGRATIONS).distinct('name')
  return rows.map(({ name }) => name)
}

const MIGRATIONS = 'knex_migrations'

/** The name of a step that removes something that an earlier release uses. An earlier release knows only the names of later steps, so the name has to show it. */
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

/** The lease of a run, and the limit of its waits for tables. */
type RunOptions = { readonly lease: LeaseRequest; readonly waitMs: number; readonly lastTry: number }

/** Runs every missing step, while this gateway holds the lease, and then releases the lease. */
const runMissing = async (database: Database, steps: ReadonlyArray<Step>, options: RunOptions): Promise<Migrated> => {
  const { lease } = options
  try {
    const from = await knownVersion(database.knex, steps)
    // Knex has a separate lock. A gateway that was killed may have left it locked.
    await database.knex.migrate.forceFreeMigrationsLock(configOf(steps))
    database.allowLongStatements(true)
    // An empty database is not in use yet, so its steps need no separate transactions; on other databases a step holds its locks only as long as necessary.
    const atOnce = from === 0 || !database.dialect.transactionalSchema ? steps.length : 1
    for (let version = from; version < steps.length; version += atOnce) {
      await runWhenFree(database, steps, options, atOnce === 1 ? 'up' : 'latest')
    }
    return { from, to: steps.length }
  } finally {
    database.allowLongStatements(false)
    await releaseLease(database, lease).catch(() => undefined)
  }
}

/**
 * Runs steps, and runs them again while another transaction uses a table that they change.
 *
 * A backup, for example, is a transaction that uses each table until it ends. Sends can use the table at the same time, but not behind a step that waits for it. So a
 * step waits only briefly, and then lets them through before it tries again.
 */
const runWhenFree = async (
  database: Database, steps: ReadonlyArray<Step>, { lease, waitMs, lastTry }: RunOptions, which: 'up' | 'latest',
): Promise<void> => {
  for (;;) {
    try {
      return await runNext(database, steps, lease, which)
    } catch (error) {
      if (!(error instanceof TableInUse)) throw error
      if (Date.now() > lastTry) {
        throw new Error(
          `another transaction, such as a backup, has been using a table that the migration changes for more than ${waitMs / 1_000} s; `
          + 'wait until it has ended, or end it, then migrate again', { cause: error },
        )
      }
      await renewOrThrow(database.knex, database.dialect, lease)
      await delay(TABLE_PAUSE_MS)
    }
  }
}

/** Runs the next step (`up`) or all missing ones (`latest`), and records each of them, unless another gateway has taken the lease. */
const runNext = async (
  { knex, dialect }: Database, steps: ReadonlyArray<Step>, lease: LeaseRequest, which: 'up' | 'latest',
): Promise<void> => {
  if (dialect.transactionalSchema) {
    // On SQLite another gateway that requests the lease may lock the file at the same time.
    await retryConflicts(() => knex.transaction(async (trx) => {
      // The lease's row stays locked until the commit, so no other gateway can take the lease before.
      await renewOrThrow(trx, dialect, lease)
      for (const statement of dialect.migration) await trx.raw(statement)
      await trx.migrate[which](configOf(steps))
    }).catch(throwTableInUse))
    return
  }
  const heartbeat = setInterval(() => { renewLease(knex, dialect, lease).catch(() => undefined) }, lease.ttlMs / 3)
  try {
    const eachOnOneConnection = steps.map((step) => ({ ...step, up: (db: Knex) => onOneConnection(db, dialect, step.up) }))
    await knex.migrate[which](configOf(eachOnOneConnection, () => renewOrThrow(knex, dialect, lease)))
  } catch (error) {
    await renewOrThrow(knex, dialect, lease)
    throwTableInUse(error)
  } finally {
    clearInterval(heartbeat)
  }
}

/** Runs a step over one connection of MySQL, because its wait for a table is a setting of the connection. MySQL commits the transaction at each change of the schema. */
const onOneConnection = (db: Knex, dialect: Dialect, up: Step['up']): Promise<void> => db.transaction(async (trx) => {
  for (const statement of dialect.migration) await trx.raw(statement)
  try {
    await up(trx)
  } finally {
    // The connection stays open for requests.
    await trx.raw('SET SESSION lock_wait_timeout = DEFAULT').catch(() => undefined)
  }
})

/** The errors of a wait for a lock that was too long, on MySQL and PostgreSQL. */
const LOCK_TIMEOUTS = new Set(['ER_LOCK_WAIT_TIMEOUT', '55P03'])

const throwTableInUse = (error: unknown): never => {
  if (LOCK_TIMEOUTS.has(codeOf(error))) throw new TableInUse('another transaction uses a table that the step changes', { cause: error })
  throw error
}

const renewOrThrow = async (db: Knex, dialect: Dialect, lease: LeaseRequest): Promise<void> => {
  if (!(await renewLease(db, dialect, lease))) throw new LeaseLost('another gateway migrates this database now')
}

/** Renews the holder's lease, even an expired one; `false` if another holder has taken it since. */
const renewLease = async (db: Knex, { now }: Dialect, { name, holder, ttlMs }: LeaseRequest): Promise<boolean> =>
  (await db('leases').where({ name, holder }).update({ until: db.raw(`${now} + ?`, [ttlMs]) })) > 0

/** Creates the table of leases. It is the first table, because the gateway that creates the others holds a lease. */
export const createLeases = async ({ knex, dialect }: Database): Promise<void> => {
  if (await knex.schema.hasTable('leases')) return
  const text = dialect.name === 'mysql' ? ' DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin' : ''
  try {
    await knex.raw(
      `CREATE TABLE IF NOT EXISTS leases (name VARCHAR(64) NOT NULL PRIMARY KEY, holder VARCHAR(64) NOT NULL, until BIGINT NOT NULL)${text}`,
    )
  } catch (error) {
    // If two gateways create it simultaneously, PostgreSQL fails the slower one, with one of several errors. The table exists then.
    if (!(await knex.schema.hasTable('leases'))) throw error
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

/** Whether the gateway can serve requests; if not, a sentence for each reason. */
export type Readiness = {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  /** If the URL contains several hosts: the state of each, in the order of the URL. Their names are only for the operator. */
  readonly hosts?: ReadonlyArray<HostState['state']>
}

/** How long the database may take for the check, in milliseconds. */
const READINESS_MS = 3_000

/** The result of a check. `reason` is public and contains no names; `fault` and `remedy` are for the operator. */
type Checked = { readonly _tag: 'Ready' } | ({ readonly _tag: 'NotMigrated' | 'Unusable'; readonly reason: string } & ConnectionFault)

/** Whether the database can be read and written now, and is migrated. The reasons may be shown to anyone. */
export const readiness = async (database: Database, url: string): Promise<Readiness> => {
  const checked = await checkInTime(database, url)
  const hosts = database.hosts?.hasSeveral === true ? { hosts: database.hosts.states().map(({ state }) => state) } : {}
  return checked._tag === 'Ready' ? { ready: true, reasons: [], ...hosts } : { ready: false, reasons: [checked.reason], ...hosts }
}

/** Why the database cannot be used, for the operator, with names of hosts, users and files; `undefined` if it can be used. */
export const diagnosis = async (database: Database, url: string): Promise<ConnectionFault | undefined> => {
  const checked = await checkInTime(database, url)
  return checked._tag === 'Ready' ? undefined : { fault: checked.fault, remedy: checked.remedy }
}

/** Runs the steps that the database lacks, as `migrate` does. If the database cannot be used or changed, the error has the text of `diagnosis`. */
export const migrateOrSayWhy = async (database: Database, url: string, options?: MigrateOptions): Promise<Migrated> => {
  try {
    return await migrate(database, options)
  } catch (error) {
    const fault = await unusable(database, url) ?? knownFault(url, error)
    throw fault === undefined ? error : new Error(sayFault(fault), { cause: error })
  }
}

/** A database that is only not migrated has no fault of its own. */
const unusable = async (database: Database, url: string): Promise<ConnectionFault | undefined> => {
  const checked = await checkInTime(database, url)
  return checked._tag === 'Unusable' ? checked : undefined
}

const checkInTime = async (database: Database, url: string): Promise<Checked> => {
  const cancel = new AbortController()
  const reason = 'the database does not answer'
  const late = delay(READINESS_MS, { _tag: 'Unusable', reason, ...noAnswer(url) } as const, { signal: cancel.signal, ref: false })
  try {
    return await Promise.race([check(database, url), late])
  } finally {
    late.catch(() => undefined)
    cancel.abort()
  }
}

const noAnswer = (url: string): ConnectionFault => connectionFault(url, new Error(`it did not answer within ${READINESS_MS} ms`))

const check = async (database: Database, url: string): Promise<Checked> => {
  try {
    // Knex may open the file again, so it does not notice that the file was replaced.
    if (database.dialect.name === 'sqlite') await select(database.db, 'SELECT 1 AS one')
    const version = await schemaVersion(database.knex)
    if (version < STEPS.length) {
      const seconds = version === 0 ? 0 : await secondsOfLease(database)
      const migrating = seconds === 0 ? '' : `; another gateway migrates it, and has the lease for ${seconds} more s`
      const reason = `the database is at version ${version}, this program wants ${STEPS.length}${migrating}`
      return { _tag: 'NotMigrated', reason, fault: reason, remedy: 'Run `postern migrate`.' }
    }
    await probeWrite(database)
    return { _tag: 'Ready' }
  } catch (error) {
    return { _tag: 'Unusable', reason: reasonOf(error), ...connectionFault(url, error) }
  }
}

const reasonOf = (error: unknown): string => {
  if (codeOf(error) === SQLITE_FILE_REPLACED) return 'the database file was removed or replaced while the gateway had it open'
  if (FULL_DISK.has(codeOf(error))) return 'the disk of the database is full'
  switch (sqlErrorKind(error)) {
    case 'retry': return 'the database is locked by another process'
    case 'unavailable': return 'the database cannot be reached'
    case 'conflict': case 'other': return 'the database cannot be used'
  }
}

/** The errors of a full disk, for each database. */
const FULL_DISK = new Set(['SQLITE_FULL', 'ER_DISK_FULL', 'ER_RECORD_FILE_FULL', '53100'])

/** A row of `leases` that no gateway takes. */
const PROBE = 'readiness'

/** More than the writes of some hundred sends, in characters. */
const ROOM_TRIED = 1_000_000

/**
 * Writes a row. This needs the same as every write: the lock of a SQLite file, room on the disk, a server that is not read-only. The row must change, because a
 * database writes nothing for a row that stays the same.
 *
 * On a full disk, a row may still fit after the larger write of a send has failed: SQLite's log keeps the space that the failed write got. So after such a failure this
 * writes as much as many sends do, before it reports that there is room again.
 */
const probeWrite = async (database: Database): Promise<void> => {
  const { room } = database
  if (room.isMissing()) await writeProbe(database, ' '.repeat(ROOM_TRIED))
  await writeProbe(database, '')
  room.isBack()
}

const writeProbe = ({ dialect, ...database }: Database, filling: string): Promise<void> =>
  transact(database, async (trx) => {
    const changed = await execute(trx, 'UPDATE leases SET until = until % 1000 + 1, holder = ? WHERE name = ?', [filling, PROBE])
    if (changed === 0) {
      await insert(trx, dialect, 'leases', ['name', 'holder', 'until'], [[PROBE, filling, 1]], dialect.insertIgnore('leases', ['name']))
    }
  }, { retryMs: READINESS_MS / 2 })
