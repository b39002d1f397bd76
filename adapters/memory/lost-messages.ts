import * as E from 'fp-ts/lib/Either.js'
import type { CustomerDigest, CustomerId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/json.js'
import type { Balance } from '../../core/kernel/money.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { FORGOTTEN_PLATFORM_ID } from '../../core/messages/message.js'
import type { BalanceOutOfRange } from '../../core/money/wallet.js'
import {
  isDue, LOST_MESSAGES_KEPT, type LostMessage, type LostMessages, type LostMessageSettled, lostReference, type LostSettlement, type LostStatus,
  type NoSuchLostMessage, noteLost, type SettledLost,
} from '../../core/reports/status.js'
import type { Accounts } from './accounts.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { addMoney, balanceOf } from './ledger.js'
import type { WorkspaceMessages } from './message-log.js'
import { atomic, infallible } from './task.js'

/** A lost message, and whether it was settled. */
export type LostRecord = { readonly message: LostMessage; readonly isSettled: boolean }

/** The lost messages of all workspaces, by workspace and our id. */
export type LostRecords = Map<string, LostRecord>

/** What the lost messages are kept in, and how many of a workspace wait at most. */
export type LostStore = { readonly accounts: Accounts; readonly events?: EventState; readonly records?: LostRecords; readonly shelves?: Shelves; readonly kept?: number }

type Shelves = ReadonlyMap<WorkspaceId, WorkspaceMessages>

/** The lost messages in memory. */
export const makeMemoryLostMessages = (
  { accounts, events = openEventState(), records = new Map<string, LostRecord>(), shelves = new Map<WorkspaceId, WorkspaceMessages>(), kept = LOST_MESSAGES_KEPT }: LostStore,
): LostMessages => ({
  note: (status) => infallible(() => { if (![...shelves.values()].some((shelf) => shelf.records.has(status.message))) note(records, kept, status) }),
  list: ({ limit, cursor = '' }) =>
    infallible(() => pageOf(due(records).filter((message) => placeOf(message) > cursor).slice(0, limit + 1), limit, placeOf)),
  counts: () =>
    infallible(() => {
      const counts = new Map<WorkspaceId, number>()
      for (const { workspace } of due(records)) counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
      return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([workspace, messages]) => ({ workspace, messages }))
    }),
  settle: (settlement, along) => atomic(() => settle({ accounts, events, records }, settlement, along)),
})

const keyOf = ({ workspace, message }: Pick<LostMessage, 'workspace' | 'message'>): string => `${workspace} ${message}`

/** Our ids sort by time. */
const placeOf = ({ workspace, message }: LostMessage): string => `${message} ${workspace}`

const note = (records: LostRecords, kept: number, status: LostStatus): void => {
  const known = records.get(keyOf(status))
  if (known?.isSettled === true) return
  const waiting = known === undefined ? [...records.values()].filter(({ message, isSettled }) => !isSettled && message.workspace === status.workspace) : []
  if (waiting.length < kept) records.set(keyOf(status), { message: noteLost(known?.message, status), isSettled: false })
}

const due = (records: LostRecords): ReadonlyArray<LostMessage> =>
  [...records.values()].flatMap(({ message, isSettled }) => (!isSettled && isDue(message) ? [message] : [])).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))

type Books = { readonly accounts: Accounts; readonly events: EventState; readonly records: LostRecords }

const settle = (
  { accounts, events, records }: Books, { workspace, id, micros, note: reason, at }: LostSettlement, along: Along<SettledLost> = () => [],
): E.Either<NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace, SettledLost> => {
  const found = [...records.values()].find(({ message: { workspace: owner, message, platformId } }) => owner === workspace && (message === id || platformId === id))
  if (found === undefined || id === FORGOTTEN_PLATFORM_ID || !isDue(found.message)) return E.left({ _tag: 'NoSuchLostMessage', id })
  const account = accounts.get(workspace)
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const { message } = found
  const reference = lostReference(message.message)
  if (found.isSettled || (micros > 0n && account.adjustments.has(reference))) return E.left({ _tag: 'LostMessageSettled', id })
  const store = (balance: Balance) => along({ message, balance })
  const charged = micros === 0n ? E.right(balanceOf(account)) : addMoney({ account, events }, 'adjustment', { workspace, micros: -micros, reference, note: reason, at }, store)
  if (E.isLeft(charged)) return charged
  if (micros === 0n) storeEvents(events, store(charged.right))
  records.set(keyOf(message), { message, isSettled: true })
  return E.right({ message, balance: charged.right })
}

/** Takes a person out of the lost messages of a workspace, and gives how many there were. */
export const eraseLost = (
  records: LostRecords, workspace: WorkspaceId, ids: ReadonlySet<string>, digestOf: (workspace: WorkspaceId, id: CustomerId) => CustomerDigest,
): number => {
  const found = [...records].filter(([, { message: { workspace: owner, to } }]) => owner === workspace && to !== undefined && ids.has(to))
  for (const [key, { message, isSettled }] of found) {
    // Only a recipient who is not forgotten is among the ids.
    records.set(key, { message: { ...message, to: digestOf(workspace, message.to as CustomerId), platformId: FORGOTTEN_PLATFORM_ID }, isSettled })
  }
  return found.length
}
