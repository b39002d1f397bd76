import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  addToBalance, isAmount, type Adjustment, type Balance, type BalanceOutOfRange, type Credit, type Ledger, type ReferenceReused, type UnknownWorkspace,
} from '../../core/ports/ledger.js'
import { auditAccounts } from './audit.js'
import type { Account, Accounts } from './accounts.js'
import { newId } from './ids.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'

/** The operator's side of the wallets in memory. */
export const makeMemoryLedger = (accounts: Accounts): Ledger => ({
  topUp: (credit) => atomic(() => add(accounts.get(credit.workspace), 'top_up', credit)),
  adjust: (adjustment) => atomic(() => add(accounts.get(adjustment.workspace), 'adjustment', adjustment)),
  balance: (workspace) => infallible(() => O.map(balanceOf)(O.fromNullable(accounts.get(workspace)))),
  statement: (workspace, query) =>
    infallible(() => pageById(accounts.get(workspace)?.entries ?? [], query, ({ id }) => id)),
  audit: () => infallible(() => auditAccounts(accounts)),
})

const add = (
  account: Account | undefined, kind: 'top_up' | 'adjustment', { micros, reference, at, note }: Credit & Partial<Pick<Adjustment, 'note'>>,
): E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange, Balance> => {
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  if (!isAmount(micros)) return E.left({ _tag: 'BalanceOutOfRange' })
  const references = kind === 'top_up' ? account.topUps : account.adjustments
  const credited = references.get(reference)
  if (credited !== undefined) return credited === micros ? E.right(balanceOf(account)) : E.left({ _tag: 'ReferenceReused', credited })
  const after = addToBalance(balanceOf(account), micros)
  if (E.isLeft(after)) return after
  references.set(reference, micros)
  account.available = after.right.available
  account.entries.push({ id: newId(), kind, micros, message: undefined, reference, ...(note !== undefined && { note }), at })
  return after
}

const balanceOf = ({ available, held, currency }: Account): Balance => ({ available, held, currency })
