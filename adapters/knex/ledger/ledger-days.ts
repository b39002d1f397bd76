import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type DaySum, type Entry, type LedgerDays, type LedgerPeriod, MAX_PAID, type MovementsQuery } from '../../../core/money/ledger.js'
import { snapshot } from '../audit.js'
import { balanceOf } from './balances.js'
import { type Database, transact } from '../engine/database.js'
import { type Row, select } from '../engine/sql.js'
import { addUp, AFTER_IDS, changeOf, combine, IS_PAID, readDays, type Reading, type SummedDay } from './ledger-sums.js'

/** Why the money of an entry was refunded. The messages of a page are read by their keys, in the same query. */
const ERROR = `CASE WHEN kind IN ('release', 'refund') THEN
  (SELECT m.error FROM messages m WHERE m.workspace_id = wallet_entries.workspace_id AND m.id = wallet_entries.message_id) END`

/** The sender of the message of a row, in a column of that name. */
export const senderColumn = (table: 'holds' | 'wallet_entries'): string =>
  `(SELECT m.sender FROM messages m WHERE m.workspace_id = ${table}.workspace_id AND m.id = ${table}.message_id) AS sender`

/** The columns of an entry. */
export const ENTRY_COLUMNS = `id, kind, amount, message_id, reference, note, created_at, ${ERROR} AS error, ${senderColumn('wallet_entries')}`

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
 * The sums of a period and the balance at its end, all read in one snapshot; `undefined` if there is no wallet. The days are read from the stored sums; the rest is added
 * up in slices with pauses.
 */
export const daysOf = (
  database: Database, workspace: WorkspaceId, period: LedgerPeriod, entryOf: (row: Row) => Entry,
): Promise<LedgerDays | undefined> =>
  transact(
    database,
    async (trx) => {
      const balance = await balanceOf(trx, workspace)
      if (balance === undefined) return undefined
      const now = balance.available + balance.held
      const reading: Reading = { trx, dialect: database.dialect, workspace }
      const { days: read, storedUntil } = await readDays(reading, period.from < period.to ? period.from : period.to, now)
      const [days, within]: readonly [Array<DaySum>, Array<SummedDay>] = [[], []]
      let closing = now
      for (const day of read) {
        const later = await partOf(reading, day, { from: period.to, to: AFTER_IDS })
        if (later !== undefined) closing -= changeOf(later.sums)
        const part = await partOf(reading, day, period)
        if (part === undefined) continue
        within.push(part)
        days.push(...Array.from(part.sums, ([kind, sum]) => ({ start: day.start, kind, ...sum })))
      }
      const paid = await paidIn(reading, within.filter(({ sums }) => sums.has('top_up') || sums.has('adjustment')), storedUntil)
      return { closing, held: balance.held, days, paid: paid.map(entryOf) }
    },
    snapshot(database),
  )

/**
 * The part of a day that is in a period; `undefined` if none is. If only a part of the day is, either that part is added up, or the rest, which is subtracted. The times in
 * the ids tell which of them is the shorter one.
 */
const partOf = async (reading: Reading, day: SummedDay, period: LedgerPeriod): Promise<SummedDay | undefined> => {
  const from = period.from > day.from ? period.from : day.from
  const to = period.to < day.to ? period.to : day.to
  if (from >= to) return undefined
  const rest = [{ from: day.from, to: from }, { from: to, to: day.to }].filter((part) => part.from < part.to)
  if (rest.length === 0) return day
  const isRestShorter = rest.reduce((sum, part) => sum + lengthOf(part), 0) < lengthOf({ from, to })
  if (!isRestShorter) return { ...day, from, to, sums: await addUp(reading, { from, to }) }
  let { sums } = day
  for (const part of rest) sums = combine(sums, await addUp(reading, part), -1)
  return { ...day, from, to, sums }
}

/** The time between two ids, up to now. */
const lengthOf = ({ from, to }: LedgerPeriod): number => {
  const [begin, end] = [from, to].map((id) => Math.min(parseInt(id.slice(0, 12), 16), Date.now())) as [number, number]
  return end - begin
}

/** The rows of the top-ups and adjustments of days, oldest first, at most `MAX_PAID`. Those before `storedUntil` are found by their ids. */
const paidIn = async (
  { trx, dialect, workspace }: Reading, days: ReadonlyArray<SummedDay>, storedUntil: string,
): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return rows
  if (first.from < storedUntil) {
    rows.push(...await select(
      trx,
      `SELECT ${ENTRY_COLUMNS} FROM wallet_entries JOIN (
         SELECT id AS paid_id FROM ledger_paid WHERE workspace_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?
       ) paid ON paid_id = id WHERE workspace_id = ? ORDER BY id`,
      [workspace, first.from, last.to < storedUntil ? last.to : storedUntil, MAX_PAID, workspace],
    ))
  }
  for (const day of days) {
    const from = day.from < storedUntil ? storedUntil : day.from
    if (from >= day.to || rows.length >= MAX_PAID) continue
    rows.push(...await select(
      trx,
      `SELECT ${ENTRY_COLUMNS} FROM ${dialect.byWorkspace('wallet_entries')} WHERE workspace_id = ? AND id >= ? AND id < ? AND ${IS_PAID}
       ORDER BY id LIMIT ?`,
      [workspace, from, day.to, MAX_PAID],
    ))
  }
  return rows
}
