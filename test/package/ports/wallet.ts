import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  checkSpending, spendingDay, stepHold, type Currency, type EntryKind, type HoldState, type HoldStep, type InsufficientBalance, type Instant, type MessageId, type Money,
  type Along, type AlongEntry, type NewHold, type Page, type PageQuery, type PortFailure, type MoveHold, type Spending, type SpendingCheck, type SpendingLimitReached, type StaleHold,
  type Wallet, type WalletAlert, type WorkspaceId,
} from '../../../core/ports/wallet.js'

type Row = { readonly workspace: WorkspaceId; readonly amount: Money; readonly at: Instant; state: HoldState }

const checkOf = ({ limit }: Spending, amount: Money, at: Instant, spent: bigint): SpendingCheck => ({ limit, amount, at, spent })

export const wallet = (currency: Currency, rows: Map<MessageId, Row>, enter: (kind: EntryKind, amount: Money) => void): Wallet => {
  const settle = (move: 'capture' | 'release' | 'refund'): MoveHold => ({ message }): TE.TaskEither<PortFailure, HoldState | undefined> => {
    const row = rows.get(message)
    const step: HoldStep | undefined = row && stepHold(row.state, move)
    if (row !== undefined) for (const kind of step?.entries ?? []) enter(kind, row.amount)
    return TE.right(step?.state)
  }
  const spent = new Map<string, bigint>()
  return {
    hold: ({ workspace, message, amount, at, spending }: NewHold, _along?: Along<WalletAlert>): TE.TaskEither<InsufficientBalance | SpendingLimitReached | PortFailure, void> => {
      if (amount.micros > 1_000n) return TE.left({ _tag: 'InsufficientBalance', required: amount.micros, available: 0n, held: 0n, currency })
      if (spending !== undefined) {
        const allowed = checkSpending(checkOf(spending, amount, at, spent.get(spendingDay(at)) ?? 0n))
        if (E.isLeft(allowed)) return TE.left(allowed.left)
      }
      rows.set(message, { workspace, amount, at, state: 'held' })
      return TE.right(undefined)
    },
    capture: settle('capture'),
    release: settle('release'),
    refund: settle('refund'),
    holdOf: ({ message }: StaleHold): TE.TaskEither<PortFailure, HoldState | undefined> => TE.right(rows.get(message)?.state),
    stale: ({ before }: PageQuery & { readonly before: Instant }): TE.TaskEither<PortFailure, Page<StaleHold>> =>
      TE.right({ items: [...rows].filter(([, { at }]) => at < before).map(([message, { workspace }]) => ({ workspace, message })), next: undefined }),
  }
}

/** What is stored of an alert. */
export const alertAlong = (along: Along<WalletAlert>, alert: WalletAlert): ReadonlyArray<AlongEntry> => along(alert)
