import { formatMicros } from '../../core/money.js'
import type { Audit, EntryKind } from '../../core/ports/ledger.js'
import type { Account, Books } from './books.js'

/**
 * Adds up every workspace's entries and compares: `available + held + captured − refunded = topped up ± adjusted`.
 *
 * Besides that, what is held must be the sum of the open holds.
 */
export const auditBooks = (books: Books): Audit => ({
  workspaces: books.size,
  broken: Array.from(books, ([workspace, account]) => faultsOf(account).map((fault) => ({ workspace, fault }))).flat(),
})

const faultsOf = (account: Account): ReadonlyArray<string> => {
  const entered = (kind: EntryKind): bigint =>
    account.entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.micros : sum), 0n)
  const paidIn = entered('top_up') + entered('adjustment')
  const accountedFor = account.available + account.held + entered('capture') - entered('refund')
  const open = Array.from(account.holds.values()).reduce((sum, { state, micros }) => (state === 'held' ? sum + micros : sum), 0n)
  return [
    ...differing('what is available, held and spent', accountedFor, 'what was paid in', paidIn),
    ...differing('what the wallet holds', account.held, 'the sum of its open holds', open),
  ]
}

const differing = (left: string, a: bigint, right: string, b: bigint): ReadonlyArray<string> =>
  a === b ? [] : [`${left} comes to ${formatMicros(a)}, but ${right} to ${formatMicros(b)}`]
