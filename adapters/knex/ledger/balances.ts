import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7obj } from 'uuidv7'
import type { BatchId, WorkspaceId } from '../../../core/kernel/ids.js'
import type { Balance, Currency } from '../../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import type { MessageId } from '../../../core/messages/message.js'
import type { Adjustment, Credit } from '../../../core/money/ledger.js'
import {
  addToBalance, type AlertState, type BalanceOutOfRange, becomesLow, type NewHold, type WalletAlert, type WalletAlerts,
} from '../../../core/money/wallet.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { type Dialect, WriteConflict } from '../engine/dialect.js'
import {
  type Bound, type EachUpdate, execute, inList, insert, instantOrNone, micros, type Queryable, type Row, select, updateAll,
} from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'

/** A wallet as it was read, and the amounts to add to it. It is not read if no new hold spends from it. */
export type WalletRow = {
  readonly read: { readonly currency: Currency; readonly available: bigint; readonly held: bigint; readonly alerts: AlertState } | undefined
  addAvailable: bigint
  addHeld: bigint
  /** Whether a new hold spends from it, so that the update must check the balance. */
  guarded: boolean
  /** The alerts that this transaction raises; at most one of each kind. */
  readonly raised: Array<{ readonly alert: WalletAlert; readonly outboxEntries: MakeOutboxEntries<WalletAlert> | undefined }>
}

/** The columns read from a wallet. */
export type ReadWallet = NonNullable<WalletRow['read']>

/** Reads wallets by the ids of their workspaces. */
export const readWallets = async (
  dialect: Dialect, trx: Queryable, items: ReadonlyArray<{ readonly workspace: string }>,
): Promise<Map<string, WalletRow>> => {
  const ids = new Set<string>(items.map(({ workspace }) => workspace))
  if (ids.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id'], Array.from(ids, (id) => [id]))
  const rows = await select(
    trx, `SELECT workspace_id, currency, available, held, ${ALERT_COLUMNS.join(', ')} FROM wallets WHERE ${sql}`, bindings,
  )
  return new Map(rows.map((row) => [
    String(row['workspace_id']),
    newWallet({
      currency: row['currency'] as Currency, available: micros(row['available']), held: micros(row['held']), alerts: readAlerts(row),
    }),
  ]))
}

/** A wallet without any decision yet. */
export const newWallet = (read: WalletRow['read']): WalletRow => ({ read, addAvailable: 0n, addHeld: 0n, guarded: false, raised: [] })

/** The balance of a wallet after the decisions so far. */
export const balanceIn = ({ available, held, currency }: ReadWallet, { addAvailable, addHeld }: WalletRow): Balance =>
  ({ available: available + addAvailable, held: held + addHeld, currency })

/** Adds the decided amounts, guarded by the minimum that must be available. */
export const writeWallets = async (dialect: Dialect, trx: Queryable, wallets: ReadonlyMap<string, WalletRow>): Promise<void> => {
  const changed = [...wallets].filter(([, { addAvailable, addHeld }]) => addAvailable !== 0n || addHeld !== 0n)
  if (changed.length === 0) return
  changed.sort(([a], [b]) => (a < b ? -1 : 1))
  await updateAll(
    trx, dialect, ADD_TO_WALLETS,
    changed.map(([id, wallet]) => [id, wallet.addAvailable, wallet.addHeld, wallet.guarded ? minimumOf(wallet) : NO_MINIMUM]),
    'a wallet was spent by another transaction',
  )
}

/**
 * The minimum that must be available before new holds are added. A hold that leaves the threshold as it was read needs that much too: if another gateway has spent
 * meanwhile, so that less is left, this hold raises the alert and must be run again.
 */
const minimumOf = ({ read, addAvailable }: WalletRow): bigint => {
  if (read === undefined) return -addAvailable
  const { threshold, lowSince } = read.alerts
  const isAbove = threshold !== undefined && lowSince === undefined && read.available + addAvailable >= threshold
  return isAbove ? threshold - addAvailable : -addAvailable
}

const ADD_TO_WALLETS: EachUpdate = {
  table: 'wallets',
  key: ['workspace_id'],
  columns: [{ name: 'add_available', type: 'integer' }, { name: 'add_held', type: 'integer' }, { name: 'min_available', type: 'integer' }],
  set: [['available', 't.available + v.add_available'], ['held', 't.held + v.add_held']],
  where: 't.available >= v.min_available',
}

/** Lower than every possible balance. */
const NO_MINIMUM = -(2n ** 62n)

/** A new hold, of a message or shared by those of a batch, and the entries of the alert that it may raise. */
export type HoldWrite = Omit<NewHold, 'message'> & {
  readonly _tag: 'Hold'
  readonly message: MessageId | BatchId
  readonly outboxEntries?: MakeOutboxEntries<WalletAlert> | undefined
}

/** Raises an alert if the wallet could cover every price since money was added. */
export const raiseExhausted = (
  { workspace, at, outboxEntries, amount: { micros: required } }: HoldWrite, read: ReadWallet, wallet: WalletRow,
): WalletAlert | undefined =>
  (read.alerts.exhaustedSince !== undefined || hasRaised(wallet, 'WalletExhausted')
    ? undefined
    : raise(wallet, { _tag: 'WalletExhausted', workspace, balance: balanceIn(read, wallet), required, at }, outboxEntries))

/** Raises an alert if the new hold leaves less than the threshold. */
export const raiseLow = ({ workspace, at, outboxEntries }: HoldWrite, read: ReadWallet, wallet: WalletRow): WalletAlert | undefined => {
  const balance = balanceIn(read, wallet)
  const { threshold } = read.alerts
  return threshold === undefined || !becomesLow(read.alerts, balance.available) || hasRaised(wallet, 'WalletLow')
    ? undefined
    : raise(wallet, { _tag: 'WalletLow', workspace, balance, threshold, at }, outboxEntries)
}

const hasRaised = ({ raised }: WalletRow, tag: WalletAlert['_tag']): boolean => raised.some(({ alert }) => alert._tag === tag)

const raise = ({ raised }: WalletRow, alert: WalletAlert, outboxEntries: MakeOutboxEntries<WalletAlert> | undefined): WalletAlert => {
  raised.push({ alert, outboxEntries })
  return alert
}

/** Writes the alerts that new holds raise, which are rare. If a write conflicts, the alert is raised again with the transaction, if it still applies. */
export const writeAlerts = async (trx: Queryable, wallets: ReadonlyMap<string, WalletRow>, emit: Emit): Promise<void> => {
  const raised = [...wallets.values()].flatMap((wallet) => wallet.raised)
  if (raised.length === 0) return
  raised.sort((a, b) => (a.alert.workspace < b.alert.workspace ? -1 : 1))
  for (const { alert, outboxEntries } of raised) {
    await writeAlert(trx, alert)
    if (outboxEntries !== undefined) emit(outboxEntries(alert))
  }
}

/** An amount of either sign that is added to a wallet under a reference. */
export type Addition = Credit & Partial<Pick<Adjustment, 'note'>>

/** The tables of references. */
export const REFERENCES = { top_up: 'top_ups', adjustment: 'adjustments' } as const

/** The workspace has no wallet. */
export const UNKNOWN_WORKSPACE: UnknownWorkspace = { _tag: 'UnknownWorkspace' }

/** A wallet does not exist or must not change by that amount. Thrown to roll the transaction back. */
export class Refused<Reason extends { readonly _tag: string } = UnknownWorkspace | BalanceOutOfRange> extends Error {
  constructor(readonly reason: Reason) {
    super(reason._tag)
  }
}

/** Adds an amount to a wallet in a transaction. Throws `Refused`, or a conflict if the reference exists. */
export const addMoney = async (
  trx: Queryable, dialect: Dialect, kind: keyof typeof REFERENCES, { workspace, micros: amount, reference, note, at }: Addition,
): Promise<Balance> => {
  await insert(trx, dialect, REFERENCES[kind], ['workspace_id', 'reference', 'amount'], [[workspace, reference, amount]])
  await addToWallet(trx, workspace, amount)
  // The update has locked the wallet, so this is the balance after the transaction.
  const after = await balanceOf(trx, workspace)
  if (after === undefined) throw new Refused(UNKNOWN_WORKSPACE)
  const allowed = addToBalance({ ...after, available: after.available - amount }, amount)
  if (E.isLeft(allowed)) throw new Refused(allowed.left)
  await insert(
    trx, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'reference', 'note', 'created_at'],
    [[workspace, uuidv7obj().toHex(), kind, amount, reference, note ?? null, at]],
  )
  return allowed.right
}

/** The contents of a wallet; `undefined` if there is none. */
export const balanceOf = async (db: Queryable, workspace: WorkspaceId): Promise<Balance | undefined> => {
  const [row] = await select(db, 'SELECT currency, available, held FROM wallets WHERE workspace_id = ?', [workspace])
  return row && { available: micros(row['available']), held: micros(row['held']), currency: row['currency'] as Currency }
}

/** Added money clears alerts; removed money changes none. */
const addToWallet = (trx: Queryable, workspace: WorkspaceId, amount: bigint): Promise<number> =>
  (amount < 0n
    ? execute(trx, 'UPDATE wallets SET available = available + ? WHERE workspace_id = ?', [amount, workspace])
    : execute(
        trx, `UPDATE wallets SET ${CLEAR_ALERTS}, available = available + ? WHERE workspace_id = ?`, [amount, amount, amount, workspace],
      ))

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
 * If another transaction has meanwhile raised it, added money or changed the threshold, the update matches no row.
 */
export const writeAlert = async (trx: Queryable, alert: WalletAlert): Promise<void> => {
  const [column, where, bindings]: readonly [string, string, ReadonlyArray<Bound>] = alert._tag === 'WalletLow'
    ? ['low_since', 'available < alert_threshold AND alert_threshold = ?', [alert.threshold]]
    : ['exhausted_since', 'available < ?', [alert.required]]
  const touched = await execute(
    trx, `UPDATE wallets SET ${column} = ? WHERE workspace_id = ? AND ${column} IS NULL AND ${where}`,
    [alert.at, alert.workspace, ...bindings],
  )
  if (touched !== 1) throw new WriteConflict('the alerts of a wallet were changed by another transaction')
}

/**
 * The effect of an added amount on the alerts of a wallet, for an update that changes `available` after these columns: MySQL assigns from left to right.
 * It follows `afterMoneyAdded`.
 */
export const CLEAR_ALERTS =
  'low_since = CASE WHEN available + ? < alert_threshold THEN low_since END, exhausted_since = CASE WHEN available + ? <= 0 THEN exhausted_since END'

/** The alerts of the wallets over SQL. */
export const makeWalletAlerts = ({ db }: Database, transactEvents: TransactEvents): WalletAlerts => ({
  alertsOf: (workspace) => alertTasks.value(async () => O.fromNullable(await alertsOf(db, workspace))),
  setThreshold: (workspace, threshold, outboxEntries) => alertTasks.either(() => transactEvents(async (trx, emit): Promise<E.Either<
    UnknownWorkspace, AlertState
  >> => {
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
    if (outboxEntries !== undefined) emit(outboxEntries(after))
    return E.right(after)
  })),
  raiseLow: ({ workspace, micros: price, at }, outboxEntries) => alertTasks.value(() => transactEvents(async (trx, emit) => {
    // It follows `becomesLow`.
    const touched = await execute(
      trx, 'UPDATE wallets SET low_since = ? WHERE workspace_id = ? AND low_since IS NULL AND available < alert_threshold + ?',
      [at, workspace, price],
    )
    if (touched === 0) return false
    // The update has locked the wallet.
    const [balance, alerts] = [await balanceOf(trx, workspace), await alertsOf(trx, workspace)]
    if (balance !== undefined && alerts?.threshold !== undefined && outboxEntries !== undefined) {
      emit(outboxEntries({ _tag: 'WalletLow', workspace, balance, threshold: alerts.threshold, at }))
    }
    return true
  })),
})

const alertsOf = async (db: Queryable, workspace: string): Promise<AlertState | undefined> => {
  const [row] = await select(db, `SELECT ${ALERT_COLUMNS.join(', ')} FROM wallets WHERE workspace_id = ?`, [workspace])
  return row && readAlerts(row)
}

const alertTasks = portTasks('WalletAlerts')
