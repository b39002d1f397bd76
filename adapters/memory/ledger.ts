import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Balance } from '../../core/kernel/money.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { Adjustment, Credit, Ledger, OpenHold, ReferenceReused } from '../../core/money/ledger.js'
import { addToBalance, afterMoneyAdded, type BalanceOutOfRange, isAmount } from '../../core/money/wallet.js'
import { type Account, type Accounts, spendingName } from './accounts.js'
import { auditAccounts, booksOf } from './audit.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { newId } from './ids.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'

/** The operator's side of the wallets in memory. */
export const makeMemoryLedger = (accounts: Accounts, events: EventState = openEventState()): Ledger => ({
  topUp: (credit, along) => atomic(() => add({ account: accounts.get(credit.workspace), events }, 'top_up', credit, along)),
  adjust: (adjustment, along) => atomic(() => add({ account: accounts.get(adjustment.workspace), events }, 'adjustment', adjustment, along)),
  balance: (workspace) => infallible(() => O.map(balanceOf)(O.fromNullable(accounts.get(workspace)))),
  statement: (workspace, query) =>
    infallible(() => pageById(accounts.get(workspace)?.entries ?? [], query, ({ id }) => id)),
  keySpending: (workspace, keys, at) =>
    infallible(() => new Map(keys.map((key) => [key, accounts.get(workspace)?.spending.get(spendingName(key, at)) ?? 0n]))),
  totals: () => infallible(() => totalsOf(accounts)),
  openHolds: (workspace, limit) => infallible(() => openHoldsOf(accounts.get(workspace)).slice(0, limit)),
  books: (workspace) => infallible(() => O.map(booksOf)(O.fromNullable(accounts.get(workspace)))),
  audit: () => infallible(() => auditAccounts(accounts)),
})

type Books = { readonly account: Account; readonly events: EventState }

type Addition = Credit & Partial<Pick<Adjustment, 'note'>>

const add = (
  { account, events }: { readonly account: Account | undefined; readonly events: EventState }, kind: 'top_up' | 'adjustment', addition: Addition,
  along?: Along<Balance>,
): E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange, Balance> => {
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const { micros, reference } = addition
  if (!isAmount(micros)) return E.left({ _tag: 'BalanceOutOfRange' })
  const credited = referencesOf(account, kind).get(reference)
  if (credited !== undefined) return credited === micros ? E.right(balanceOf(account)) : E.left({ _tag: 'ReferenceReused', credited })
  return addMoney({ account, events }, kind, addition, along)
}

/** Adds an amount of either sign to a wallet, under a reference that was not used. */
export const addMoney = (
  { account, events }: Books, kind: 'top_up' | 'adjustment', { micros, reference, at, note }: Addition, along?: Along<Balance>,
): E.Either<BalanceOutOfRange, Balance> => {
  const after = addToBalance(balanceOf(account), micros)
  if (E.isLeft(after)) return after
  if (along !== undefined) storeEvents(events, along(after.right))
  referencesOf(account, kind).set(reference, micros)
  account.available = after.right.available
  if (micros > 0n) account.alerts = afterMoneyAdded(account.alerts, account.available)
  account.entries.push({ id: newId(), kind, micros, message: undefined, reference, ...(note !== undefined && { note }), at })
  return after
}

const referencesOf = (account: Account, kind: 'top_up' | 'adjustment'): Map<string, bigint> => (kind === 'top_up' ? account.topUps : account.adjustments)

const totalsOf = (accounts: Accounts): ReadonlyArray<Balance> => {
  const totals = new Map<string, Balance>()
  for (const { currency, available, held } of accounts.values()) {
    const before = totals.get(currency)
    totals.set(currency, { currency, available: (before?.available ?? 0n) + available, held: (before?.held ?? 0n) + held })
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, balance]) => balance)
}

const openHoldsOf = (account: Account | undefined): ReadonlyArray<OpenHold> =>
  Array.from(account?.holds ?? [], ([message, { state, micros, at }]) => ({ message, micros, at, isOpen: state === 'held' }))
    .flatMap(({ isOpen, ...hold }) => (isOpen ? [hold] : []))
    .sort((a, b) => a.at - b.at || (a.message < b.message ? -1 : 1))

/** What an account holds. */
export const balanceOf = ({ available, held, currency }: Account): Balance => ({ available, held, currency })
