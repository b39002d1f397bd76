import { setTimeout as delay } from 'node:timers/promises'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { DAY_MS, type Instant, MINUTE_MS, UTC_DAYS, uuidPrefixOf } from '../../../core/kernel/time.js'
import { balanceChange, type LedgerPeriod, type MovementKind } from '../../../core/money/ledger.js'
import { LONGEST_PAUSE_MS, SLICE, snapshot } from '../audit.js'
import { balanceOf } from './balances.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, sqlErrorKind } from '../engine/dialect.js'
import { execute, insert, instant, micros, type Queryable, type Row, select } from '../engine/sql.js'

// The movements of a wallet are added up once, by day, so that a statement does not read all of them. A row of `ledger_progress` says up to which id they are in
// `ledger_sums`. Only entries that can no longer change are added up, by whichever release they were written. A reader adds the newer entries itself.

/** The movements of one kind: their number, how many have an amount of zero, and their sum. */
export type Sum = { readonly entries: number; readonly free: number; readonly micros: bigint }

/** Sums by kind. */
export type Sums = ReadonlyMap<MovementKind, Sum>

/** The sums of the movements of a day, or of the part of it that is in a period. */
export type SummedDay = LedgerPeriod & { readonly start: Instant; readonly sums: Sums }

/** Where entries are read. */
export type Reading = { readonly trx: Queryable; readonly dialect: Dialect; readonly workspace: WorkspaceId }

/** More than every id, whose digits are hexadecimal. */
export const AFTER_IDS = 'g'

/** Less than every id. */
export const BEFORE_IDS = '0'

/**
 * How old an entry is when it is added up, in milliseconds. Its id has the time at which a gateway wrote it, and its transaction ends within seconds. The rest is for a
 * clock that is behind.
 */
const SETTLED_MS = 10 * MINUTE_MS

/** Fewer entries than this are not worth a transaction. */
const WORTH_ADDING = 1_000

/** The number of entries that one transaction adds to the sums. */
const ADDED_AT_ONCE = 20_000

const WORKSPACES_AT_ONCE = 100

/** After how long wrong sums are added up again, in milliseconds, so that a wallet whose books are broken costs little. */
const AGAIN_MS = DAY_MS

const NO_SUM: Sum = { entries: 0, free: 0, micros: 0n }

/** Adds sums, or with `sign` -1 subtracts the second ones. */
export const combine = (a: Sums, b: Sums, sign: 1 | -1 = 1): Sums => {
  const all = new Map(a)
  for (const [kind, sum] of b) {
    const before = all.get(kind) ?? NO_SUM
    const entries = before.entries + sign * sum.entries
    if (entries === 0) all.delete(kind)
    else all.set(kind, { entries, free: before.free + sign * sum.free, micros: before.micros + BigInt(sign) * sum.micros })
  }
  return all
}

/** What movements add to the balance. */
export const changeOf = (sums: Sums): bigint =>
  Array.from(sums).reduce((change, [kind, sum]) => change + balanceChange(kind, sum.micros), 0n)

/** Adds up the entries of a period by day, oldest first. */
export const addUpDays = async (reading: Reading, { from, to }: LedgerPeriod): Promise<ReadonlyArray<SummedDay>> => {
  const days: Array<SummedDay> = []
  for (let id = await firstIn(reading, { from, to }); id !== undefined;) {
    const start = dayOf(id)
    const end = uuidPrefixOf(start + DAY_MS)
    const day = { from: id, to: end < to ? end : to }
    days.push({ start, ...day, sums: await addUp(reading, day) })
    id = await firstIn(reading, { from: day.to, to })
  }
  return days
}

const dayOf = (id: string): Instant => UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16))

const firstIn = async ({ trx, dialect, workspace }: Reading, { from, to }: LedgerPeriod): Promise<string | undefined> => {
  const [row] = await select(
    trx,
    `SELECT id FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ? AND kind <> 'release' ORDER BY id LIMIT 1`,
    [workspace, from, to],
  )
  return row && String(row['id'])
}

/** Adds up the movements of a period by kind, in slices with pauses, so that other reads wait for one slice at most. */
export const addUp = async ({ trx, dialect, workspace }: Reading, { from, to }: LedgerPeriod): Promise<Sums> => {
  let sums: Sums = new Map()
  let next = from
  for (;;) {
    const begun = performance.now()
    const rows = await select(
      trx,
      `SELECT kind, SUM(amount) AS total, COUNT(*) AS added, SUM(CASE WHEN amount = 0 THEN 1 ELSE 0 END) AS free, MAX(id) AS last_id FROM (
         SELECT kind, amount, id FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?
       ) slice GROUP BY kind`,
      [workspace, next, to, SLICE],
    )
    sums = combine(sums, new Map(rows.filter((row) => row['kind'] !== 'release').map((row) => [row['kind'] as MovementKind, {
      entries: Number(row['added']), free: Number(row['free']), micros: micros(row['total']),
    }])))
    if (rows.reduce((count, row) => count + Number(row['added']), 0) < SLICE) return sums
    // No id is between the last one and this.
    next = `${rows.map((row) => String(row['last_id'])).sort().at(-1) ?? to}0`
    await delay(Math.min(performance.now() - begun, LONGEST_PAUSE_MS))
  }
}

/** The sums of each day with entries at or after an id, oldest first, and the id from which on they are not stored but were added up now. */
export type ReadDays = { readonly days: ReadonlyArray<SummedDay>; readonly storedUntil: string }

/**
 * Reads the days of a wallet from the day of an id on, in a transaction with one snapshot.
 *
 * All movements of a wallet together are its balance. If the stored sums and the newer entries are not, the stored sums are not used.
 */
export const readDays = async (reading: Reading, from: string, balance: bigint): Promise<ReadDays> => {
  const { trx, workspace } = reading
  const [progress] = await select(trx, 'SELECT added_until FROM ledger_progress WHERE workspace_id = ?', [workspace])
  if (progress === undefined) return { days: await addUpDays(reading, { from, to: AFTER_IDS }), storedUntil: BEFORE_IDS }
  const storedUntil = String(progress['added_until'])
  const rows = await select(
    trx, 'SELECT day, kind, entries, free, amount FROM ledger_sums WHERE workspace_id = ? ORDER BY day', [workspace],
  )
  const stored = new Map<Instant, Sums>()
  for (const row of rows) {
    const start = instant(row['day'])
    stored.set(start, combine(stored.get(start) ?? new Map(), new Map([[row['kind'] as MovementKind, sumIn(row)]])))
  }
  const recent = await addUpDays(reading, { from: storedUntil, to: AFTER_IDS })
  for (const { start, sums } of recent) stored.set(start, combine(stored.get(start) ?? new Map(), sums))
  const changes = Array.from(stored.values()).reduce((change, sums) => change + changeOf(sums), 0n)
  if (changes !== balance) return { days: await addUpDays(reading, { from, to: AFTER_IDS }), storedUntil: BEFORE_IDS }
  const days = Array.from(stored, ([start, sums]) => ({ start, from: uuidPrefixOf(start), to: uuidPrefixOf(start + DAY_MS), sums }))
  return { days: days.filter(({ to }) => to > from).sort((a, b) => a.start - b.start), storedUntil }
}

const sumIn = (row: Row): Sum => ({ entries: Number(row['entries']), free: Number(row['free']), micros: micros(row['amount']) })

/**
 * Adds settled entries to the stored sums, as long as `goesOn` resolves to `true`. Resolves to whether all of them are added.
 *
 * Two processes may do it simultaneously: the row of the progress lets one of them add the same entries.
 */
export const addUpLedgers = async (
  database: Database, now: Instant, goesOn: () => Promise<boolean>, worthAdding = WORTH_ADDING,
): Promise<boolean> => {
  const limit = uuidPrefixOf(now - SETTLED_MS)
  for (let workspace = '';;) {
    const rows = await waiting(database, workspace, limit, worthAdding)
    for (const row of rows) {
      workspace = String(row['workspace_id'])
      if (!(await goesOn())) return false
      if (row['has_new'] === null) continue
      let until: string | undefined = row['added_until'] === null ? undefined : String(row['added_until'])
      while (until === undefined || until < limit) {
        const next: string | undefined = await advance(database, { workspace: workspace as WorkspaceId, until, limit, now })
        if (next === undefined) break
        until = next
        if (!(await goesOn())) return false
      }
      await dropWrong(database, workspace as WorkspaceId, now)
    }
    if (rows.length < WORKSPACES_AT_ONCE) return true
  }
}

/** Some wallets after one, each with `has_new` if it has enough settled entries that are not added up. */
const waiting = ({ db, dialect }: Database, after: string, limit: string, worthAdding: number): Promise<ReadonlyArray<Row>> => select(
  db,
  `SELECT w.workspace_id, p.added_until, (
     SELECT e.id FROM ${dialect.name === 'mysql' ? 'wallet_entries AS e FORCE INDEX (wallet_entries_workspace)' : 'wallet_entries AS e'}
     WHERE e.workspace_id = w.workspace_id AND e.id >= COALESCE(p.added_until, '${BEFORE_IDS}') AND e.id < ? ORDER BY e.id LIMIT 1 OFFSET ?
   ) AS has_new
   FROM wallets w LEFT JOIN ledger_progress p ON p.workspace_id = w.workspace_id WHERE w.workspace_id > ? ORDER BY w.workspace_id LIMIT ?`,
  [limit, worthAdding - 1, after, WORKSPACES_AT_ONCE],
)

type Advance = { readonly workspace: WorkspaceId; readonly until: string | undefined; readonly limit: string; readonly now: Instant }

/** Adds the next entries to the sums. Resolves to the id up to which they are added; `undefined` if another process has added them. */
const advance = async (database: Database, { workspace, until, limit, now }: Advance): Promise<string | undefined> => {
  const { db, dialect } = database
  const from = until ?? BEFORE_IDS
  const reading: Reading = { trx: db, dialect, workspace }
  const [last] = await select(
    db,
    `SELECT id FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?`,
    [workspace, from, limit, ADDED_AT_ONCE],
  )
  const to = last === undefined ? limit : String(last['id'])
  const days = await addUpDays(reading, { from, to })
  const paid = days.some(({ sums }) => sums.has('top_up') || sums.has('adjustment'))
    ? await select(
      db, `SELECT id FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ? AND ${IS_PAID}`,
      [workspace, from, to],
    )
    : []
  try {
    await transact(database, async (trx) => {
      if (until === undefined) {
        await insert(trx, dialect, 'ledger_progress', ['workspace_id', 'added_until', 'since'], [[workspace, to, now]])
      } else if (await execute(
        trx, 'UPDATE ledger_progress SET added_until = ? WHERE workspace_id = ? AND added_until = ?', [to, workspace, until],
      ) === 0) throw new AddedMeanwhile('another process has added up the ledger')
      await insert(
        trx, dialect, 'ledger_sums', ['workspace_id', 'day', 'kind', 'entries', 'free', 'amount'],
        days.flatMap(({ start, sums }) =>
          Array.from(sums, ([kind, { entries, free, micros: amount }]) => [workspace, start, kind, entries, free, amount])),
        dialect.upsert(['workspace_id', 'day', 'kind'], ['entries', 'free', 'amount'].map((column) =>
          [column, `ledger_sums.${column} + ${dialect.inserted(column)}`] as const)),
      )
      await insert(trx, dialect, 'ledger_paid', ['workspace_id', 'id'], paid.map(({ id }) => [workspace, String(id)]))
    })
  } catch (error) {
    if (error instanceof AddedMeanwhile || sqlErrorKind(error) === 'conflict') return undefined
    throw error
  }
  return to
}

/** The condition of top-ups and adjustments, which a statement lists one by one. */
export const IS_PAID = "kind IN ('top_up', 'adjustment')"

class AddedMeanwhile extends Error {}

/** Deletes sums that do not agree with the balance, so that they are added up again; no sooner than a day after they were begun. */
const dropWrong = async (database: Database, workspace: WorkspaceId, now: Instant): Promise<void> => {
  const { dialect } = database
  const isWrong = await transact(database, async (trx) => {
    const balance = await balanceOf(trx, workspace)
    if (balance === undefined) return false
    const { storedUntil } = await readDays({ trx, dialect, workspace }, AFTER_IDS, balance.available + balance.held)
    return storedUntil === BEFORE_IDS
  }, snapshot(database))
  if (!isWrong) return
  await transact(database, async (trx) => {
    const dropped = await execute(trx, 'DELETE FROM ledger_progress WHERE workspace_id = ? AND since < ?', [workspace, now - AGAIN_MS])
    if (dropped === 0) return
    for (const table of ['ledger_sums', 'ledger_paid']) await execute(trx, `DELETE FROM ${table} WHERE workspace_id = ?`, [workspace])
  })
}
