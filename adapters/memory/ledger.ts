import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { MAX_MICROS, type Balance } from '../../core/money.js'
import type { BalanceOutOfRange, Credit, Ledger, UnknownWorkspace } from '../../core/ports/ledger.js'
import { auditBooks } from './audit.js'
import type { Account, Books } from './books.js'
import { newId } from './ids.js'
import { pageById } from './page.js'
import { atOnce, surely } from './task.js'

/** The operator's side of the wallets in memory. */
export const makeMemoryLedger = (books: Books): Ledger => ({
  topUp: (credit) => atOnce(() => topUp(books, credit)),
  balance: (workspace) => surely(() => O.map(balanceOf)(O.fromNullable(books.get(workspace)))),
  statement: (workspace, query) =>
    surely(() => pageById(books.get(workspace)?.entries ?? [], query, ({ id }) => id)),
  audit: () => surely(() => auditBooks(books)),
})

const topUp = (books: Books, { workspace, micros, reference, at }: Credit): E.Either<UnknownWorkspace | BalanceOutOfRange, Balance> => {
  const account = books.get(workspace)
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  if (account.references.has(reference)) return E.right(balanceOf(account))
  if (account.available + account.held + micros > MAX_MICROS) return E.left({ _tag: 'BalanceOutOfRange' })
  account.references.add(reference)
  account.available += micros
  account.entries.push({ id: newId(), kind: 'top_up', micros, message: undefined, reference, at })
  return E.right(balanceOf(account))
}

const balanceOf = ({ available, held, currency }: Account): Balance => ({ available, held, currency })
