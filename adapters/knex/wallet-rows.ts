import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { AlertState, WalletAlert } from '../../core/money/wallet.js'
import { type EachUpdate, inList, updateAll } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { micros, type Queryable, select } from './sql.js'
import { ALERT_COLUMNS, readAlerts } from './wallet-alerts.js'

/** A wallet as it was read, and the amounts to add to it. It is not read if no new hold spends from it. */
export type WalletRow = {
  readonly read: { readonly currency: Currency; readonly available: bigint; readonly held: bigint; readonly alerts: AlertState } | undefined
  addAvailable: bigint
  addHeld: bigint
  /** Whether a new hold spends from it, so that the update must check the balance. */
  guarded: boolean
  /** The alerts that this transaction raises; the most is one of each kind. */
  readonly raised: Array<{ readonly alert: WalletAlert; readonly along: Along<WalletAlert> | undefined }>
}

/** What is read of a wallet. */
export type ReadWallet = NonNullable<WalletRow['read']>

/** Reads wallets by the ids of their workspaces. */
export const readWallets = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<{ readonly workspace: string }>): Promise<Map<string, WalletRow>> => {
  const ids = new Set<string>(items.map(({ workspace }) => workspace))
  if (ids.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id'], Array.from(ids, (id) => [id]))
  const rows = await select(trx, `SELECT workspace_id, currency, available, held, ${ALERT_COLUMNS.join(', ')} FROM wallets WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => [
    String(row['workspace_id']),
    newWallet({ currency: row['currency'] as Currency, available: micros(row['available']), held: micros(row['held']), alerts: readAlerts(row) }),
  ]))
}

/** A wallet of which nothing is decided yet. */
export const newWallet = (read: WalletRow['read']): WalletRow => ({ read, addAvailable: 0n, addHeld: 0n, guarded: false, raised: [] })

/** The balance of a wallet after what was decided so far. */
export const balanceIn = ({ available, held, currency }: ReadWallet, { addAvailable, addHeld }: WalletRow): Balance =>
  ({ available: available + addAvailable, held: held + addHeld, currency })

/** Adds what was decided, guarded by what must be available. */
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
 * The least that must be available before new holds are added. A hold that leaves the threshold as it was read needs that much too: if another gateway has
 * spent meanwhile, so that less is left, this hold is the one that raises the alert, and must be run again.
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
