import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type CustomerId, everyIdOf, othersUpTo, recordKeyOf } from '../customers/customer.js'
import { findEverywhere, type FindEverywhereDeps } from '../customers/learn.js'
import { parseExactJson } from '../kernel/exact-json.js'
import type { PortFailure } from '../kernel/failure.js'
import { isWorkspaceId, type WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type Category, type Currency, type Price, reportedCategory } from '../kernel/money.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import {
  chosenSender, type SenderDirectory, type SenderId, type SenderLists, type SenderOf, type UnknownSender,
} from '../senders/sender.js'
import {
  type AppliedChange, firstMessageIdAt, FORGOTTEN_PLATFORM_ID, type IdempotencyKey, isMessageId, type MessageId, type MessageRecord,
  type MessageState, messageView, type Metadata, moneyMove, type NewMessage, parsePlatformId, type PlatformId, type StateChange,
} from './message.js'
import { errorCodeOf, type OwnErrorCode } from './own-errors.js'

/** A message reached another state. */
export const messageMoved = ({ message }: MovedMessage): ReadonlyArray<NewEvent> =>
  message.state === 'pending'
    ? []
    : [
        {
          type: `message.${message.state}`, workspace: message.workspace, subject: message.id, data: messageView(message),
          ...(message.trace && { trace: message.trace }),
        },
      ]

/** Charged messages of a workspace, by the category in which they were charged and by the platform's report. */
export type Billed = {
  readonly workspace: WorkspaceId
  readonly currency: Currency
  readonly charged: Category
  /** `reportedCategory` of their `pricing`; `undefined` if the platform has reported none, or not yet. */
  readonly reported: string | undefined
  /** `reportedType` of their `pricing`; `undefined` if the platform has reported none, or an earlier version did not store it. */
  readonly type: string | undefined
  /** The market of their prices; absent if it is not stored. */
  readonly market?: string
  /** The phone number id through which they were sent; absent for messages of an earlier version. */
  readonly sender?: SenderId
  readonly messages: number
  /** The number of them that cost nothing by the rate card. */
  readonly free: number
  /** The sum of their prices. */
  readonly micros: bigint
  /** The sum of what the platform charges for them by the rate card at the time of their sends. */
  readonly cost: bigint
}

/** The type that the platform reports in a message's `pricing`, such as `regular` or `free_customer_service`, in lower case; `undefined` if it names none. */
export const reportedType = (pricing: JsonObject | undefined): string | undefined => {
  const word = pricing?.['type']
  return typeof word === 'string' ? word.toLowerCase() : undefined
}

/** The fields of a record about how it was charged and billed. */
export type Billing = Pick<MessageRecord, 'workspace' | 'state' | 'price' | 'cost' | 'market' | 'pricing' | 'sender'>

/** One message as an entry of its own; `undefined` if it is not charged, because its money is still held or was returned. */
export const billedAs = (
  { workspace, state, price, cost = price.micros, market, pricing, sender }: Billing,
): Billed | undefined =>
  moneyMove(state) !== 'capture' ? undefined : {
    workspace, currency: price.currency, charged: price.category, reported: reportedCategory(pricing), type: reportedType(pricing),
    ...(market !== undefined && { market }), ...(sender !== undefined && { sender }),
    messages: 1, free: cost === 0n ? 1 : 0, micros: price.micros, cost,
  }

/** Entries in which each workspace, currency, category, reported category, reported type, market and sender occurs once. */
export const sumBilled = (entries: Iterable<Billed>): ReadonlyArray<Billed> => {
  const sums = new Map<string, Billed>()
  for (const entry of entries) {
    const { workspace, currency, charged, reported, type, market, sender } = entry
    const key = JSON.stringify([workspace, currency, charged, reported, type, market, sender])
    const { messages, free, micros, cost } = sums.get(key) ?? NOTHING
    sums.set(key, {
      ...entry, messages: messages + entry.messages, free: free + entry.free, micros: micros + entry.micros, cost: cost + entry.cost,
    })
  }
  return [...sums.values()]
}

const NOTHING = { messages: 0, free: 0, micros: 0n, cost: 0n }

/** The number of messages of a workspace that were charged in one category and reported in another. */
export type Recategorised = Pick<Billed, 'workspace' | 'charged' | 'messages'> & { readonly reported: string }

/** The charged messages that the platform reported in a category other than the charged one. */
export const recategorised = (entries: Iterable<Billed>): ReadonlyArray<Recategorised> => {
  const counts = new Map<string, Recategorised>()
  for (const { workspace, charged, reported, messages } of entries) {
    if (reported === undefined || reported === charged) continue
    const key = JSON.stringify([workspace, charged, reported])
    counts.set(key, { workspace, charged, reported, messages: messages + (counts.get(key)?.messages ?? 0) })
  }
  return [...counts.values()]
}

/** Whether the platform bills a message differently from its charge (`otherwiseBilled` is the rule). */
export const isBilledOtherwise = (message: Billing): boolean => {
  const billed = billedAs(message)
  return billed !== undefined && otherwiseBilled(billed) > 0
}

/**
 * The number of messages of an entry that the platform bills differently from their charge: all of them if it reports another category; those that cost something
 * if it reports them as free; those that cost nothing if it reports them as `regular`. A missing report is not a difference.
 */
export const otherwiseBilled = ({ charged, reported, type, messages, free }: Billed): number => {
  if (reported !== undefined && reported !== charged) return messages
  if (isFreeType(type)) return messages - free
  return type === 'regular' ? free : 0
}

/** Whether a type that the platform reports means that the message is not billed. */
export const isFreeType = (type: string | undefined): boolean => type?.startsWith('free') === true

// JSON has no bigint and no undefined.
type WrittenRecord = Omit<MessageRecord, 'price' | 'cost'> & {
  readonly price: Omit<Price, 'micros'> & { readonly micros: string }
  readonly cost?: string
}

/** A record as a text, for a `MessageLog` that stores texts; `readRecord` reads it. */
export const writeRecord = ({ price, cost, ...record }: MessageRecord): string =>
  JSON.stringify({ ...record, price: { ...price, micros: String(price.micros) }, ...(cost !== undefined && { cost: String(cost) }) })

/** The record from which `writeRecord` made a text. Throws a `TypeError` if the text is a different one. */
export const readRecord = (text: string): MessageRecord => {
  const written = parseExactJson(text)
  if (!isWrittenRecord(written)) throw new TypeError('This text is not a message record that writeRecord wrote.')
  const { price, cost, platformId, error, pricing, templateName, language, summary, metadata, ...record } = written
  return {
    ...record, price: { ...price, micros: BigInt(price.micros) }, ...(cost !== undefined && { cost: BigInt(cost) }),
    platformId, error, pricing, templateName, language, summary, metadata,
  }
}

const isWrittenRecord = (value: unknown): value is WrittenRecord =>
  isObject(value) && typeof value['id'] === 'string' && isMessageId(value['id']) && typeof value['workspace'] === 'string'
  && isWorkspaceId(value['workspace']) &&
    typeof value['to'] === 'string' && isObject(value['price']) && typeof value['price']['micros'] === 'string'
      && Array.isArray(value['history'])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

/** Every outbound message and its state. The content of a message and a template's variables are never stored. */
export interface MessageLog {
  /**
   * Stores a message as `pending` and claims its idempotency key, if it has one, in one step.
   *
   * Right `Opened`: both are done. Right `Claimed`: the key guards another message (`claimStands` is the rule), and `sameRequest`
   * says whether its request was the same; nothing was written. Of concurrent opens with one key exactly one is `Opened`. Keys
   * are compared exactly, including letter case, and each workspace has its own. An id that was opened before is a `PortFailure`.
   * Left: it is unknown whether anything was written.
   */
  readonly open: (draft: Draft) => Promise<E.Either<PortFailure, Opening>>
  /** The message that a key guards at a given time, as `open` would return it; none if the key is free. Nothing is written. */
  readonly claimed: (workspace: WorkspaceId, claim: Claim, at: Instant) => Promise<E.Either<PortFailure, Option<Claimed>>>
  /**
   * Writes a change of a message (`applyChange` is the rule). Right: the resulting state and platform's id; none if the
   * workspace has no such message.
   *
   * A change with a platform id other than the recorded one changes nothing. A repeated or late change moves nothing back. The
   * platform's id and `pricing` are kept from the first change that has them, even if it is too late to change the state: a late
   * acceptance still adds the id. An error belongs to the state that it explains, and is removed when the message moves on. The key
   * is freed when the message ends refused or released (`keepsIdempotencyKey`), and stays free even if the message moves on later.
   * Concurrent changes give the same result as in any order.
   *
   * The result of a platform's report, from `sent` on, contains the recipient.
   *
   * If the change moved the state, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly apply: (
    workspace: WorkspaceId, id: MessageId, change: StateChange, outboxEntries?: MakeOutboxEntries<MovedMessage>,
  ) => Promise<E.Either<PortFailure, Option<AppliedChange>>>
  /** One message of a workspace, by our id or the platform's, which are compared exactly. A message is never found from another workspace. */
  readonly find: (workspace: WorkspaceId, by: MessageRef) => Promise<E.Either<PortFailure, Option<MessageRecord>>>
  /**
   * A workspace's messages, newest first by their ids, or with `oldestFirst` in the reverse order; empty if the workspace does not exist.
   *
   * A cursor is the id of its page's last message and continues after it, even if messages were written since. An unknown cursor is
   * compared like an id and never fails. The last page has no next, even if it is full. `look` bounds the work of a query whose filter has no index.
   */
  readonly list: (workspace: WorkspaceId, query: MessageQuery) => Promise<E.Either<PortFailure, Page<MessageRecord>>>
  /** The messages of all workspaces with an unknown outcome that were opened before a given time, oldest first. */
  readonly stale: (query: StaleQuery) => Promise<E.Either<PortFailure, ReadonlyArray<StaleMessage>>>
  /**
   * The charged messages of all workspaces, by their charge and the platform's report: `sumBilled` of each one's `billedAs`. With a period, those that were
   * opened at or after `from` and before `until`.
   */
  readonly billed: (period?: { readonly from: Instant; readonly until: Instant }) => Promise<E.Either<PortFailure, ReadonlyArray<Billed>>>
}

/** A message about to be opened. `message` is included for its kind and target: an adapter does not store its body. */
export type Draft = NewMessage & { readonly claim?: Claim }

/** An idempotency key and the text of its request. An adapter stores only a digest of that text. */
export type Claim = { readonly key: IdempotencyKey; readonly request: string }

/** The result of an open: the message is stored, or its key guards another message. */
export type Opening = { readonly _tag: 'Opened' } | Claimed

/** A key guards another message; `sameRequest` says whether the requests are the same. */
export type Claimed = { readonly _tag: 'Claimed'; readonly by: MessageRecord; readonly sameRequest: boolean }

/** A message whose state was changed: its previous state, and the message after the change. */
export type MovedMessage = { readonly from: MessageState; readonly message: MessageRecord }

/** The id of a message of a workspace: our id or the platform's. */
export type MessageRef = { readonly id: MessageId } | { readonly platformId: PlatformId }

/**
 * The message that a text from outside names, by our id or by an id in any form of a platform; `undefined` if the text cannot be either.
 *
 * An incomplete id of ours is not an id of a platform, and the replacement for the id of a forgotten message names no message.
 */
export const parseMessageRef = (text: string): MessageRef | undefined => {
  if (isMessageId(text)) return { id: text }
  const platformId = parsePlatformId(text)
  return platformId === undefined || platformId === FORGOTTEN_PLATFORM_ID || text.startsWith('msg_') ? undefined : { platformId }
}

/** Messages of a sender: under its present and former ids, and with `orNone` those that name no sender. */
export type SenderFilter = { readonly ids: ReadonlyArray<SenderId>; readonly orNone: boolean }

/** Whether a message is one of a sender's. */
export const isThrough = ({ ids, orNone }: SenderFilter, { sender }: { readonly sender?: SenderId | undefined }): boolean =>
  (sender === undefined ? orNone : ids.includes(sender))

/** The messages to list: all of a workspace, or those that match every filter (`isListed` is the rule). */
export type MessageQuery = PageQuery & {
  /** Messages to a customer, who may have several ids. */
  readonly to?: ReadonlyArray<MessagesTo>
  readonly state?: MessageState
  /** Messages of a sender; `FilterBySender` makes the filter. */
  readonly sender?: SenderFilter | undefined
  /** Messages that the platform bills differently from their charge (`isBilledOtherwise`). */
  readonly billedOtherwise?: true
  /** Messages opened at or after a given time, by the time in their ids. */
  readonly from?: Instant
  /** Messages opened before a given time, by the time in their ids. */
  readonly before?: Instant
  /** Messages of a template, by its exact name. */
  readonly template?: string
  /** Messages with an error of a given code (`errorCodeOf`). */
  readonly errorCode?: number | OwnErrorCode
  /** Messages with all of these notes of the application, among others. */
  readonly metadata?: Metadata
  /** Messages with this value in a note of the application, under any name. */
  readonly reference?: string
  /**
   * The maximum number of messages to look at, in the order of the list, among those to the requested customer and in the requested period. The page may then have fewer messages than the
   * limit, or none, and still a `next` at which the search continues.
   */
  readonly look?: number
  /** Lists the same messages in the reverse order. A cursor then continues with newer messages. */
  readonly oldestFirst?: true
}

/** Messages to an id, opened after a given time if one is given. */
export type MessagesTo = { readonly id: CustomerId; readonly after?: Instant | undefined }

/** The messages of unknown outcome to list: in a state, opened before a given time, at most `limit`. */
export type StaleQuery = { readonly state: 'pending' | 'unconfirmed'; readonly before: Instant; readonly limit: number }

/** A message whose outcome is unknown. */
export type StaleMessage = { readonly workspace: WorkspaceId; readonly id: MessageId }

/** Whether a message matches the filters of a query. */
export const isListed = (filters: MessageFilters, message: MessageRecord): boolean => {
  const { state, sender, billedOtherwise, template, errorCode, metadata, reference } = filters
  return isLookedAt(filters, message) && (state === undefined || message.state === state)
    && (sender === undefined || isThrough(sender, message))
    && (billedOtherwise === undefined || isBilledOtherwise(message))
    && (template === undefined || message.templateName === template)
    && (errorCode === undefined || errorCodeOf(message.error) === errorCode)
    && (metadata === undefined || Object.entries(metadata).every(([name, value]) => message.metadata?.[name] === value))
    && (reference === undefined || Object.values(message.metadata ?? {}).includes(reference))
}

/** Whether a query looks at a message: it is to the requested customer and in the requested period. */
export const isLookedAt = ({ to, from, before }: MessageFilters, { id, to: sentTo, createdAt }: MessageRecord): boolean =>
  (from === undefined || id >= firstMessageIdAt(from)) && (before === undefined || id < firstMessageIdAt(before)) &&
  (to === undefined || to.some((one) => sentTo === one.id && (one.after === undefined || createdAt > one.after)))

/** The filters of a query. */
export type MessageFilters = { readonly [Filter in Exclude<
  keyof MessageQuery, keyof PageQuery | 'look' | 'oldestFirst'
>]?: MessageQuery[Filter] | undefined }

/** Lists messages of a workspace, newest first or oldest first; messages to a customer are found under every id of the customer. */
export type ListMessages = (workspace: WorkspaceId, query: ListMessagesQuery) => Promise<E.Either<PortFailure, Page<MessageRecord>>>

/** The messages to list: all of a workspace, or those that match every filter, of which `to` names one customer. */
export type ListMessagesQuery = PageQuery & {
  readonly to?: CustomerId | undefined; readonly state?: MessageState | undefined
} &
  Pick<MessageQuery, 'sender' | 'from' | 'before' | 'template' | 'errorCode' | 'metadata' | 'reference' | 'look' | 'oldestFirst'>

/** The dependencies of listing messages. */
export type ListMessagesDeps = FindEverywhereDeps & { readonly messageLog: Pick<MessageLog, 'list'> }

export const makeListMessages =
  (deps: ListMessagesDeps): ListMessages =>
  async (workspace, { to: id, state, ...page }) => {
    const filter = state === undefined ? page : { ...page, state }
    if (id === undefined) return deps.messageLog.list(workspace, filter)
    const to = await allIdsOf(deps, workspace, id)
    return E.isLeft(to) ? to : deps.messageLog.list(workspace, { ...filter, to: to.right })
  }

/** The filter for the messages of a sender. `UnknownSender`: the workspace does not have it. */
export type FilterBySender = (of: SenderOf) => Promise<E.Either<UnknownSender | PortFailure, SenderFilter>>

/** The dependencies of making the filter. */
export type FilterBySenderDeps = { readonly senders: Pick<SenderDirectory, 'senderOf'> & Partial<Pick<SenderLists, 'formerIdsOf'>> }

/** Messages of an earlier version belong to the sender that the workspace had alone, which has the workspace's own inbox. */
export const makeFilterBySender =
  ({ senders }: FilterBySenderDeps): FilterBySender =>
  async (of) => {
    const sender = await chosenSender(senders, of)
    if (E.isLeft(sender)) return sender
    const former = await (senders.formerIdsOf?.(of) ?? E.right<PortFailure, ReadonlyArray<SenderId>>([]))
    return E.isLeft(former) ? former : E.right({ ids: [of.sender, ...former.right], orNone: sender.right?.inbox === undefined })
  }

/** Messages to a number other than the requested one count from the time since which that number belongs to this customer. */
const allIdsOf = async (
  deps: ListMessagesDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, ReadonlyArray<MessagesTo>>> => {
  const customers = await findEverywhere(deps, workspace, id)
  if (E.isLeft(customers)) return customers
  const all = new Map<CustomerId, MessagesTo>()
  for (const customer of customers.right) {
    for (const one of everyIdOf(customer)) {
      const after = recordKeyOf(one) === recordKeyOf(id) ? undefined : othersUpTo(customer, one)
      const known = all.get(one)
      // Each inbox knows its own time. The latest is certain for all of them.
      const isLater = known === undefined || (after ?? -Infinity) > (known.after ?? -Infinity)
      if (isLater) all.set(one, after === undefined ? { id: one } : { id: one, after })
    }
  }
  return E.right([...all.values()])
}
