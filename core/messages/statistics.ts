import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxId, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { Category } from '../kernel/money.js'
import { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../kernel/time.js'
import type { SenderId } from '../senders/sender.js'
import type { SenderFilter } from './message-log.js'
import { firstMessageIdAt, type MessageRecord, type MessageState, moneyMove } from './message.js'

/** The widths of the buckets in which messages are counted, in milliseconds. Every bucket begins at a multiple of its width, so days are those of UTC. */
export const BUCKET_MS = { '5m': 5 * MINUTE_MS, '1h': HOUR_MS, '1d': DAY_MS } as const

/** The width of a bucket. */
export type BucketWidth = keyof typeof BUCKET_MS

/** Messages of a bucket that are in one state and were charged in one category. The state is never `played`: such messages count as read. */
export type MessageCount = {
  /** When the bucket begins. */
  readonly start: Instant
  readonly state: MessageState
  readonly category: Category
  readonly messages: number
  /** Their cost: the sum of their prices if money is captured in this state (`moneyMove`), otherwise 0. */
  readonly micros: bigint
}

/** The same of the messages of one sender; without a sender, of messages of an earlier version. */
export type SenderCount = MessageCount & { readonly sender: SenderId | undefined }

/** A period; its end is not included. */
export type TimeSpan = { readonly from: Instant; readonly to: Instant }

/** The start of the bucket that contains a timestamp. */
export const bucketStart = (width: BucketWidth, at: Instant): Instant => at - (at % BUCKET_MS[width])

/** The period of a bucket. */
export const bucketSpan = (width: BucketWidth, start: Instant): TimeSpan => ({ from: start, to: start + BUCKET_MS[width] })

/** Whether a message counts in a period. */
export const isInSpan = ({ from, to }: TimeSpan, { id }: Pick<MessageRecord, 'id'>): boolean =>
  id >= firstMessageIdAt(from) && id < firstMessageIdAt(to)

/** The cost of messages in a state whose prices have the given sum. */
export const chargedIn = (state: MessageState, micros: bigint): bigint => (moneyMove(state) === 'capture' ? micros : 0n)

/** Counts in which each bucket, state and category occurs once, ordered by bucket. */
export const sumCounts = (counts: Iterable<MessageCount>): ReadonlyArray<MessageCount> => {
  const sums = new Map<string, MessageCount>()
  for (const count of counts) {
    const key = `${count.start} ${count.state} ${count.category}`
    const before = sums.get(key)
    sums.set(
      key, before === undefined ? count : { ...count, messages: before.messages + count.messages, micros: before.micros + count.micros },
    )
  }
  return [...sums.values()].sort((a, b) => a.start - b.start)
}

/** The counts of a bucket's messages; messages that were played count as read. */
export const countMessages = (start: Instant, messages: Iterable<Pick<MessageRecord, 'state' | 'price'>>): ReadonlyArray<MessageCount> =>
  sumCounts(Array.from(messages, ({ state, price: { category, micros } }) =>
    ({ start, state: state === 'played' ? 'read' : state, category, messages: 1, micros: chargedIn(state, micros) })))

/** The counts of a bucket's messages for each sender. */
export const countBySender = (
  start: Instant, messages: ReadonlyArray<Pick<MessageRecord, 'state' | 'price' | 'sender'>>,
): ReadonlyArray<SenderCount> =>
  sumSenderCounts(messages.flatMap((message) => countMessages(start, [message]).map((count) => ({ ...count, sender: message.sender }))))

/** `sumCounts` of the counts of each sender. */
export const sumSenderCounts = (counts: ReadonlyArray<SenderCount>): ReadonlyArray<SenderCount> =>
  [...new Set(counts.map(({ sender }) => sender))].flatMap((sender) =>
    sumCounts(counts.filter((count) => count.sender === sender)).map((count) => ({ ...count, sender })))

/**
 * The messages of the workspaces, counted in buckets of time, so that a read adds up some hundred rows, whatever the number of messages.
 *
 * The counts are derived: all of them can be computed again from the messages (`firstMessageIdAt` defines where a message counts). A send writes no count.
 */
export interface MessageStatistics {
  /**
   * A workspace's counts in buckets that begin in a period, ordered by bucket, as of the last count of each bucket. With `sender` they are those of the messages
   * of that sender (`isThrough`).
   */
  readonly counts: (
    workspace: WorkspaceId, width: BucketWidth, span: TimeSpan, sender?: SenderFilter,
  ) => Promise<E.Either<PortFailure, ReadonlyArray<MessageCount>>>
  /**
   * Counts the messages of one bucket, in steps that are short whatever the number of messages. Then it replaces, in one step, the counts of the bucket and of the wider
   * buckets that contain it, which become the sums of the buckets in them. Right: the number of messages.
   *
   * If no message has changed, counting again changes nothing. Concurrent counts of one bucket leave the result of one of them.
   */
  readonly recount: (workspace: WorkspaceId, width: '5m' | '1h', start: Instant) => Promise<E.Either<PortFailure, number>>
  /** The workspaces that have messages in a period, in pages ordered by id. */
  readonly workspacesWith: (span: TimeSpan, query: PageQuery) => Promise<E.Either<PortFailure, Page<WorkspaceId>>>
  /** Removes some of the buckets of a width that begin before a given time, oldest first. Right: the number of removed counts; 0 if there are no more. */
  readonly removeOld: (width: BucketWidth, before: Instant) => Promise<E.Either<PortFailure, number>>
  /** The progress of each round of the roll-up, by name. */
  readonly progress: () => Promise<E.Either<PortFailure, ReadonlyMap<string, Instant>>>
  /** Stores the progress of a round. A name has at most 32 characters. */
  readonly noteProgress: (name: string, at: Instant) => Promise<E.Either<PortFailure, void>>
  /** The number of customers who have written to an inbox after a given time, by any of their ids, as defined by `WindowClock.lastInbound`; at most `limit`. */
  readonly openWindows: (inbox: InboxId, after: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/** How far back messages are counted: the longest range that is shown, plus the day in which it begins. */
export const COUNTED_MS = 91 * DAY_MS

/**
 * How long the buckets of a width are kept. While the last round may still count an hour of a day, all hours of that day are kept, because the day is their
 * sum. The parts of an hour are kept in the same way while one of them may be counted.
 */
export const KEPT_MS = { '5m': DAY_MS, '1h': 33 * DAY_MS, '1d': COUNTED_MS } as const

/** Older messages are counted only by whole hours. */
const FINE_MS = 6 * HOUR_MS

/** One bucket that has to be counted, and the progress to store then. The current bucket is counted repeatedly, so it stores no progress. */
export type DueBucket = { readonly width: '5m' | '1h'; readonly start: Instant; readonly note?: Note; readonly skips: ReadonlyArray<Skip> }

/** The progress of a round. */
export type Note = { readonly round: string; readonly at: Instant }

/** The progress to store immediately if a period, which begins or ends with the bucket, has no messages at all; the longest period first. */
export type Skip = { readonly span: TimeSpan; readonly note: Note }

/** A round counts every bucket once, `afterMs` after the bucket's end, because its messages have changed since. */
type Round = { readonly name: string; readonly width: '5m' | '1h'; readonly afterMs: number }

const ROUNDS: ReadonlyArray<Round> = [
  { name: 'after 15 minutes', width: '5m', afterMs: 15 * MINUTE_MS },
  { name: 'after an hour', width: '5m', afterMs: HOUR_MS },
  { name: 'after 6 hours', width: '1h', afterMs: FINE_MS },
  { name: 'after a day', width: '1h', afterMs: DAY_MS },
  { name: 'after 3 days', width: '1h', afterMs: 3 * DAY_MS },
  { name: 'after 30 days', width: '1h', afterMs: 30 * DAY_MS },
]

/**
 * Messages from before the first roll-up are counted hour by hour, newest first. The name is another one than that of the release which did not count by sender, so
 * that everything is counted again after an upgrade.
 */
const PAST = 'past by sender'

/** The start of every round that has no progress yet. The past is the last round, so that no time between it and the other rounds is left out. */
export const firstProgress = (progress: ReadonlyMap<string, Instant>, now: Instant): ReadonlyArray<Note> =>
  [
    ...ROUNDS.map(({ name, afterMs }) => ({ round: name, at: bucketStart('1h', now - Math.max(afterMs, FINE_MS)) })),
    { round: PAST, at: bucketStart('1h', now - FINE_MS) },
  ]
    .filter(({ round }) => !progress.has(round))

/** The current buckets, which are counted in every pass: the present one and the one before it. */
export const presentBuckets = (now: Instant): ReadonlyArray<DueBucket> => {
  const start = bucketStart('5m', now)
  return [start - BUCKET_MS['5m'], start].map((at) => ({ width: '5m', start: at, skips: [] }))
}

/** The next bucket that is due, the round with the shortest delay first and the past last; none if nothing is due. */
export const nextDue = (progress: ReadonlyMap<string, Instant>, now: Instant): DueBucket | undefined => {
  for (const { name, width, afterMs } of ROUNDS) {
    const earliest = bucketStart('1h', now - (width === '5m' ? FINE_MS : COUNTED_MS))
    const start = Math.max(progress.get(name) ?? now, earliest)
    const end = start + BUCKET_MS[width]
    if (end + afterMs > now) continue
    const last = bucketStart(width, now - afterMs)
    return {
      width,
      start,
      note: { round: name, at: end },
      skips: last === end ? [] : [{ span: { from: start, to: last }, note: { round: name, at: last } }],
    }
  }
  return nextPast(progress.get(PAST) ?? 0, now)
}

const nextPast = (reached: Instant, now: Instant): DueBucket | undefined => {
  const start = reached - HOUR_MS
  if (start < now - COUNTED_MS) return undefined
  const skipTo = (from: Instant): Skip => ({ span: { from, to: reached }, note: { round: PAST, at: from } })
  return {
    width: '1h',
    start,
    note: { round: PAST, at: start },
    skips: [skipTo(bucketStart('1h', now - COUNTED_MS)), skipTo(bucketStart('1d', start))],
  }
}

/** Whether messages from before the first roll-up still have to be counted. */
export const isPastMissing = (progress: ReadonlyMap<string, Instant>, now: Instant): boolean => {
  const reached = progress.get(PAST)
  return reached === undefined || reached - HOUR_MS >= now - COUNTED_MS
}

/**
 * Recounts the messages of the current buckets and of the due buckets, one bucket after the other, while `goOn` returns true.
 *
 * A round's progress is stored after its bucket, so an interrupted bucket is counted again from the beginning.
 */
export type RollUpMessages = (goOn: () => Promise<boolean>) => Promise<E.Either<PortFailure, RolledUp>>
/** The number of counted messages, some of them counted more than once, and whether other buckets are due. */
export type RolledUp = { readonly messages: number; readonly finished: boolean }
/** The dependencies of rolling messages up. */
export type RollUpMessagesDeps = { readonly messageStatistics: MessageStatistics; readonly now: Clock }

/** Makes the roll-up. */
export const makeRollUpMessages = (deps: RollUpMessagesDeps): RollUpMessages => async (goOn) => {
  const { messageStatistics, now } = deps
  const read = await messageStatistics.progress()
  if (E.isLeft(read)) return read
  const progress = new Map(read.right)
  const write = async ({ round, at }: Note): Promise<E.Either<PortFailure, void>> => {
    progress.set(round, at)
    return messageStatistics.noteProgress(round, at)
  }
  for (const first of firstProgress(progress, now())) {
    const noted = await write(first)
    if (E.isLeft(noted)) return noted
  }
  let messages = 0
  const present = presentBuckets(now())
  for (let index = 0; ; index += 1) {
    const due = present[index] ?? nextDue(progress, now())
    if (due === undefined) return E.map(() => ({ messages, finished: true }))(await removeOld(deps))
    if (!(await goOn())) return E.right({ messages, finished: false })
    const skipped = await skip(deps, due)
    if (E.isLeft(skipped)) return skipped
    const counted = skipped.right === undefined ? await countBucket(deps, due) : E.right(0)
    if (E.isLeft(counted)) return counted
    messages += counted.right
    const note = skipped.right ?? due.note
    const noted = note === undefined ? E.right(undefined) : await write(note)
    if (E.isLeft(noted)) return noted
  }
}

/** The progress to store if there were no messages for a long time, so that a database without messages does not need a step for each hour. */
const skip = async ({ messageStatistics }: RollUpMessagesDeps, { skips }: DueBucket): Promise<E.Either<PortFailure, Note | undefined>> => {
  for (const { span, note } of skips) {
    const found = await messageStatistics.workspacesWith(span, { limit: 1 })
    if (E.isLeft(found)) return found
    if (found.right.items.length === 0) return E.right(note)
  }
  return E.right(undefined)
}

const WORKSPACES_AT_ONCE = 500

const countBucket = async (
  { messageStatistics }: RollUpMessagesDeps, { width, start }: DueBucket,
): Promise<E.Either<PortFailure, number>> => {
  let messages = 0
  let cursor: string | undefined
  do {
    const found = await messageStatistics.workspacesWith(bucketSpan(width, start), {
      limit: WORKSPACES_AT_ONCE, ...(cursor !== undefined && { cursor }),
    })
    if (E.isLeft(found)) return found
    for (const workspace of found.right.items) {
      const counted = await messageStatistics.recount(workspace, width, start)
      if (E.isLeft(counted)) return counted
      messages += counted.right
    }
    cursor = found.right.next
  } while (cursor !== undefined)
  return E.right(messages)
}

const WIDTHS = Object.keys(KEPT_MS) as ReadonlyArray<BucketWidth>

const removeOld = async ({ messageStatistics, now }: RollUpMessagesDeps): Promise<E.Either<PortFailure, void>> => {
  for (const width of WIDTHS) {
    for (;;) {
      const removed = await messageStatistics.removeOld(width, now() - KEPT_MS[width])
      if (E.isLeft(removed)) return removed
      if (removed.right === 0) break
    }
  }
  return E.right(undefined)
}
