import * as E from 'fp-ts/lib/Either.js'
import { type GivenHours, givenHours, type Hours, parseHours } from '../customers/hours.js'
import { parseExactJson } from '../kernel/exact-json.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { Instant } from '../kernel/time.js'
import type { Message, MessageId, MessageRecord, QueuePlace } from './message.js'

/**
 * The messages that wait for their time.
 *
 * `MessageLog.open` of the same storage stores a draft with a place in the queue as `queued`, with its content, which is encrypted at rest. The step in which the
 * message leaves the queue, by `claim` or by a change of `MessageLog.apply`, deletes the place and the content.
 */
export interface MessageQueue {
  /**
   * The senders with messages that are due at a given time, at most `limit`: first the one whose messages have been due for the longest time. Senders of the
   * workspaces in `except` are left out. Nothing is changed.
   */
  readonly sendersDue: (query: SendersDueQuery) => Promise<E.Either<PortFailure, ReadonlyArray<DueSender>>>
  /**
   * The messages of a sender that are due at a given time, at most `limit`, in the order in which they are due. Messages that are due at the same time are in the order of their
   * ids. Messages that must not be sent any more are included, so that the caller ends them. Nothing is changed.
   */
  readonly due: (query: DueMessagesQuery) => Promise<E.Either<PortFailure, ReadonlyArray<QueuedMessage>>>
  /**
   * Claims a queued message, so that it may be sent: from the given time on it is `pending` (`leaveQueue` is the rule). Right: whether it was claimed; `false` if it is not
   * queued, because it was claimed, canceled or refused before, or if the workspace has no such message. Of concurrent claims, and of a claim and a concurrent
   * change, at most one succeeds. With a `sender`, it is also `false` if the message has another one, because its sender was replaced. After a failure it is unknown
   * whether the message was claimed.
   */
  readonly claim: (queued: ClaimedRef, at: Instant) => Promise<E.Either<PortFailure, boolean>>
  /** Moves queued messages to other times, at which they are due; their place then has the first of these times, too. Messages that are not queued stay as they are. */
  readonly postpone: (queued: ReadonlyArray<Postponed>) => Promise<E.Either<PortFailure, void>>
  /** What waits at a given time, by workspace and sender, in no particular order; of one workspace if it is given. */
  readonly waiting: (query: WaitingQuery) => Promise<E.Either<PortFailure, ReadonlyArray<Waiting>>>
  /**
   * The prices of the queued messages of a workspace that are reserved when they are due, so not those of a place with `isHeld`. The read stays fast with a million
   * messages.
   */
  readonly scheduled: (query: ScheduledQuery) => Promise<E.Either<PortFailure, ScheduledMoney>>
  /**
   * The first queued messages of a sender, at most `limit`, due or not, in the order in which they are due; those of batches are among them. Their contents are not
   * read, so this works without the key that decrypts them.
   */
  readonly next: (query: NextMessagesQuery) => Promise<E.Either<PortFailure, ReadonlyArray<PlacedMessage>>>
  /** The times of the given messages of a workspace, by their ids; a message that is not queued has none. */
  readonly timesOf: (
    workspace: WorkspaceId, messages: ReadonlyArray<MessageId>,
  ) => Promise<E.Either<PortFailure, ReadonlyMap<MessageId, QueueTimes>>>
  /**
   * How many messages are queued at a given time, in total and of the senders whose first message is due the earliest; these senders are in this order. At most
   * `mostOfSender` messages of a sender and `mostOfAll` messages in total are counted, due ones first, so that the read stays fast with a million messages.
   */
  readonly backlog: (query: BacklogQuery) => Promise<E.Either<PortFailure, Backlog>>
}

/** The time for which messages are counted, how many senders are wanted, and how far is counted. */
export type BacklogQuery = {
  readonly at: Instant; readonly senders: number; readonly mostOfSender: number; readonly mostOfAll: number
}

/** The number of queued messages that are due, the number of the others, and since when the first one that is due is due. */
export type QueuedCount = { readonly due: number; readonly later: number; readonly oldestDueAt: Instant | undefined }

/** The queued messages in total, and of some senders. */
export type Backlog = QueuedCount & { readonly senders: ReadonlyArray<QueuedSender & QueuedCount> }

/** The workspace, and the time before which a message is due that counts as due soon. */
export type ScheduledQuery = { readonly workspace: WorkspaceId; readonly soonBefore: Instant }

/** Prices that are not reserved yet, in micros: of the messages that are due soon or already due, and of all messages. */
export type ScheduledMoney = { readonly soon: bigint; readonly all: bigint }

/** The id of a queued message. */
export type QueuedRef = { readonly workspace: WorkspaceId; readonly message: MessageId }

/** A message to be claimed, and the sender through which it is about to be sent; empty if it names none. */
export type ClaimedRef = QueuedRef & { readonly sender?: string }

/** A queued message, and the time to which it is moved. */
export type Postponed = QueuedRef & { readonly dueAt: Instant }

/** The sender of queued messages; empty if they name none. */
export type QueuedSender = { readonly workspace: WorkspaceId; readonly sender: string }

/** A sender whose messages are due, and the time at which the first of them is due. */
export type DueSender = QueuedSender & { readonly oldestDueAt: Instant }

/** The senders to read. */
export type SendersDueQuery = { readonly at: Instant; readonly limit: number; readonly except?: ReadonlySet<WorkspaceId> }

/**
 * The messages to read: those of a batch, or by default those of no batch. With `after`, only those that come after a position in their order: so a caller that reads page by page
 * need not find its way past the messages that have just left the queue.
 */
export type DueMessagesQuery = QueuedSender & {
  readonly at: Instant; readonly limit: number; readonly isBatch?: boolean; readonly after?: QueuePosition | undefined
}

/** A position in the order of queued messages. */
export type QueuePosition = { readonly dueAt: Instant; readonly id: MessageId }

/** A queued message, with its content and its place. */
export type QueuedMessage = { readonly record: MessageRecord; readonly message: Message; readonly place: QueuePlace }

/** The sender whose first messages are read. */
export type NextMessagesQuery = QueuedSender & { readonly limit: number }

/** When a queued message may be sent. */
export type QueueTimes = Pick<QueuePlace, 'dueAt' | 'endsAt'>

/** A queued message with its times, without its content. */
export type PlacedMessage = QueueTimes & { readonly record: MessageRecord }

/** The order in which queued messages are due. */
export const inDueOrder = (a: PlacedMessage, b: PlacedMessage): number =>
  a.dueAt - b.dueAt || (a.record.id < b.record.id ? -1 : Number(a.record.id > b.record.id))

/** The time for which what waits is counted, and the workspace. */
export type WaitingQuery = { readonly at: Instant; readonly workspace?: WorkspaceId }

/** The queued messages of a sender. */
export type Waiting = {
  readonly workspace: WorkspaceId
  readonly sender: string
  /** Those that are due, and those that a limit or the hours of their customer keep until a later time: their place has `isHeld`. */
  readonly waiting: number
  /** Since when the first one that is due is due. */
  readonly oldestDueAt: Instant | undefined
  /** The others, which wait for their time. */
  readonly scheduled: number
}

type WrittenQueued = {
  readonly message: Message; readonly spending?: { readonly key: string; readonly limit: string }; readonly hours?: GivenHours
  readonly isHeld?: true; readonly dueAt?: Instant; readonly batch?: BatchId
}

/** The content and the place of a queued message as a text, for a storage that encrypts it; `readQueued` reads it. */
export const writeQueued = (message: Message, { spending, hours, isHeld, dueAt, batch }: QueuePlace): string =>
  JSON.stringify({
    message, ...(spending && { spending: { ...spending, limit: String(spending.limit) } }), ...(hours && { hours: givenHours(hours) }),
    ...(isHeld === true && { isHeld }), dueAt, ...(batch !== undefined && { batch }),
  })

/** The content from which `writeQueued` made a text, the spending limit, the hours and the first time at which it was due; a text of an earlier release has no such time. */
export const readQueued = (
  text: string,
): Pick<QueuedMessage, 'message'> & Pick<QueuePlace, 'spending' | 'hours' | 'isHeld' | 'firstDueAt' | 'batch'> => {
  const { message, spending, hours, isHeld, dueAt: firstDueAt, batch } = parseExactJson(text) as WrittenQueued
  return {
    message, ...(spending && { spending: { ...spending, limit: BigInt(spending.limit) } }), ...(hours && { hours: readHours(hours) }),
    ...(isHeld && { isHeld }), ...(firstDueAt !== undefined && { firstDueAt }), ...(batch !== undefined && { batch }),
  }
}

const readHours = (given: GivenHours): Hours => {
  const hours = parseHours(given)
  if (E.isLeft(hours)) throw new TypeError(`the hours of a queued message are invalid: ${hours.left.field}`)
  return hours.right
}
