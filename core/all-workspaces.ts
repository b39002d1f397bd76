import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from './kernel/failure.js'
import type { WorkspaceId } from './kernel/ids.js'
import type { Balance } from './kernel/money.js'
import { foldedOf } from './kernel/text.js'
import { type Clock, DAY_MS, HOUR_MS, type Instant } from './kernel/time.js'
import type { Workspace } from './kernel/workspace.js'
import { bucketStart, type BucketWidth, type TimeSpan } from './messages/statistics.js'
import type { AlertState } from './money/wallet.js'
import { lastsMsOf, rateOf } from './overview.js'

/** A workspace with its wallet, and since when the platform refuses the token of its sender. */
export type WorkspaceState = {
  readonly workspace: Workspace
  readonly balance: Balance
  readonly alerts: AlertState
  readonly failingSince: Instant | undefined
}

/** The messages of a workspace, how many of them were not delivered, and their cost in micros, as far as they are rolled up. */
export type WorkspaceSum = { readonly workspace: WorkspaceId; readonly messages: number; readonly failed: number; readonly micros: bigint }

/** The messages of a workspace in the bucket that begins at `start`. */
export type WorkspaceBucket = { readonly workspace: WorkspaceId; readonly start: Instant; readonly messages: number }

/** The state of all workspaces, each read at once, whatever their number. It reads what other ports write. */
export interface WorkspaceStates {
  /** Every workspace with the state of its wallet and its sender, oldest first, including archived ones. */
  readonly states: () => Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceState>>>
  /** The sums of the counts in the buckets that begin in a period; a workspace without messages in it is missing. */
  readonly sums: (width: BucketWidth, span: TimeSpan) => Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceSum>>>
  /** The messages of some workspaces in each bucket that begins in a period, ordered by bucket; a bucket without messages is missing. */
  readonly buckets: (
    workspaces: ReadonlyArray<WorkspaceId>, width: BucketWidth, span: TimeSpan,
  ) => Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceBucket>>>
}

/** What a workspace needs: money, a sender that works, messages that arrive, or soon money. The most urgent need comes first. */
export type WorkspaceNeed =
  | { readonly _tag: 'Empty'; readonly since: Instant | undefined }
  | { readonly _tag: 'SenderFailing'; readonly since: Instant }
  | { readonly _tag: 'MessagesFailing' }
  | { readonly _tag: 'Low'; readonly threshold: bigint | undefined }

/** A workspace in the list of all workspaces. */
export type ListedWorkspace = WorkspaceState & {
  readonly need: WorkspaceNeed | undefined
  /** How many milliseconds the balance lasts; undefined if nothing was spent. */
  readonly lastsMs: number | undefined
  /** The messages of the last 24 hours, and how many of them were not delivered. */
  readonly sent: number
  readonly failed: number
  /** The messages of each hour, oldest first; only of the listed page. */
  readonly hours: ReadonlyArray<number>
}

/** Which workspaces are listed: all in use, those in need, those whose money lasts for less than a week, or the archived ones. */
export const LISTED = ['all', 'need', 'soon', 'archived'] as const

/** Which workspaces are listed. */
export type Listed = (typeof LISTED)[number]

/** The orders of the list; the worst come first by default. */
export const WORKSPACE_ORDERS = ['worst', 'name', 'balance', 'sent', 'failing'] as const

/** An order of the list. */
export type WorkspaceOrder = (typeof WORKSPACE_ORDERS)[number]

/** The list of all workspaces, page by page; a cursor is the id of the last workspace of a page. */
export type ListStates = (query: {
  readonly listed: Listed
  readonly order: WorkspaceOrder
  /** A part of a name, or an id. */
  readonly sought: string
  readonly limit: number
  readonly cursor?: string | undefined
}) => Promise<E.Either<PortFailure, ListedStates>>

/** A page of the list. The counts and the messages of 24 hours are of all workspaces. */
export type ListedStates = {
  readonly items: ReadonlyArray<ListedWorkspace>
  readonly next: string | undefined
  readonly counts: Readonly<Record<Listed, number>>
  readonly sent: number
  readonly failed: number
}

/** The dependencies of listing all workspaces. */
export type ListStatesDeps = { readonly workspaceStates: WorkspaceStates; readonly now: Clock }

/** A week: money that lasts for less is soon gone. */
const SOON_MS = 7 * DAY_MS

/** From which share of how many messages of a day their failing needs a person. */
const FAILING = { share: 0.2, messages: 20 } as const

export const makeListStates =
  ({ workspaceStates, now }: ListStatesDeps): ListStates =>
  async ({ listed, order, sought, limit, cursor }) => {
    const at = now()
    const hour = bucketStart('1h', at) + HOUR_MS
    const day: TimeSpan = { from: hour - DAY_MS, to: hour }
    const today = bucketStart('1d', at)
    const begun: TimeSpan = { from: bucketStart('1d', at - SOON_MS), to: bucketStart('1d', at - SOON_MS) + DAY_MS }
    // The day of UTC is the sum of its hours, so only the hours of yesterday are added up.
    const [states, ofToday, ofYesterday, ofBegun, ofWeek] = await Promise.all([
      workspaceStates.states(), workspaceStates.sums('1d', { from: today, to: hour }),
      workspaceStates.sums('1h', { from: day.from, to: today }), workspaceStates.sums('1d', begun),
      workspaceStates.sums('1d', { from: begun.to, to: hour }),
    ])
    if (E.isLeft(states)) return states
    if (E.isLeft(ofToday)) return ofToday
    if (E.isLeft(ofYesterday)) return ofYesterday
    if (E.isLeft(ofBegun)) return ofBegun
    if (E.isLeft(ofWeek)) return ofWeek
    const [dayOf, begunOf, weekOf] = [
      sumsById([...ofToday.right, ...ofYesterday.right]), sumsById(ofBegun.right), sumsById(ofWeek.right),
    ]
    const all = states.right.map((state): ListedWorkspace => {
      const { messages: sent = 0, failed = 0, micros = 0n } = dayOf.get(state.workspace.id) ?? {}
      const { available } = state.balance
      // The week begins within a day, of which a proportional part is counted.
      const part = ((begunOf.get(state.workspace.id)?.micros ?? 0n) * BigInt(begun.to - (at - SOON_MS))) / BigInt(DAY_MS)
      const rates = {
        day: rateOf(micros, DAY_MS, available),
        week: rateOf((weekOf.get(state.workspace.id)?.micros ?? 0n) + part, SOON_MS, available),
      }
      return { ...state, sent, failed, lastsMs: lastsMsOf(rates), need: needOf(state, sent, failed), hours: [] }
    })
    const found = all.filter((one) => isSought(one, sought))
    // A workspace that has left the list meanwhile still has its place in the order.
    const inOrder = found.sort(BY[order])
    const rest = inOrder.slice(inOrder.findIndex(({ workspace }) => workspace.id === cursor) + 1).filter(IS[listed])
    const items = rest.slice(0, limit)
    const hours = await workspaceStates.buckets(items.map(({ workspace }) => workspace.id), '1h', day)
    if (E.isLeft(hours)) return hours
    const courses = new Map<WorkspaceId, Array<number>>()
    for (const { workspace, start, messages } of hours.right) {
      const course = courses.get(workspace) ?? new Array<number>(24).fill(0)
      course[(start - day.from) / HOUR_MS] = messages
      courses.set(workspace, course)
    }
    const count = (one: Listed): number => found.filter(IS[one]).length
    return E.right({
      items: items.map((item) => ({ ...item, hours: courses.get(item.workspace.id) ?? [] })),
      next: rest.length > limit ? items.at(-1)?.workspace.id : undefined,
      counts: { all: count('all'), need: count('need'), soon: count('soon'), archived: count('archived') },
      sent: all.reduce((sum, { sent }) => sum + sent, 0), failed: all.reduce((sum, { failed }) => sum + failed, 0),
    })
  }

const sumsById = (sums: ReadonlyArray<WorkspaceSum>): ReadonlyMap<WorkspaceId, WorkspaceSum> => {
  const byId = new Map<WorkspaceId, WorkspaceSum>()
  for (const { workspace, messages, failed, micros } of sums) {
    const before = byId.get(workspace) ?? { messages: 0, failed: 0, micros: 0n }
    byId.set(workspace, {
      workspace, messages: before.messages + messages, failed: before.failed + failed, micros: before.micros + micros,
    })
  }
  return byId
}

/** The most urgent need of a workspace. An archived one needs nothing, and a wallet that never paid for a message is not empty but new. */
export const needOf = (
  { workspace, balance, alerts, failingSince }: WorkspaceState, sent: number, failed: number,
): WorkspaceNeed | undefined => {
  if (workspace.archivedAt !== undefined) return undefined
  if (alerts.exhaustedSince !== undefined || (balance.available <= 0n && sent > 0)) return { _tag: 'Empty', since: alerts.exhaustedSince }
  if (failingSince !== undefined) return { _tag: 'SenderFailing', since: failingSince }
  if (sent >= FAILING.messages && failed / sent >= FAILING.share) return { _tag: 'MessagesFailing' }
  return alerts.lowSince === undefined ? undefined : { _tag: 'Low', threshold: alerts.threshold }
}

const isSought = ({ workspace: { id, name } }: WorkspaceState, sought: string): boolean =>
  id === sought.trim() || foldedOf(name).includes(foldedOf(sought.trim()))

const IS: Readonly<Record<Listed, (one: ListedWorkspace) => boolean>> = {
  all: ({ workspace }) => workspace.archivedAt === undefined,
  need: ({ need }) => need !== undefined,
  soon: ({ workspace, lastsMs }) => workspace.archivedAt === undefined && lastsMs !== undefined && lastsMs < SOON_MS,
  archived: ({ workspace }) => workspace.archivedAt !== undefined,
}

type Compare = (a: ListedWorkspace, b: ListedWorkspace) => number

const RANKS: ReadonlyArray<WorkspaceNeed['_tag']> = ['Empty', 'SenderFailing', 'MessagesFailing', 'Low']

const rankOf = ({ need }: ListedWorkspace): number => (need === undefined ? RANKS.length : RANKS.indexOf(need._tag))

const byName: Compare = (a, b) => {
  const [left, right] = [foldedOf(a.workspace.name), foldedOf(b.workspace.name)]
  return left < right ? -1 : left > right ? 1 : a.workspace.id < b.workspace.id ? -1 : 1
}

/** No difference of two of these is a NaN. */
const lasting = ({ lastsMs }: ListedWorkspace): number => lastsMs ?? Number.MAX_VALUE

const shareOf = ({ sent, failed }: ListedWorkspace): number => (sent === 0 ? -1 : failed / sent)

const BY: Readonly<Record<WorkspaceOrder, Compare>> = {
  worst: (a, b) => rankOf(a) - rankOf(b) || lasting(a) - lasting(b) || byName(a, b),
  name: byName,
  balance: (a, b) => (a.balance.available < b.balance.available ? -1 : a.balance.available > b.balance.available ? 1 : byName(a, b)),
  sent: (a, b) => b.sent - a.sent || byName(a, b),
  failing: (a, b) => shareOf(b) - shareOf(a) || byName(a, b),
}
