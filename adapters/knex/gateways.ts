import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { type Leases, longestLease } from '../../core/kernel/leases.js'
import type { Instant } from '../../core/kernel/time.js'
import { type Database, transact } from './engine/database.js'
import { sqlErrorKind, storableText } from './engine/dialect.js'
import { execute, insert, instant, instantOrNone, select } from './engine/sql.js'

/** A request for a lease, which one holder at a time has for a limited time. */
export type LeaseRequest = {
  readonly name: string
  readonly holder: string
  readonly ttlMs: number
  readonly longestMs?: number | undefined
}

/** Takes a lease that is free, expired, already the holder's, or further in the future than possible; `false` if another holder has it. */
export const takeLease = async (database: Database, { name, holder, ttlMs, longestMs }: LeaseRequest): Promise<boolean> => {
  const { now } = database.dialect
  try {
    return await transact(database, async (trx) => {
      const taken = await execute(
        trx, `UPDATE leases SET holder = ?, until = ${now} + ? WHERE name = ? AND (holder = ? OR until <= ${now} OR until > ${now} + ?)`,
        [holder, ttlMs, name, holder, longestLease(ttlMs, longestMs)],
      )
      if (taken === 0) await execute(trx, `INSERT INTO leases (name, holder, until) VALUES (?, ?, ${now} + ?)`, [name, holder, ttlMs])
      return true
    })
  } catch (error) {
    if (sqlErrorKind(error) === 'conflict') return false
    throw error
  }
}

/** Frees the holder's lease. Its end is in the past by every clock. */
export const releaseLease = (database: Database, { name, holder }: Pick<LeaseRequest, 'name' | 'holder'>): Promise<number> =>
  transact(database, (trx) => execute(trx, 'UPDATE leases SET until = 0 WHERE name = ? AND holder = ?', [name, holder]))

/** How long a lease still lasts, in milliseconds; 0 if it is free. */
export const restOfLease = async ({ db, dialect }: Database, name: string): Promise<number> => {
  const [row] = await select(db, `SELECT until - ${dialect.now} AS rest FROM leases WHERE name = ?`, [name])
  const rest = Number(row?.['rest'] ?? 0)
  return rest > longestLease(0) ? 0 : Math.max(0, rest)
}

/** Creates the leases of a new holder. */
export const makeLeases = (database: Database): Leases => {
  const holder = randomUUID()
  return {
    take: (name, ttlMs, longestMs) => attempt(() => takeLease(database, { name, holder, ttlMs, longestMs }), portFailure('Leases')),
    release: async (name) => E.map(() => undefined)(await attempt(() => releaseLease(database, { name, holder }), portFailure('Leases'))),
  }
}

/** A process that serves the gateway. */
export type GatewayProcess = {
  /** New at each start. */
  readonly id: string
  readonly version: string
  readonly host: string
  readonly pid: number
  readonly startedAt: Instant
  /** When it last finished a pass of reconciliation; undefined if another process reconciles. */
  readonly reconciledAt: Instant | undefined
}

/** A process, and when it was last seen. */
export type SeenGateway = GatewayProcess & { readonly seenAt: Instant }

/** A process is forgotten after this many milliseconds without a heartbeat, and also if its clock was further ahead than this. */
const FORGOTTEN_AFTER_MS = 600_000
const MAX_LISTED = 100
/** A host name has at most 253 characters. */
const HOST = 255
const VERSION = 64

/** Records that a process is alive, and forgets processes without a heartbeat for ten minutes. */
export const noteGateway = (
  database: Database, { id, version, host, pid, startedAt, reconciledAt }: GatewayProcess, now: Instant,
): Promise<void> =>
  transact(database, async (trx) => {
    const known = await execute(trx, 'UPDATE gateways SET seen_at = ?, reconciled_at = ? WHERE id = ?', [now, reconciledAt ?? null, id])
    if (known === 0) {
      await insert(
        trx, database.dialect, 'gateways', ['id', 'version', 'host', 'pid', 'started_at', 'seen_at', 'reconciled_at'],
        [[id, storableText(version, VERSION), storableText(host, HOST), pid, startedAt, now, reconciledAt ?? null]],
      )
    }
    await execute(trx, 'DELETE FROM gateways WHERE seen_at < ? OR seen_at > ?', [now - FORGOTTEN_AFTER_MS, now + FORGOTTEN_AFTER_MS])
  })

/** Removes the row of a process that ends. */
export const removeGateway = async (database: Database, id: string): Promise<void> => {
  await transact(database, (trx) => execute(trx, 'DELETE FROM gateways WHERE id = ?', [id]))
}

/** The processes that were alive within the last ten minutes, the longest running first. */
export const listGateways = async ({ db }: Database, now: Instant): Promise<ReadonlyArray<SeenGateway>> => {
  const rows = await select(db, 'SELECT * FROM gateways WHERE seen_at BETWEEN ? AND ? ORDER BY started_at, id LIMIT ?', [
    now - FORGOTTEN_AFTER_MS, now + FORGOTTEN_AFTER_MS, MAX_LISTED,
  ])
  return rows.map((row) => ({
    id: String(row['id']), version: String(row['version']), host: String(row['host']), pid: Number(row['pid']),
    startedAt: instant(row['started_at']), seenAt: instant(row['seen_at']), reconciledAt: instantOrNone(row['reconciled_at']),
  }))
}
