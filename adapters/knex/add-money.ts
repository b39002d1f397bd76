import * as E from 'fp-ts/lib/Either.js'
import { uuidv7obj } from 'uuidv7'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { Adjustment, Credit } from '../../core/money/ledger.js'
import { addToBalance, type BalanceOutOfRange } from '../../core/money/wallet.js'
import { insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { execute, micros, type Queryable, select } from './sql.js'
import { CLEAR_ALERTS } from './wallet-alerts.js'

/** An amount of either sign that goes to a wallet under a reference. */
export type Addition = Credit & Partial<Pick<Adjustment, 'note'>>

/** The tables of references. */
export const REFERENCES = { top_up: 'top_ups', adjustment: 'adjustments' } as const

/** There is no wallet of that workspace. */
export const UNKNOWN_WORKSPACE: UnknownWorkspace = { _tag: 'UnknownWorkspace' }

/** A wallet does not exist or must not change by that amount. Thrown to roll the transaction back. */
export class Refused<Reason extends { readonly _tag: string } = UnknownWorkspace | BalanceOutOfRange> extends Error {
  constructor(readonly reason: Reason) {
    super(reason._tag)
  }
}

/** Adds an amount to a wallet in a transaction. Throws `Refused`, or a conflict where the reference exists. */
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

/** What a wallet holds; `undefined` where there is none. */
export const balanceOf = async (db: Queryable, workspace: WorkspaceId): Promise<Balance | undefined> => {
  const [row] = await select(db, 'SELECT currency, available, held FROM wallets WHERE workspace_id = ?', [workspace])
  return row && { available: micros(row['available']), held: micros(row['held']), currency: row['currency'] as Currency }
}

/** Money that is added clears alerts; money that is taken away changes none. */
const addToWallet = (trx: Queryable, workspace: WorkspaceId, amount: bigint): Promise<number> =>
  (amount < 0n
    ? execute(trx, 'UPDATE wallets SET available = available + ? WHERE workspace_id = ?', [amount, workspace])
    : execute(trx, `UPDATE wallets SET ${CLEAR_ALERTS}, available = available + ? WHERE workspace_id = ?`, [amount, amount, amount, workspace]))
