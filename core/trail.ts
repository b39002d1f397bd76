import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ApiKey, KeyStore } from './access/keys.js'
import { type CustomerId, everyIdOf, othersUpTo, recordKeyOf } from './customers/customer.js'
import { makeShowCustomer, type ShowCustomerDeps, type ShownCustomer } from './customers/use-cases.js'
import type { DeliveryAttempt } from './events/delivery.js'
import type { EventEndpoint, EventEndpoints } from './events/endpoint.js'
import type { PortFailure } from './kernel/failure.js'
import type { EventId, WorkspaceId } from './kernel/ids.js'
import { isJsonObject, type JsonObject, type PageQuery } from './kernel/json.js'
import type { EventType, StoredEvent } from './kernel/outbox.js'
import type { Instant } from './kernel/time.js'
import type { Workspaces } from './kernel/workspace.js'
import { makeListMessages, type MessageLog } from './messages/message-log.js'
import { isMessageId, type MessageId, type MessageRecord, type NoSuchMessage } from './messages/message.js'
import type { Entry } from './money/ledger.js'

/**
 * What is stored of a message besides its record: the moves of its money, and its events with their deliveries.
 *
 * No index need lead from a message to them, because it would cost every send. An adapter without one looks near the moments of the query, and at the newest
 * of the workspace: at `LOOKED_AT_NEAR` records each. So in a busy workspace something may be missing; what is given is always of the message.
 */
export interface MessageTrail {
  /** The entries of the workspace's wallet about the message, oldest first by their ids. The entry of its hold is never missing. */
  readonly entries: (query: TrailQuery) => Promise<E.Either<PortFailure, ReadonlyArray<Entry>>>
  /** The events about the message, oldest first, each with the attempts to deliver it to the workspace's endpoints, oldest first by their ids. */
  readonly events: (query: TrailQuery) => Promise<E.Either<PortFailure, ReadonlyArray<TrailEvent>>>
  /** The events of the type `message.received` about a customer, newest first by their places among the events, each with its content where that is still stored. */
  readonly received: (query: ReceivedQuery) => Promise<E.Either<PortFailure, ReadonlyArray<StoredEvent>>>
}

/** What a customer wrote, who is named by any of some ids, and the moments near which the customer wrote. */
export type ReceivedQuery = { readonly workspace: WorkspaceId; readonly customer: ReadonlyArray<CustomerId>; readonly moments: ReadonlyArray<Instant>; readonly limit: number }

/** Which message, and the moments near which something happened to it: when it was opened, and those of its history. */
export type TrailQuery = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly moments: ReadonlyArray<Instant> }

/** An event about a message, and the attempts to deliver it. */
export type TrailEvent = { readonly id: EventId; readonly type: EventType; readonly at: Instant; readonly attempts: ReadonlyArray<DeliveryAttempt> }

/** How many records an adapter without an index looks at near each moment. */
export const LOOKED_AT_NEAR = 5_000

/** Finds a message by its id alone, for an operator, who may see every workspace. */
export type FindMessage = (id: string) => Promise<E.Either<FindMessageError, MessageRecord>>

/** How finding a message can fail. */
export type FindMessageError = NoSuchMessage | PortFailure

/** What finding a message needs. */
export type FindMessageDeps = {
  readonly workspaces: Pick<Workspaces, 'list'>
  readonly messageLog: Pick<MessageLog, 'find'>
}

/** How many workspaces are asked at a time. */
const BATCH = 50

export const makeFindMessage =
  (deps: FindMessageDeps): FindMessage =>
  async (id) => {
    if (!isMessageId(id)) return E.left({ _tag: 'NoSuchMessage', id })
    const workspaces = await deps.workspaces.list()
    if (E.isLeft(workspaces)) return workspaces
    for (let from = 0; from < workspaces.right.length; from += BATCH) {
      const batch = workspaces.right.slice(from, from + BATCH).map((workspace) => workspace.id)
      const found = await findIn(deps, batch, id)
      if (E.isLeft(found)) return found
      if (found.right !== undefined) return E.right(found.right)
    }
    return E.left({ _tag: 'NoSuchMessage', id })
  }

const findIn = async (
  { messageLog }: FindMessageDeps, workspaces: ReadonlyArray<MessageRecord['workspace']>, id: MessageId,
): Promise<E.Either<PortFailure, MessageRecord | undefined>> => {
  const answers = await Promise.all(workspaces.map((workspace) => messageLog.find(workspace, { id })))
  return E.map((found: ReadonlyArray<O.Option<MessageRecord>>) => O.toUndefined(found.find(O.isSome) ?? O.none))(E.sequenceArray(answers))
}

/** Shows one message of a workspace with the moves of its money, its events and their deliveries. */
export type ShowMessage = (workspace: WorkspaceId, id: string) => Promise<E.Either<NoSuchMessage | PortFailure, ShownMessage>>

/** A message, and what is stored of it besides; `endpoints` are those of the workspace now, and `key` the API key that it was sent with, where that is known. */
export type ShownMessage = {
  readonly message: MessageRecord
  readonly key?: Pick<ApiKey, 'id' | 'name'>
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<TrailEvent>
  readonly endpoints: ReadonlyArray<EventEndpoint>
}

/** What showing a message needs. */
export type ShowMessageDeps = {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly keyStore: Pick<KeyStore, 'find'>
  readonly messageTrail: MessageTrail
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
}

export const makeShowMessage =
  ({ keyStore, messageLog, messageTrail, eventEndpoints }: ShowMessageDeps): ShowMessage =>
  async (workspace, id) => {
    const found = isMessageId(id) ? await messageLog.find(workspace, { id }) : E.right(O.none)
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id })
    const message = found.right.value
    const trail = { workspace, message: message.id, moments: message.history.map(({ at }) => at) }
    const [entries, events, endpoints, key] = await Promise.all([
      messageTrail.entries(trail), messageTrail.events(trail), eventEndpoints.list(workspace), message.keyId === undefined ? E.right(O.none) : keyStore.find(message.keyId),
    ])
    if (E.isLeft(entries)) return entries
    if (E.isLeft(events)) return events
    if (E.isLeft(endpoints)) return endpoints
    if (E.isLeft(key)) return key
    return E.right({
      message, entries: entries.right, events: events.right, endpoints: endpoints.right, ...(O.isSome(key.right) && { key: { id: key.right.value.id, name: key.right.value.name } }),
    })
  }

/**
 * Shows a customer with the messages to and from the customer, oldest first: a page of those that were sent, with what the customer wrote in the time that they span.
 *
 * What the customer wrote is there as far as its events are found and stored; what each said is there until it is delivered everywhere.
 */
export type ShowConversation = (workspace: WorkspaceId, id: CustomerId, query: PageQuery) => Promise<E.Either<PortFailure, ShownConversation>>

/** `customer` is absent if nothing is known of the id. `next` is the cursor of the messages before. */
export type ShownConversation = { readonly customer: ShownCustomer | undefined; readonly lines: ReadonlyArray<ConversationLine>; readonly next: string | undefined }

/** A message to the customer, or one that the customer wrote. */
export type ConversationLine =
  | { readonly _tag: 'To'; readonly at: Instant; readonly message: MessageRecord }
  /** `type` is the platform's name of what it is, and `content` what it said; absent where that is not stored, or no longer. */
  | { readonly _tag: 'From'; readonly at: Instant; readonly id: string; readonly type: string; readonly content: JsonObject | undefined }

/** What showing a conversation needs. */
export type ShowConversationDeps = ShowCustomerDeps & { readonly messageLog: Pick<MessageLog, 'list'>; readonly messageTrail: Pick<MessageTrail, 'received'> }

/** The most messages of a customer that are looked at. */
const RECEIVED = 200

export const makeShowConversation =
  (deps: ShowConversationDeps): ShowConversation =>
  async (workspace, id, query) => {
    const [shown, sent] = await Promise.all([makeShowCustomer(deps)(workspace, id), makeListMessages(deps)(workspace, { ...query, to: id })])
    if (E.isLeft(shown)) return shown
    if (E.isLeft(sent)) return sent
    const customer = O.toUndefined(shown.right)
    const { items, next } = sent.right
    const wrote = customer?.lastInbound ?? O.none
    const received = O.isNone(wrote) ? E.right([]) : await deps.messageTrail.received({
      workspace, customer: customer === undefined ? [id] : everyIdOf(customer), moments: [wrote.value, ...items.map(({ createdAt }) => createdAt)].slice(0, MOMENTS), limit: RECEIVED,
    })
    if (E.isLeft(received)) return received
    const [newest, oldest] = [items[0]?.createdAt, items.at(-1)?.createdAt]
    const from = next === undefined || oldest === undefined ? -Infinity : oldest
    const until = query.cursor === undefined || newest === undefined ? Infinity : newest
    const isTheirs = (subject: CustomerId, at: Instant): boolean =>
      customer === undefined || recordKeyOf(subject) === recordKeyOf(id) || at > (othersUpTo(customer, subject) ?? -Infinity)
    const lines = [
      ...items.map((message): ConversationLine => ({ _tag: 'To', at: message.createdAt, message })),
      ...received.right.filter(({ subject, at }) => isTheirs(subject as CustomerId, at)).map(lineOf).filter(({ at }) => at >= from && at <= until),
    ]
    return E.right({ customer, lines: lines.sort((a, b) => a.at - b.at), next })
  }

/** Near how many moments what a customer wrote is looked for: each costs a look. */
const MOMENTS = 5

const lineOf = ({ id, at, data, content }: StoredEvent): ConversationLine => {
  const [platformId, type, wroteAt] = ['id', 'type', 'at'].map((name) => data[name]).map((value) => (typeof value === 'string' ? value : ''))
  const [stated, said] = [Date.parse(wroteAt ?? ''), content?.['content']]
  return { _tag: 'From', id: platformId || id, at: Number.isNaN(stated) ? at : stated, type: type ?? '', content: isJsonObject(said) ? said : undefined }
}
