import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from './database.js'
import { connectionFault, type ConnectionFault } from './connection-fault.js'
import type { HostState } from './host-connections.js'
import { schemaVersion } from './migrate.js'
import { STEPS } from './schema.js'
import { execute } from './sql.js'
import { sqlErrorKind } from './sql-error.js'
import { transact } from './transact.js'

/** Whether the gateway can serve requests, with one sentence for each reason against. */
export type Readiness = {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  /** Where the URL names several hosts: the state of each, in the order of the URL. Their names are for the operator only. */
  readonly hosts?: ReadonlyArray<HostState['state']>
}

/** How long the database may take for the check, in milliseconds. */
const READINESS_MS = 3_000

/** The result of a check. `reason` is for everyone and has no names; `fault` and `remedy` are for the operator. */
type Checked = { readonly _tag: 'Ready' } | ({ readonly _tag: 'NotReady'; readonly reason: string } & ConnectionFault)

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

const checkInTime = async (database: Database, url: string): Promise<Checked> => {
  const cancel = new AbortController()
  const reason = 'the database does not answer'
  const late = delay(READINESS_MS, { _tag: 'NotReady', reason, ...noAnswer(url) } as const, { signal: cancel.signal, ref: false })
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
    const version = await schemaVersion(database.knex)
    if (version < STEPS.length) {
      const reason = `the database is at version ${version}, this program wants ${STEPS.length}`
      return { _tag: 'NotReady', reason, fault: reason, remedy: 'Run `postern migrate`.' }
    }
    await probeWrite(database)
    return { _tag: 'Ready' }
  } catch (error) {
    const isLocked = sqlErrorKind(error) === 'retry'
    return { _tag: 'NotReady', reason: isLocked ? 'the database is locked by another process' : 'the database cannot be reached', ...connectionFault(url, error) }
  }
}

/** Runs a write that changes no row. It needs what every write needs, such as the lock of a SQLite file, and a read-only server refuses it. */
const probeWrite = (database: Database): Promise<number> =>
  transact(database, (trx) => execute(trx, 'UPDATE leases SET until = until WHERE name = ?', ['readiness']), { retryMs: READINESS_MS / 2 })
