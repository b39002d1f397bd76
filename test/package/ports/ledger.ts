import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  addToBalance, auditWallet, isAmount, type Adjustment, type Audit, type Balance, type BalanceOutOfRange, type Credit, type Entry,
  type EntryKind, type Finding, type Instant, type Ledger, type MessageId, type OpenHold, type Page, type PageQuery, type PortFailure,
  type ReferenceReused, type UnknownWorkspace, type WalletTotals, type WorkspaceId,
  type Along, type AlongEntry,
} from '../../../core/ports/ledger.js'

const kind: EntryKind = 'top_up'
const message: MessageId | undefined = undefined
const reused: ReferenceReused = { _tag: 'ReferenceReused', credited: 1n }
const outOfRange: BalanceOutOfRange = { _tag: 'BalanceOutOfRange' }

export const ledger = (balances: Map<WorkspaceId, Balance>, now: Instant): Ledger => ({
  topUp: ({ workspace, micros }: Credit): TE.TaskEither<UnknownWorkspace | BalanceOutOfRange | PortFailure, Balance> => {
    const before = balances.get(workspace)
    if (before === undefined) return TE.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
    return isAmount(micros) ? TE.fromEither(addToBalance(before, micros)) : TE.left(outOfRange)
  },
  adjust: ({ note }: Adjustment): TE.TaskEither<ReferenceReused, Balance> => TE.left(note === '' ? reused : { ...reused, credited: 2n }),
  balance: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Balance>> => TE.right(O.fromNullable(balances.get(workspace))),
  statement: (_workspace: WorkspaceId, { cursor }: PageQuery): TE.TaskEither<PortFailure, Page<Entry>> => {
    const entry: Entry = { id: '1', kind, micros: 1n, message, reference: 'invoice', at: now }
    return TE.right({ items: cursor === undefined ? [entry] : [], next: undefined })
  },
  keySpending: (_workspace: WorkspaceId, keys: ReadonlyArray<string>, _at: Instant): TE.TaskEither<PortFailure, ReadonlyMap<string, bigint>> =>
    TE.right(new Map(keys.map((key) => [key, 0n]))),
  totals: (): TE.TaskEither<PortFailure, ReadonlyArray<Balance>> => TE.right([...balances.values()]),
  openHolds: (_workspace: WorkspaceId, limit: number): TE.TaskEither<PortFailure, ReadonlyArray<OpenHold>> => TE.right([].slice(0, limit)),
  books: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<WalletTotals>> =>
    TE.right(O.map(({ available, held }: Balance): WalletTotals => ({ available, held, entries: { top_up: available + held }, holds: { held } }))(O.fromNullable(balances.get(workspace)))),
  audit: (): TE.TaskEither<PortFailure, Audit> => {
    const broken: ReadonlyArray<Finding> = [...balances].flatMap(([workspace, { available, held }]) => {
      const totals: WalletTotals = { available, held, entries: { top_up: available + held }, holds: { held } }
      return auditWallet(totals).map((fault) => ({ workspace, fault }))
    })
    return TE.right({ workspaces: balances.size, broken })
  },
})

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<Balance>, outcome: Balance): ReadonlyArray<AlongEntry> => along(outcome)
