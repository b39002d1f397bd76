import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type CustomerId, parseCustomerId, recordKeyOf } from '../customers/customer.js'
import type { GivenHours } from '../customers/hours.js'
import { parseExactJson } from '../kernel/exact-json.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { Category, Currency } from '../kernel/money.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { MessageId, MessageState, Metadata } from '../messages/message.js'
import { errorCodeOf, type OwnErrorCode } from '../messages/own-errors.js'
import type { SenderId } from '../senders/sender.js'

/** The maximum number of lines of a batch. */
export const MAX_BATCH_LINES = 100_000

/**
 * The states of a batch. `draft`: its lines may change. `confirmed`: its total is reserved, and it waits for its time. `sending`: its lines are sent. `paused`: no line is sent
 * until a person resumes it. `done`: every line has its outcome. `canceled`: no further line is sent.
 */
export const BATCH_STATES = ['draft', 'confirmed', 'sending', 'paused', 'done', 'canceled'] as const

/** The state of a batch. */
export type BatchState = (typeof BATCH_STATES)[number]

/** Messages of one template to up to `MAX_BATCH_LINES` customers: what they are, and how the batch is sent. */
export type Batch = {
  readonly id: BatchId
  readonly workspace: WorkspaceId
  /** For people; none if absent. */
  readonly name?: string
  readonly sender: SenderId
  /** The id that its sender had when it was confirmed, if its number has moved since. User ids of its lines belong to the business account of that id. */
  readonly formerSender?: SenderId
  readonly templateName: string
  readonly language: string
  readonly timing: BatchTiming
  readonly firstWave?: FirstWave
  readonly brake: Brake
  /** The notes that every message gets, before those of its line. */
  readonly metadata?: Metadata
  /** The id of the API key that made it; absent if a person did. */
  readonly keyId?: string
  /** The request that made it, if the caller gave that request a key. It is removed from a draft that is canceled because its request was refused, so that the key is free again. */
  readonly request?: BatchRequest
  readonly createdAt: Instant
  readonly state: BatchState
  /** Why it is paused, for programs. */
  readonly pausedBecause?: PauseReason
  /** Which upload of lines counts: a random whole number below 2^53, or 0 as long as there is none, or `REQUEST_UPLOAD`. Lines of other uploads are not read. */
  readonly upload: number
  /** What was confirmed; absent in a draft. */
  readonly confirmed?: Confirmed
  /** When the brake was last released: when it was confirmed or resumed. Earlier failures do not count. */
  readonly brakeSince?: Instant
  /** Until when the first wave waits; absent until the first wave has left. `resume` ends it. */
  readonly waveUntil?: Instant
  /** When its last line had its outcome, or when it was canceled. */
  readonly endedAt?: Instant
  /** When the part of its hold that no line took was given back, or nothing can be reserved for it any more. Nothing remains to do then. */
  readonly settledAt?: Instant
  /** Contents of its lines were deleted, because it ended some time ago. */
  readonly contentsDeleted?: true
}

/**
 * A request with an idempotency key. `key` is the SHA-256 digest of that key, and `digest` that of the key and the request, in lowercase hexadecimal digits. As the key is part of `digest`, the request
 * cannot be guessed from it without the key.
 */
export type BatchRequest = { readonly key: string; readonly digest: string }

/** A batch whose sender has another id, because its number has moved; `undefined` if it has another sender. */
export const movedBatch = (batch: Batch, from: SenderId, to: SenderId): Batch | undefined => {
  if (batch.sender !== from) return undefined
  return { ...batch, sender: to, ...(batch.confirmed !== undefined && { formerSender: batch.formerSender ?? from }) }
}

/** Whether a batch still needs its sender: it is neither done nor canceled. */
export const needsSender = ({ state }: Pick<Batch, 'state'>): boolean => state !== 'done' && state !== 'canceled'

/** The upload of the lines that a request with a key contains. Identical requests at the same time add the same lines to it, so that each line is stored once. */
export const REQUEST_UPLOAD = 1

/** When the lines of a batch may be sent. */
export type BatchTiming = { readonly sendAt?: Instant; readonly until?: Instant; readonly hours?: GivenHours }

/** For how long the lines of a batch without `until` may be sent after it was confirmed, or after its `sendAt`. */
const LASTS_MS = 30 * DAY_MS

/** When the lines of a confirmed batch may no longer be sent. */
export const batchEndsAt = ({ timing: { sendAt, until }, createdAt, confirmed }: Batch): Instant =>
  until ?? Math.max(sendAt ?? 0, confirmed?.at ?? createdAt) + LASTS_MS

/** How many lines are sent first, and how long the others wait after them. */
export type FirstWave = { readonly recipients: number; readonly waitMs: number }

/** A batch pauses if more than `share` (from 0 to 1) of its last `of` lines failed with the same code. */
export type Brake = { readonly share: number; readonly of: number }

/** The brake of a batch that names none. */
export const DEFAULT_BRAKE: Brake = { share: 0.05, of: 200 }

/** What was confirmed: the sum of the prices of its lines, in micros, and how many lines are sent. */
export type Confirmed = {
  readonly at: Instant; readonly total: bigint; readonly currency: Currency; readonly sendable: number
  /** When the total was reserved. Until then no line is sent. */
  readonly heldAt?: Instant
  /** What the total consists of. */
  readonly parts: ReadonlyArray<PricePart>
}

/** The lines with one category and one market, and the sum of their prices in micros. */
export type PricePart = Count & { readonly category: Category; readonly market?: string }

/** The fields of a batch that are not columns of a table, as a text, for a storage; `readBatch` reads it. */
export const writeBatch = ({ confirmed, ...batch }: Batch): string => JSON.stringify({
  ...batch,
  ...(confirmed && {
    confirmed: {
      ...confirmed, total: String(confirmed.total), parts: confirmed.parts.map((part) => ({ ...part, micros: String(part.micros) })),
    },
  }),
})

type WrittenBatch = Omit<Batch, 'confirmed'> & { readonly confirmed?: WrittenConfirmed }
type WrittenConfirmed = Omit<Confirmed, 'total' | 'parts'> & {
  readonly total: string; readonly parts: ReadonlyArray<Omit<PricePart, 'micros'> & { readonly micros: string }>
}

/** The batch from which `writeBatch` made a text. */
export const readBatch = (text: string): Batch => {
  const { confirmed, ...batch } = parseExactJson(text) as WrittenBatch
  return {
    ...batch,
    ...(confirmed && {
      confirmed: {
        ...confirmed, total: BigInt(confirmed.total), parts: confirmed.parts.map((part) => ({ ...part, micros: BigInt(part.micros) })),
      },
    }),
  }
}

/** Why a batch is paused. `person`: a person or a key paused it. The others: its brake did. */
export const PAUSE_REASONS = [
  'person', 'failures', 'spam_rate_limit', 'utility_restricted', 'template_paused', 'quality_red', 'account_restricted', 'unavailable',
] as const

/** Why a batch is paused. */
export type PauseReason = (typeof PAUSE_REASONS)[number]

/** A line as it was given. Its number is that of the file: the head of a CSV is line 1. */
export type NewLine = {
  readonly line: number
  /** The customer as given, at most `MAX_GIVEN_TO_LENGTH` characters; it need not be a valid id. */
  readonly to: string
  readonly content?: LineContent
  /** Why it cannot be sent, if that was known when it was read. */
  readonly problem?: LineProblemCode
}

/** The maximum number of characters of a line's `to` that are kept, in UTF-16 units. */
export const MAX_GIVEN_TO_LENGTH = 255

/** What a line says to its customer, which is personal data. It is encrypted at rest and deleted some time after the batch has ended. */
export type LineContent = {
  readonly components?: ReadonlyArray<JsonObject>; readonly metadata?: Metadata
  /** The IANA name of the customer's time zone, if the line names it. */
  readonly timezone?: string
}

/** Why a line is not sent, for programs: a code of the API, such as `invalid_recipient`, `duplicate_recipient`, `customer_opted_out` or `queue_expired`. */
export type LineProblemCode = string

/** The problem of a line whose customer was erased before it had a message. */
export const CUSTOMER_ERASED: LineProblemCode = 'customer_erased'

/**
 * The customer of a line, as `recordKeyOf` returns it, so that the lines of a person are found however they write the number; `undefined` if `to` is not an id in any
 * notation.
 */
export const customerOfLine = (to: string): CustomerId | undefined => {
  const read = parseCustomerId(to)
  const id = E.isRight(read) ? read.right : read.left.meant
  return id === undefined ? undefined : recordKeyOf(id)
}

/** What a check found of a line: its rate, or its problem. Amounts in micros. */
export type CheckedLine = { readonly line: number } & (
  | { readonly problem: LineProblemCode; readonly rate?: undefined }
  | { readonly problem?: undefined; readonly rate: LineRate }
)

/** What a line costs. Amounts in micros. */
export type LineRate = {
  readonly micros: bigint; readonly category: Category
  /** What the platform charges, where it differs from the price. */
  readonly cost?: bigint
  readonly market?: string
}

/** A line as it is stored. */
export type StoredLine = NewLine & {
  /** What the last check found; absent before it, and if the line has a problem. */
  readonly rate?: LineRate
  /** The message that was assigned to it. Only with `isOpened` is it sure that the message exists. */
  readonly message?: MessageId
  readonly isOpened?: true
}

/** The lines to read, in the order of their numbers, after the line of a given number. */
export type LinesQuery = {
  readonly after: number; readonly limit: number
  /** `assigned`: lines without a problem, with a message that is not known to exist. `sendable`: lines with a rate and without a message. All lines if absent. */
  readonly only?: 'assigned' | 'sendable'
}

/** How many lines a batch has, in micros and by their outcomes. */
export type BatchCounts = {
  readonly lines: number
  /** Lines with a problem, by its code. */
  readonly problems: ReadonlyMap<LineProblemCode, number>
  /** Lines with a rate whose message does not exist yet, and the sum of their prices. */
  readonly unsent: Count
  /** The others, by the states of their messages. */
  readonly states: ReadonlyMap<MessageState, Count>
  /** How many messages failed or were refused, by the code of their error. */
  readonly failures: ReadonlyMap<FailureCode, number>
}

/** The code of the error of a message, as `errorCodeOf` returns it; `unknown` if the error has none. */
export type FailureCode = number | OwnErrorCode | 'unknown'

/** The code of an error. */
export const failureCodeOf = (error: JsonObject | undefined): FailureCode => errorCodeOf(error) ?? 'unknown'

/** A number of lines, and the sum of their prices in micros. */
export type Count = { readonly lines: number; readonly micros: bigint }

/** The workspace has no batch of this id. */
export type NoSuchBatch = { readonly _tag: 'NoSuchBatch'; readonly id: string }

/** The state of a batch does not allow what was requested. */
export type WrongBatchState = { readonly _tag: 'WrongBatchState'; readonly id: BatchId; readonly state: BatchState }

/** A batch of a workspace. */
export type BatchRef = { readonly workspace: WorkspaceId; readonly batch: BatchId }

/** A change of a batch, which applies only if the batch is in one of the states of `from`, and meets the other conditions that are given. */
export type BatchChange = BatchRef & {
  readonly from: ReadonlyArray<BatchState>
  readonly upload?: number
  /** Whether its total is reserved: `confirmed` has `heldAt`. */
  readonly isHeld?: boolean
  /** The total that was confirmed, in micros. */
  readonly total?: bigint
  /** The fields that it changes. `undefined` removes a field. */
  readonly set: Partial<{ readonly [Field in MovingField]: Batch[Field] | undefined }>
}

/** The fields of a batch that change after it was made. `state` and `upload` are never removed, and `request` is only removed. */
export type MovingField =
  | 'state' | 'upload' | 'pausedBecause' | 'confirmed' | 'brakeSince' | 'waveUntil' | 'endedAt' | 'settledAt' | 'request'

/**
 * The batches of all workspaces and their lines.
 *
 * Only the content of lines is encrypted at rest. The state of a message is not stored here: `counts` asks the messages of the same storage.
 */
export interface Batches {
  /**
   * Stores a new draft, without lines, unless it exists or the workspace has a batch with the same `request.key`, whatever the digest: that batch stays as it is. Right: the batch that is stored. Of
   * concurrent calls with one key one stores its batch. `outboxEntries` is called if the given one was stored, and its entries are stored in the same step.
   */
  readonly create: (batch: Batch, outboxEntries?: MakeOutboxEntries<Batch>) => Promise<E.Either<PortFailure, Batch>>
  /** The batch of a workspace with a `request.key`; none if no batch has it, or if a change has removed `request` from it. */
  readonly findByRequest: (workspace: WorkspaceId, key: string) => Promise<E.Either<PortFailure, Option<Batch>>>
  readonly find: (of: BatchRef) => Promise<E.Either<PortFailure, Option<Batch>>>
  /** The workspace of a batch; none if no workspace has it. */
  readonly ownerOf: (batch: BatchId) => Promise<E.Either<PortFailure, Option<WorkspaceId>>>
  /** The batches of a workspace, newest first by their ids. An unknown cursor never fails. */
  readonly list: (workspace: WorkspaceId, query: PageQuery) => Promise<E.Either<PortFailure, Page<Batch>>>
  /** The batches of all workspaces that are neither drafts nor settled, in the order of their ids, after a given one; at most `limit`. */
  readonly open: (query: { readonly after?: BatchId; readonly limit: number }) => Promise<E.Either<PortFailure, ReadonlyArray<Batch>>>
  /**
   * Changes a batch. Right: the batch after it; none if the change did not apply, because the batch has another state, upload or total, is reserved or is not, or does not exist. Of concurrent changes from
   * one state to others one applies. `outboxEntries` is called with the batch after the change, and its entries are stored in the same step.
   */
  readonly change: (change: BatchChange, outboxEntries?: MakeOutboxEntries<Batch>) => Promise<E.Either<PortFailure, Option<Batch>>>
  /**
   * Adds lines to an upload of a draft. Lines of one upload have different numbers; a line that exists in it stays as it is. They count once `change` has made it the
   * upload of the batch. Nothing is added to a batch that is no draft any more or does not exist.
   */
  readonly append: (of: BatchRef, upload: number, lines: ReadonlyArray<NewLine>) => Promise<E.Either<PortFailure, void>>
  /** Deletes the lines of other uploads than the given one, at most `limit`. Right: how many. */
  readonly removeOthers: (of: BatchRef, upload: number, limit: number) => Promise<E.Either<PortFailure, number>>
  /** Lines of an upload. */
  readonly lines: (of: BatchRef, upload: number, query: LinesQuery) => Promise<E.Either<PortFailure, ReadonlyArray<StoredLine>>>
  /**
   * Stores what a check found of lines of an upload, as long as the batch is a draft. A later check replaces what an earlier one found, and a line with a message stays as it
   * is. Right: whether the batch was a draft. Once a change from `draft` has taken effect, no call writes.
   */
  readonly noteChecked: (of: BatchRef, upload: number, lines: ReadonlyArray<CheckedLine>) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Assigns messages to lines. A line that has one keeps it, and a line without a rate gets none. Right: the lines that have got their message by this call. Concurrent calls assign one
   * message to each line.
   */
  readonly assign: (
    of: BatchRef, upload: number, lines: ReadonlyArray<{ readonly line: number; readonly message: MessageId }>,
  ) => Promise<E.Either<PortFailure, ReadonlyArray<number>>>
  /** Notes that the messages of lines exist. */
  readonly noteOpened: (of: BatchRef, upload: number, lines: ReadonlyArray<number>) => Promise<E.Either<PortFailure, void>>
  /** Gives a problem to each line that has neither a message nor a problem. */
  readonly endUnsent: (of: BatchRef, upload: number, problem: LineProblemCode) => Promise<E.Either<PortFailure, void>>
  /** The messages of the lines with the highest numbers that are neither `queued` nor `pending`, at most `limit`. */
  readonly lastSent: (of: BatchRef, upload: number, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<MessageId>>>
  /** Counts the lines of an upload. */
  readonly counts: (of: BatchRef, upload: number) => Promise<E.Either<PortFailure, BatchCounts>>
  /**
   * Deletes the contents of the lines of batches that ended before a given time, at most `limit` lines. Right: how many. From then on a batch with a content that was deleted is read
   * with `contentsDeleted`.
   */
  readonly forgetContents: (endedBefore: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}
