import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerDigest, CustomerId } from '../../core/customers/customer.js'
import type { PairLimits } from '../../core/customers/pair-limit.js'
import type { InboundMark } from '../../core/customers/window.js'
import type { DeliveryAttempt } from '../../core/events/delivery.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf } from '../../core/kernel/page.js'
import type { Balance } from '../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { type DeliveryDeadlines, isOverdue } from '../../core/messages/deadlines.js'
import { type KeptContent, keptContentOf, type MessageContents } from '../../core/messages/kept-content.js'
import {
  billedAs, type Claim, type Claimed, type Draft, isListed, isLookedAt, isThrough, type MessageLog, type MessageQuery, type MovedMessage,
  type Opening,
  sumBilled,
} from '../../core/messages/message-log.js'
import {
  appliedChange, type AppliedChange, applyChange, claimStands, FORGOTTEN_PLATFORM_ID, type IdempotencyKey, isMessageId, keepsIdempotencyKey,
  type MessageId, type MessageRecord, type NoSuchMessage, type NotUnconfirmed, openRecord, pendingSince, type PlatformId,
  type StateChange,
} from '../../core/messages/message.js'
import type { QueuedMessage } from '../../core/messages/queue.js'
import {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, countBySender, countMessages, isInSpan, type MessageCount, type MessageStatistics,
  type SenderCount, sumCounts, sumSenderCounts,
  type TimeSpan,
} from '../../core/messages/statistics.js'
import {
  checkResolution, freeDraft, holdOfDraft, type LimitReached, type MessageMoney, moneyAgrees, type Reserved, type Resolution,
} from '../../core/money/ledger.js'
import type { BalanceOutOfRange, FreeMessages, InsufficientBalance, SpendingLimitReached, Wallet } from '../../core/money/wallet.js'
import {
  isDue, LOST_MESSAGES_KEPT, type LostMessage, type LostMessages, type LostMessageSettled, lostReference, type LostSettlement,
  type LostStatus, type NoSuchLostMessage, noteLost, type SettledLost,
} from '../../core/reports/status.js'
import type { PortfolioBudget } from '../../core/messages/portfolio-budget.js'
import type { SenderBudget } from '../../core/senders/sender-budget.js'
import type { MessageTimeline } from '../../core/timeline.js'
import { type Accounts, addMoney, balanceOf, moveHold, setAside, type FreeState, takeFree } from './accounts.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { atomic, infallible, pageById } from './kernel.js'
import { type PairSlots, type PortfolioState, type SenderSlotState, takeLimits } from './limits.js'

/** The messages of one workspace and their idempotency keys. */
export type WorkspaceMessages = {
  readonly records: Map<MessageId, MessageRecord>
  readonly byPlatformId: Map<PlatformId, MessageId>
  readonly claims: Map<IdempotencyKey, ClaimRecord>
  readonly keys: Map<MessageId, IdempotencyKey>
  /** The contents and places of those that are queued. */
  readonly queue: Map<MessageId, Pick<QueuedMessage, 'message' | 'place'>>
  /** Their contents and the times when they were opened, if contents are kept. */
  readonly contents: Map<MessageId, { readonly content: KeptContent; readonly at: Instant }>
  /** Until when messages have to be delivered, if their delivery is awaited. */
  readonly deadlines: Map<MessageId, Instant>
}

/** The claim of a key: a message, since when, and the SHA-256 digest of the request. */
export type ClaimRecord = { readonly by: MessageId; readonly at: Instant; readonly request: string }

/** The message log in memory. */
export const makeMemoryMessageLog = (
  tables: Map<WorkspaceId, WorkspaceMessages> = new Map(), events: EventState = openEventState(), keepContent = false,
): MessageLog => ({
  open: (draft) => atomic(() => {
    const shelf = messagesOf(tables, draft.workspace)
    const opening = open(shelf, draft)
    if (keepContent && E.isRight(opening) && opening.right._tag === 'Opened') {
      shelf.contents.set(draft.id, { content: keptContentOf(draft.message), at: draft.at })
    }
    return opening
  }),
  claimed: (workspace, claim, at) =>
    infallible(() => {
      const shelf = tables.get(workspace)
      return O.fromNullable(shelf && guardedBy(shelf, claim, at))
    }),
  apply: (workspace, id, change, outboxEntries) =>
    infallible(() => changeMessage({ shelf: tables.get(workspace), events }, id, change, outboxEntries)),
  find: (workspace, by) =>
    infallible(() => {
      const shelf = tables.get(workspace)
      const id = 'id' in by ? by.id : shelf?.byPlatformId.get(by.platformId)
      return O.fromNullable(id && shelf?.records.get(id))
    }),
  list: (workspace, query) => infallible(() => listed([...(tables.get(workspace)?.records.values() ?? [])], query)),
  stale: ({ state, before, limit }) =>
    infallible(() =>
      [...tables.values()]
        .flatMap(({ records }) => Array.from(records.values(), (record) => ({ ...record, since: pendingSince(record) ?? Infinity })))
        .filter((record) => record.state === state && record.since < before)
        .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ workspace, id }) => ({ workspace, id })),
    ),
  billed: (period) =>
    infallible(() => sumBilled(recordsIn(tables)
      .filter(({ createdAt }) => period === undefined || (period.from <= createdAt && createdAt < period.until))
      .flatMap((record) => billedAs(record) ?? []))),
})

/** The contents of messages, in memory. */
export const makeMemoryMessageContents = (tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>): MessageContents => ({
  find: (workspace, ids) => infallible(() => {
    const contents = tables.get(workspace)?.contents
    return new Map(ids.flatMap((id) => {
      const kept = contents?.get(id)
      return kept === undefined ? [] : [[id, kept.content]]
    }))
  }),
  removeOld: (before) => infallible(() => {
    let removed = 0
    for (const { contents } of tables.values()) for (const [id, { at }] of contents) if (at < before && contents.delete(id)) removed += 1
    return removed
  }),
})

/** The deadlines of deliveries, in memory. */
export const makeMemoryDeliveryDeadlines = (
  tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>, events: EventState,
): DeliveryDeadlines => ({
  settle: (until, limit, outboxEntries) => infallible(() => {
    const all = [...tables].flatMap(([workspace, shelf]) => Array.from(shelf.deadlines, ([id, at]) => ({ workspace, shelf, id, at })))
      .toSorted((a, b) => a.at - b.at || (`${a.workspace} ${a.id}` < `${b.workspace} ${b.id}` ? -1 : 1))
    const due = all.filter(({ at }) => at <= until).slice(0, limit)
    const messages = due.map(({ shelf, id }) => shelf.records.get(id)).filter((message) => message !== undefined)
    const overdue = messages.filter(({ state }) => isOverdue(state))
    for (const { shelf, id } of due) shelf.deadlines.delete(id)
    for (const message of overdue) storeEvents(events, outboxEntries(message))
    const next = all[due.length]
    return { removed: due.length, overdue: overdue.length, ...(next && { next: next.at }) }
  }),
})

const listed = (records: ReadonlyArray<MessageRecord>, query: MessageQuery): Page<MessageRecord> => {
  const idOf = ({ id }: MessageRecord): string => id
  if (query.look === undefined) return pageById(records.filter((record) => isListed(query, record)), query, idOf)
  const look = pageById(records.filter((record) => isLookedAt(query, record)), { ...query, limit: query.look }, idOf)
  const order = query.oldestFirst && { oldestFirst: query.oldestFirst }
  const page = pageById(look.items.filter((record) => isListed(query, record)), { limit: query.limit, ...order }, idOf)
  return page.next === undefined ? { ...page, next: look.next } : page
}

const recordsIn = (tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>): ReadonlyArray<MessageRecord> =>
  [...tables.values()].flatMap(({ records }) => [...records.values()])

const open = (shelf: WorkspaceMessages, draft: Draft): E.Either<PortFailure, Opening> => {
  const { id, claim, at, confirmBy } = draft
  const guarded = claim && guardedBy(shelf, claim, at)
  if (guarded !== undefined) return E.right(guarded)
  if (shelf.records.has(id)) return E.left(portFailure('MessageLog')('a message of that id has been opened before'))
  shelf.records.set(id, openRecord(draft))
  if (confirmBy !== undefined) shelf.deadlines.set(id, confirmBy)
  if (draft.queue !== undefined) shelf.queue.set(id, { message: draft.message, place: draft.queue })
  if (claim !== undefined) {
    shelf.claims.set(claim.key, { by: id, at, request: digestOf(claim.request) })
    shelf.keys.set(id, claim.key)
  }
  return E.right({ _tag: 'Opened' })
}

const guardedBy = ({ claims, records }: WorkspaceMessages, { key, request }: Claim, now: Instant): Claimed | undefined => {
  const claim = claims.get(key)
  const by = claim && records.get(claim.by)
  return claim !== undefined && by !== undefined && claimStands(now, claim.at, by.state)
    ? { _tag: 'Claimed', by, sameRequest: claim.request === digestOf(request) }
    : undefined
}

/** Writes a change of a message by the rule of `applyChange`. */
export const changeMessage = (
  { shelf, events }: { readonly shelf: WorkspaceMessages | undefined; readonly events: EventState }, id: MessageId, change: StateChange,
  outboxEntries: MakeOutboxEntries<MovedMessage> | undefined,
): O.Option<AppliedChange> => {
  const before = shelf?.records.get(id)
  if (shelf === undefined || before === undefined) return O.none
  const after = applyChange(before, change)
  if (outboxEntries !== undefined && after.state !== before.state) {
    storeEvents(events, outboxEntries({ from: before.state, message: after }))
  }
  shelf.records.set(id, after)
  if (after.state !== 'queued') shelf.queue.delete(id)
  if (after.platformId !== undefined) shelf.byPlatformId.set(after.platformId, id)
  if (!keepsIdempotencyKey(after.state)) free(shelf, id)
  return O.some(appliedChange(after))
}

/** Releases the key of a message. A message that can still end unsent has never lost its key to another, so the key is its own. */
const free = ({ claims, keys }: WorkspaceMessages, id: MessageId): void => {
  const key = keys.get(id)
  keys.delete(id)
  if (key !== undefined) claims.delete(key)
}

const messagesOf = (tables: Map<WorkspaceId, WorkspaceMessages>, workspace: WorkspaceId): WorkspaceMessages => {
  const known = tables.get(workspace)
  if (known !== undefined) return known
  const shelf: WorkspaceMessages = {
    records: new Map(), byPlatformId: new Map(), claims: new Map(), keys: new Map(), contents: new Map(), queue: new Map(),
    deadlines: new Map(),
  }
  tables.set(workspace, shelf)
  return shelf
}

const digestOf = (request: string): string => createHash('sha256').update(request).digest('base64')

type State = {
  readonly books: Accounts
  readonly free: FreeState
  readonly pairs: PairSlots
  readonly budget: SenderSlotState
  readonly portfolios: PortfolioState
  readonly tables: Map<WorkspaceId, WorkspaceMessages>
  readonly events: EventState
}

/** The messages and their holds, in memory; `own` are the ports over the same state. */
export const makeMemoryMessageMoney = (
  state: State,
  own: {
    readonly messageLog?: MessageLog; readonly wallet?: Wallet; readonly freeMessages?: FreeMessages; readonly pairLimits?: PairLimits
    readonly senderBudget?: SenderBudget; readonly portfolioBudget?: PortfolioBudget
  } = {},
): MessageMoney => ({
  reservingOver: ({
    messageLog, wallet, freeMessages = own.freeMessages, pairLimits = own.pairLimits, senderBudget = own.senderBudget,
    portfolioBudget = own.portfolioBudget,
  }) =>
    messageLog !== own.messageLog || wallet !== own.wallet || freeMessages !== own.freeMessages || pairLimits !== own.pairLimits
      || senderBudget !== own.senderBudget || portfolioBudget !== own.portfolioBudget
      ? undefined
      : (draft, spending, outboxEntries = () => [], free, limits = {}) =>
        atomic((): E.Either<InsufficientBalance | SpendingLimitReached | LimitReached | PortFailure, Reserved> => {
          const { workspace, id: message } = draft
          const shelf = messagesOf(state.tables, workspace)
          const guarded = draft.claim && guardedBy(shelf, draft.claim, draft.at)
          if (guarded !== undefined) return E.right(guarded)
          const taken = takeLimits(state, limits)
          if (E.isLeft(taken)) return taken
          const slot = taken.right
          const isFree = free !== undefined && takeFree(state.free, { workspace, message, ...free })
          const charged = isFree ? freeDraft(draft) : draft
          const opening = open(shelf, charged)
          if (E.isLeft(opening)) return opening
          const held = setAside(state.books, holdOfDraft(charged, spending), (alert) => { storeEvents(state.events, outboxEntries(alert)) })
          return E.isLeft(held) ? held : E.right({ _tag: 'Opened', ...(isFree && { isFree }), ...(slot && { slot }) })
        }),
  resolve: (resolution, outboxEntries) => atomic(() => resolve(state, resolution, outboxEntries)),
  mismatches: (query) =>
    infallible(() => {
      const holds = [...state.books].flatMap(([workspace, { holds: of }]) => [...of].flatMap(([message, { state: hold }]) =>
        (isMessageId(message) ? [{ workspace, message, hold, state: state.tables.get(workspace)?.records.get(message)?.state }] : [])))
      const { items, next } = pageById(holds, query, ({ message }) => message)
      return { items: items.filter((one) => !moneyAgrees(one.hold, one.state)), next }
    }),
})

const resolve = (
  { books, tables, events }: State, resolution: Resolution, outboxEntries: MakeOutboxEntries<MovedMessage> | undefined,
): E.Either<NoSuchMessage | NotUnconfirmed, MessageRecord> => {
  const { workspace, message: id, at, note } = resolution
  const shelf = tables.get(workspace)
  const message = shelf?.records.get(id)
  const change = checkResolution(message, books.get(workspace)?.holds.get(id)?.state, resolution)
  if (E.isLeft(change)) return change
  if (change.right !== undefined) {
    changeMessage({ shelf, events }, id, change.right, outboxEntries)
    moveHold(books, change.right.state === 'accepted' ? 'capture' : 'release', { workspace, message: id, at, note })
  }
  const after = shelf?.records.get(id)
  return after === undefined ? E.left({ _tag: 'NoSuchMessage', id }) : E.right(after)
}

/** The data from which the statistics in memory are computed. */
export type CountedState = {
  readonly tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>
  readonly marks: ReadonlyMap<string, InboundMark>
}

/** The counts of one bucket; its name is the workspace, the width and the beginning. */
export type Bucket = {
  readonly workspace: WorkspaceId
  readonly width: BucketWidth
  readonly start: Instant
  readonly counts: ReadonlyArray<MessageCount>
  readonly senders: ReadonlyArray<SenderCount>
}

/** The counts so far, and how far they reach. */
export type CountState = { readonly buckets: Map<string, Bucket>; readonly progress: Map<string, Instant> }

/** The statistics in memory, over the messages and the windows of a storage. */
export const makeMemoryMessageStatistics = (
  { tables, marks }: CountedState, { buckets, progress }: CountState = { buckets: new Map(), progress: new Map() },
): MessageStatistics => {

  const replace = (bucket: Bucket): void => void buckets.set(`${bucket.workspace} ${bucket.width} ${bucket.start}`, bucket)
  const bucketsIn = (workspace: WorkspaceId, width: BucketWidth, { from, to }: TimeSpan): ReadonlyArray<Bucket> =>
    [...buckets.values()].filter((bucket) =>
      bucket.workspace === workspace && bucket.width === width && bucket.start >= from && bucket.start < to)
      .sort((a, b) => a.start - b.start)
  const sumUp = (workspace: WorkspaceId, parts: BucketWidth, width: BucketWidth, at: Instant): void => {
    const start = bucketStart(width, at)
    const within = bucketsIn(workspace, parts, bucketSpan(width, start))
    const senders = within.flatMap((bucket) => bucket.senders).map((count) => ({ ...count, start }))
    replace({
      workspace, width, start, counts: sumCounts(within.flatMap(({ counts }) => counts).map((count) => ({ ...count, start }))),
      senders: sumSenderCounts(senders),
    })
  }

  return {
    counts: (workspace, width, span, sender) => infallible(() => {
      const within = bucketsIn(workspace, width, span)
      return sender === undefined
        ? within.flatMap(({ counts }) => counts)
        : sumCounts(within.flatMap(({ senders }) =>
            senders.filter((count) => isThrough(sender, count)).map(({ sender: _, ...count }) => count)))
    }),
    recount: (workspace, width, start) => infallible(() => {
      const messages = [...tables.get(workspace)?.records.values() ?? []].filter((message) => isInSpan(bucketSpan(width, start), message))
      replace({ workspace, width, start, counts: countMessages(start, messages), senders: countBySender(start, messages) })
      if (width === '5m') sumUp(workspace, '5m', '1h', start)
      sumUp(workspace, '1h', '1d', start)
      return messages.length
    }),
    workspacesWith: (span, { cursor = '', limit }) => infallible(() => {
      const ids = [...tables.entries()].filter(([id, { records }]) =>
        id > cursor && [...records.values()].some((message) => isInSpan(span, message))).map(([id]) => id)
      return pageOf(ids.sort().slice(0, limit + 1), limit, (id) => id)
    }),
    removeOld: (width, before) => infallible(() => {
      const old = [...buckets].filter(([, bucket]) => bucket.width === width && bucket.start < before)
      const oldest = Math.min(...old.map(([, { start }]) => start))
      const removed = old.filter(([, { start }]) => start < oldest + BUCKET_MS[width])
      for (const [name] of removed) buckets.delete(name)
      return removed.reduce((sum, [, { counts }]) => sum + Math.max(1, counts.length), 0)
    }),
    progress: () => infallible(() => new Map(progress)),
    noteProgress: (name, at) => infallible(() => void progress.set(name, at)),
    openWindows: (inbox, after, limit) => infallible(() =>
      Math.min(limit, [...marks].filter(([name, { lastInbound }]) => name.startsWith(`${inbox} `) && lastInbound > after).length)),
  }
}

/** The stored data of a message in addition to its record, in memory; it is always complete. */
export const makeMemoryMessageTimeline = (accounts: Accounts, { streams, endpoints }: EventState): MessageTimeline => ({
  entries: ({ workspace, message }) =>
    infallible(() => (accounts.get(workspace)?.entries ?? []).filter((entry) => entry.message === message).toSorted(byId)),
  events: ({ workspace, message }) =>
    infallible(() => {
      const attempts = [...endpoints.values()].filter(({ endpoint }) => endpoint.workspace === workspace)
        .flatMap((record) => record.attempts)
      const about = (streams.get(workspace)?.events ?? []).filter(({ subject }) => subject === message)
      return about.map(({ id, type, at }) => ({ id, type, at, attempts: attempts.filter(({ event }) => event === id).toSorted(byId) }))
    }),
  received: ({ workspace, customer, limit }) =>
    infallible(() =>
      (streams.get(workspace)?.events ?? []).filter(({ type, subject }) =>
        type === 'message.received' && customer.some((id) => id === subject)).toReversed().slice(0, limit)),
})

const byId = (a: Pick<DeliveryAttempt, 'id'>, b: Pick<DeliveryAttempt, 'id'>): number => (a.id < b.id ? -1 : 1)

/** A lost message, and whether it was settled. */
export type LostRecord = { readonly message: LostMessage; readonly isSettled: boolean }

/** The lost messages of all workspaces, by workspace and our id. */
export type LostRecords = Map<string, LostRecord>

/** The state of the lost messages, and the maximum number that wait in a workspace. */
export type LostStore = {
  readonly accounts: Accounts
  readonly events?: EventState
  readonly records?: LostRecords
  readonly tables?: Shelves
  readonly kept?: number
}

type Shelves = ReadonlyMap<WorkspaceId, WorkspaceMessages>

/** The lost messages in memory. */
export const makeMemoryLostMessages = (
  {
    accounts, events = openEventState(), records = new Map<string, LostRecord>(), tables = new Map<WorkspaceId, WorkspaceMessages>(),
    kept = LOST_MESSAGES_KEPT,
  }: LostStore,
): LostMessages => ({
  note: (status) =>
    infallible(() => { if (![...tables.values()].some((shelf) => shelf.records.has(status.message))) note(records, kept, status) }),
  list: ({ limit, cursor = '' }) =>
    infallible(() => pageOf(due(records).filter((message) => placeOf(message) > cursor).slice(0, limit + 1), limit, placeOf)),
  counts: () =>
    infallible(() => {
      const counts = new Map<WorkspaceId, number>()
      for (const { workspace } of due(records)) counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
      return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([workspace, messages]) => ({ workspace, messages }))
    }),
  settle: (settlement, outboxEntries) => atomic(() => settle({ accounts, events, records }, settlement, outboxEntries)),
})

const keyOf = ({ workspace, message }: Pick<LostMessage, 'workspace' | 'message'>): string => `${workspace} ${message}`

/** Our ids sort by time. */
const placeOf = ({ workspace, message }: LostMessage): string => `${message} ${workspace}`

const note = (records: LostRecords, kept: number, status: LostStatus): void => {
  const known = records.get(keyOf(status))
  if (known?.isSettled === true) return
  const waiting = known === undefined
    ? [...records.values()].filter(({ message, isSettled }) => !isSettled && message.workspace === status.workspace)
    : []
  if (waiting.length < kept) records.set(keyOf(status), { message: noteLost(known?.message, status), isSettled: false })
}

const due = (records: LostRecords): ReadonlyArray<LostMessage> =>
  [...records.values()].flatMap(({ message, isSettled }) => (!isSettled && isDue(message) ? [message] : []))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))

type Books = { readonly accounts: Accounts; readonly events: EventState; readonly records: LostRecords }

const settle = (
  { accounts, events, records }: Books, { workspace, id, micros, note: reason, at }: LostSettlement,
  outboxEntries: MakeOutboxEntries<SettledLost> = () => [],
): E.Either<NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace, SettledLost> => {
  const found = [...records.values()].find(({ message: { workspace: owner, message, platformId } }) =>
    owner === workspace && (message === id || platformId === id))
  if (found === undefined || id === FORGOTTEN_PLATFORM_ID || !isDue(found.message)) return E.left({ _tag: 'NoSuchLostMessage', id })
  const account = accounts.get(workspace)
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const { message } = found
  const reference = lostReference(message.message)
  if (found.isSettled || (micros > 0n && account.adjustments.has(reference))) return E.left({ _tag: 'LostMessageSettled', id })
  const store = (balance: Balance) => outboxEntries({ message, balance })
  const charged = micros === 0n
    ? E.right(balanceOf(account))
    : addMoney({ account, events }, 'adjustment', { workspace, micros: -micros, reference, note: reason, at }, store)
  if (E.isLeft(charged)) return charged
  if (micros === 0n) storeEvents(events, store(charged.right))
  records.set(keyOf(message), { message, isSettled: true })
  return E.right({ message, balance: charged.right })
}

/** Removes a person from the lost messages of a workspace, and returns their number. */
export const eraseLost = (
  records: LostRecords, workspace: WorkspaceId, ids: ReadonlySet<string>,
  digestOf: (workspace: WorkspaceId, id: CustomerId) => CustomerDigest,
): number => {
  const found = [...records].filter(([, { message: { workspace: owner, to } }]) => owner === workspace && to !== undefined && ids.has(to))
  for (const [key, { message, isSettled }] of found) {
    // Only a recipient who is not forgotten is among the ids.
    records.set(key, {
      message: { ...message, to: digestOf(workspace, message.to as CustomerId), platformId: FORGOTTEN_PLATFORM_ID }, isSettled,
    })
  }
  return found.length
}
