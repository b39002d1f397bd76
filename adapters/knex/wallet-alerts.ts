import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Knex } from 'knex'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { AlertState, WalletAlert, WalletAlerts } from '../../core/money/wallet.js'
import type { Database } from './database.js'
import { portTasks } from './port-tasks.js'
import { addColumn } from './schema-changes.js'
import { WriteConflict } from './sql-error.js'
import { type Bound, execute, instantOrNone, micros, type Queryable, type Row, select } from './sql.js'
import type { TransactEvents } from './transact-events.js'

/** Adds what a wallet alerts of. The release before writes none of it, so its holds raise nothing and its top-ups clear nothing. */
export const addAlerts = async (db: Knex): Promise<void> => {
  for (const column of ALERT_COLUMNS) await addColumn(db, 'wallets', column, (table) => table.bigInteger(column))
}

/** The columns of a wallet that `readAlerts` reads. */
export const ALERT_COLUMNS = ['alert_threshold', 'low_since', 'exhausted_since'] as const

/** The alerts in a row of a wallet. */
export const readAlerts = (row: Row): AlertState => ({
  threshold: row['alert_threshold'] === null ? undefined : micros(row['alert_threshold']),
  lowSince: instantOrNone(row['low_since']),
  exhaustedSince: instantOrNone(row['exhausted_since']),
})

/**
 * Stores that an alert was raised, after the wallet's balance was written in the same transaction.
 *
 * If another transaction has raised it, has added money or has changed the threshold meanwhile, the update matches no row.
 */
export const writeAlert = async (trx: Queryable, alert: WalletAlert): Promise<void> => {
  const [column, where, bindings]: readonly [string, string, ReadonlyArray<Bound>] = alert._tag === 'WalletLow'
    ? ['low_since', 'available < alert_threshold AND alert_threshold = ?', [alert.threshold]]
    : ['exhausted_since', 'available < ?', [alert.required]]
  const touched = await execute(
    trx, `UPDATE wallets SET ${column} = ? WHERE workspace_id = ? AND ${column} IS NULL AND ${where}`, [alert.at, alert.workspace, ...bindings],
  )
  if (touched !== 1) throw new WriteConflict('the alerts of a wallet were changed by another transaction')
}

/**
 * What adding an amount to a wallet does to its alerts, for an update that changes `available` after these columns: MySQL assigns from left to right.
 * It follows `afterMoneyAdded`.
 */
export const CLEAR_ALERTS =
  'low_since = CASE WHEN available + ? < alert_threshold THEN low_since END, exhausted_since = CASE WHEN available + ? <= 0 THEN exhausted_since END'

/** The alerts of the wallets over SQL. */
export const makeWalletAlerts = ({ db }: Database, transactEvents: TransactEvents): WalletAlerts => ({
  alertsOf: (workspace) => tasks.value(async () => O.fromNullable(await alertsOf(db, workspace))),
  setThreshold: (workspace, threshold, along) => tasks.either(() => transactEvents(async (trx, emit): Promise<E.Either<UnknownWorkspace, AlertState>> => {
    if (threshold === undefined) {
      await execute(trx, 'UPDATE wallets SET low_since = NULL, alert_threshold = NULL WHERE workspace_id = ?', [workspace])
    } else {
      // It follows `withThreshold`.
      await execute(
        trx, 'UPDATE wallets SET low_since = CASE WHEN available < ? THEN low_since END, alert_threshold = ? WHERE workspace_id = ?',
        [threshold, threshold, workspace],
      )
    }
    const after = await alertsOf(trx, workspace)
    if (after === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    if (along !== undefined) emit(along(after))
    return E.right(after)
  })),
})

const alertsOf = async (db: Queryable, workspace: string): Promise<AlertState | undefined> => {
  const [row] = await select(db, `SELECT ${ALERT_COLUMNS.join(', ')} FROM wallets WHERE workspace_id = ?`, [workspace])
  return row && readAlerts(row)
}

const tasks = portTasks('WalletAlerts')
