import { setTimeout as delay } from 'node:timers/promises'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS, UTC_DAYS, uuidPrefixOf } from '../../core/kernel/time.js'
import {
  balanceChange, type DaySum, type Entry, type LedgerDays, type LedgerPeriod, MAX_PAID, type MovementKind, type MovementsQuery,
} from '../../core/money/ledger.js'
import { LONGEST_PAUSE_MS, SLICE, snapshot } from './audit.js'
import { balanceOf } from './balances.js'
import { type Database, transact } from './engine/database.js'
import { micros, type Queryable, type Row, select } from './engine/sql.js'

/** Why the money of an entry was refunded. The messages of a page are read by their keys, in the same query. */
const ERROR = `CASE WHEN kind IN ('release', 'refund') THEN
  (SELECT m.error FROM messages m WHERE m.workspace_id = wallet_entries.workspace_id AND m.id = wallet_entries.message_id) END`

/** The sender of the message of a row, in a column of that name. */
export const senderColumn = (table: 'holds' | 'wallet_entries'): string =>
  `(SELECT m.sender FROM messages m WHERE m.workspace_id = ${table}.workspace_id AND m.id = ${table}.message_id) AS sender`

/** The columns of an entry. */
export const ENTRY_COLUMNS = `id, kind, amount, message_id, reference, note, created_at, ${ERROR} AS error, ${senderColumn('wallet_entries')}`

/** More than every id, whose digits are hexadecimal. */
export const AFTER_IDS = 'g'

/** The rows of the movements of a period, oldest first; one more than the limit. */
export const movementRows = (
  { db, dialect }: Pick<Database, 'db' | 'dialect'>, workspace: WorkspaceId, { from, to, limit, cursor, withFree }: MovementsQuery,
): Promise<ReadonlyArray<Row>> =>
  select(
    db,
    `SELECT ${ENTRY_COLUMNS} FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ?
     ${cursor === undefined ? '' : 'AND id > ?'} AND kind <> 'release' ${withFree ? '' : 'AND amount <> 0'} ORDER BY id LIMIT ?`,
    [workspace, from, to, ...(cursor === undefined ? [] : [cursor]), limit + 1],
  )

/**
 * The sums of a period and the balance at its end, all read in one snapshot; `undefined` if there is no wallet. Like the books, they are added up in slices with pauses, so
 * that other reads wait for one slice at most.
 */
export const daysOf = (
  database: Database, workspace: WorkspaceId, { from, to }: LedgerPeriod, entryOf: (row: Row) => Entry,
): Promise<LedgerDays | undefined> =>
  transact(
    database,
    async (trx) => {
      const balance = await balanceOf(trx, workspace)
      if (balance === undefined) return undefined
      const reading: Reading = { trx, table: database.dialect.byWorkspace('wallet_entries'), workspace }
      const [days, paid]: readonly [Array<DaySum>, Array<Entry>] = [[], []]
      for (let id = await firstIn(reading, { from, to }); id !== undefined;) {
        const start = UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16))
        const end = uuidPrefixOf(start + DAY_MS)
        const day = { from: id, to: end < to ? end : to }
        const sums = await addUp(reading, day)
        days.push(...Array.from(sums, ([kind, sum]) => ({ start, kind, ...sum })))
        if ((sums.has('top_up') || sums.has('adjustment')) && paid.length < MAX_PAID) {
          const rows = await select(
            trx,
            `SELECT ${ENTRY_COLUMNS} FROM ${reading.table} WHERE workspace_id = ? AND id >= ? AND id < ?
             AND kind IN ('top_up', 'adjustment') ORDER BY id LIMIT ?`,
            [workspace, day.from, day.to, MAX_PAID],
          )
          paid.push(...rows.map(entryOf))
        }
        id = await firstIn(reading, { from: day.to, to })
      }
      const later = await addUp(reading, { from: to, to: AFTER_IDS })
      const now = balance.available + balance.held
      const closing = Array.from(later).reduce((sum, [kind, { micros: of }]) => sum - balanceChange(kind, of), now)
      return { closing, held: balance.held, days, paid }
    },
    snapshot(database),
  )

type Reading = { readonly trx: Queryable; readonly table: string; readonly workspace: WorkspaceId }

const firstIn = async ({ trx, table, workspace }: Reading, { from, to }: LedgerPeriod): Promise<string | undefined> => {
  const [row] = await select(
    trx, `SELECT id FROM ${table} WHERE workspace_id = ? AND id >= ? AND id < ? AND kind <> 'release' ORDER BY id LIMIT 1`,
    [workspace, from, to],
  )
  return row && String(row['id'])
}

type Sum = Pick<DaySum, 'entries' | 'free' | 'micros'>

/** Adds up the movements of a period by kind, in the order of their ids. */
const addUp = async ({ trx, table, workspace }: Reading, { from, to }: LedgerPeriod): Promise<ReadonlyMap<MovementKind, Sum>> => {
  const sums = new Map<string, Sum>()
  let next = from
  for (;;) {
    const begun = performance.now()
    const rows = await select(
      trx,
      `SELECT kind, SUM(amount) AS total, COUNT(*) AS added, SUM(CASE WHEN amount = 0 THEN 1 ELSE 0 END) AS free, MAX(id) AS last_id FROM (
         SELECT kind, amount, id FROM ${table} WHERE workspace_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?
       ) slice GROUP BY kind`,
      [workspace, next, to, SLICE],
    )
    for (const row of rows) {
      const before = sums.get(String(row['kind'])) ?? { entries: 0, free: 0, micros: 0n }
      sums.set(String(row['kind']), {
        entries: before.entries + Number(row['added']), free: before.free + Number(row['free']),
        micros: before.micros + micros(row['total']),
      })
    }
    if (rows.reduce((count, row) => count + Number(row['added']), 0) < SLICE) break
    // No id is between the last one and this.
    next = `${rows.map((row) => String(row['last_id'])).sort().at(-1) ?? to}0`
    await delay(Math.min(performance.now() - begun, LONGEST_PAUSE_MS))
  }
  sums.delete('release')
  return sums as ReadonlyMap<MovementKind, Sum>
}
