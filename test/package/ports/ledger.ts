import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Audit, Balance, BalanceOutOfRange, Credit, Entry, EntryKind, Finding, Instant, Ledger, MessageId, Page, PageQuery, PortFailure, UnknownWorkspace,
  WorkspaceId,
} from '../../../core/ports/ledger.js'

const kind: EntryKind = 'top_up'
const message: MessageId | undefined = undefined
const outOfRange: BalanceOutOfRange = { _tag: 'BalanceOutOfRange' }

export const ledger = (balances: Map<WorkspaceId, Balance>, now: Instant): Ledger => ({
  topUp: ({ workspace, micros }: Credit): TE.TaskEither<UnknownWorkspace | BalanceOutOfRange | PortFailure, Balance> => {
    const before = balances.get(workspace)
    if (before === undefined) return TE.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
    return micros > 0n ? TE.right({ ...before, available: before.available + micros }) : TE.left(outOfRange)
  },
  balance: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Balance>> => TE.right(O.fromNullable(balances.get(workspace))),
  statement: (_workspace: WorkspaceId, { cursor }: PageQuery): TE.TaskEither<PortFailure, Page<Entry>> => {
    const entry: Entry = { id: '1', kind, micros: 1n, message, reference: 'invoice', at: now }
    return TE.right({ items: cursor === undefined ? [entry] : [], next: undefined })
  },
  audit: (): TE.TaskEither<PortFailure, Audit> => {
    const broken: ReadonlyArray<Finding> = Array.from(balances.keys(), (workspace) => ({ workspace, fault: 'none' }))
    return TE.right({ workspaces: balances.size, broken })
  },
})
