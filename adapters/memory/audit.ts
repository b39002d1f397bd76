import { type Audit, auditWallet, type WalletTotals } from '../../core/money/ledger.js'
import type { Account, Accounts } from './accounts.js'

/** Compares every workspace's wallet with its entries and holds. */
export const auditAccounts = (accounts: Accounts): Audit => ({
  workspaces: accounts.size,
  broken: Array.from(accounts, ([workspace, account]) => faultsOf(account).map((fault) => ({ workspace, fault }))).flat(),
})

const faultsOf = (account: Account): ReadonlyArray<string> => auditWallet(booksOf(account))

/** A wallet with the sums of its entries and holds. */
export const booksOf = ({ available, held, entries, holds }: Account): WalletTotals => ({
  available,
  held,
  entries: sums(entries.map(({ kind, micros }) => [kind, micros])),
  holds: sums(Array.from(holds.values(), ({ state, micros }) => [state, micros])),
})

const sums = <Name extends string>(amounts: ReadonlyArray<readonly [Name, bigint]>): { readonly [Key in Name]?: bigint } => {
  const total: { [Key in Name]?: bigint } = {}
  for (const [name, micros] of amounts) total[name] = (total[name] ?? 0n) + micros
  return total
}
