import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ApiKey, KeyStore } from './access/keys.js'
import { type CustomerId, everyIdOf, othersUpTo, recordKeyOf } from './customers/customer.js'
import {
  type ListOpenWindows, type ListOpenWindowsDeps, makeListOpenWindows, makeShowCustomer, type OpenWindow, type ShowCustomerDeps,
  type ShownCustomer,
} from './customers/use-cases.js'
import type { DeliveryAttempt } from './events/delivery.js'
import type { EventEndpoint, EventEndpoints } from './events/endpoint.js'
import type { PortFailure } from './kernel/failure.js'
import type { EventId, WorkspaceId } from './kernel/ids.js'
import { isJsonObject, type JsonObject } from './kernel/json.js'
import type { Page, PageQuery } from './kernel/page.js'
import type { EventType, StoredEvent } from './kernel/outbox.js'
import type { Instant } from './kernel/time.js'
import type { Workspaces } from './kernel/workspace.js'
import { makeListMessages, type MessageLog } from './messages/message-log.js'
import { isMessageId, type MessageId, type MessageRecord, type NoSuchMessage } from './messages/message.js'
import type { Entry } from './money/ledger.js'
import { type SenderId, senderIdOf } from './senders/sender.js'

/**
 * The stored data about a message apart from its record: the movements of its money, and its events with their deliveries.
 *
 * No index needs to lead from a message to them, because it would slow down every send. An adapter without one looks near the times in the query, and at the newest
 * records of the workspace: at `LOOKED_AT_NEAR` records each. So in a busy workspace some records may be missing; every returned record belongs to the message.
 */
export interface MessageTimeline {
  /** The entries of the workspace's wallet about the message, oldest first by their ids. The entry of its hold is always included. */
  readonly entries: (query: TimelineQuery) => Promise<E.Either<PortFailure, ReadonlyArray<Entry>>>
  /** The events about the message, oldest first, each with the attempts to deliver it to the workspace's endpoints, oldest first by their ids. */
  readonly events: (query: TimelineQuery) => Promise<E.Either<PortFailure, ReadonlyArray<TimelineEvent>>>
  /** The events of the type `message.received` about a customer, newest first by their positions, each with its content if that is still stored. */
  readonly received: (query: ReceivedQuery) => Promise<E.Either<PortFailure, ReadonlyArray<StoredEvent>>>
}

/** A query for a customer's messages: the ids of the customer, and the times near which the customer wrote. */
export type ReceivedQuery = {
  readonly workspace: WorkspaceId
  readonly customer: ReadonlyArray<CustomerId>
  readonly moments: ReadonlyArray<Instant>
  readonly limit: number
}

/** The message, and the times near which something happened to it: when it was opened, and the times in its history. */
export type TimelineQuery = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly moments: ReadonlyArray<Instant> }

/** An event about a message, and the attempts to deliver it. */
export type TimelineEvent = {
  readonly id: EventId
  readonly type: EventType
  readonly at: Instant
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** The number of records that an adapter without an index looks at near each time. */
export const LOOKED_AT_NEAR = 5_000

/** Finds a message by its id alone, for an operator, who may see every workspace. */
export type FindMessage = (id: string) => Promise<E.Either<FindMessageError, MessageRecord>>

/** How finding a message can fail. */
export type FindMessageError = NoSuchMessage | PortFailure

/** The dependencies of finding a message. */
export type FindMessageDeps = {
  readonly workspaces: Pick<Workspaces, 'list'>
  readonly messageLog: Pick<MessageLog, 'find'>
}

/** The number of workspaces that are searched at a time. */
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

/** Shows one message of a workspace with the movements of its money, its events and their deliveries. */
export type ShowMessage = (workspace: WorkspaceId, id: string) => Promise<E.Either<NoSuchMessage | PortFailure, ShownMessage>>

/** A message with the other stored data about it; `endpoints` are the current ones of the workspace, and `key` is the API key that sent it, if that is known. */
export type ShownMessage = {
  readonly message: MessageRecord
  readonly key?: Pick<ApiKey, 'id' | 'name'>
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<TimelineEvent>
  readonly endpoints: ReadonlyArray<EventEndpoint>
}

/** The dependencies of showing a message. */
export type ShowMessageDeps = {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly keyStore: Pick<KeyStore, 'find'>
  readonly messageTimeline: MessageTimeline
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
}

export const makeShowMessage =
  ({ keyStore, messageLog, messageTimeline, eventEndpoints }: ShowMessageDeps): ShowMessage =>
  async (workspace, id) => {
    const found = isMessageId(id) ? await messageLog.find(workspace, { id }) : E.right(O.none)
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id })
    const message = found.right.value
    const timeline = { workspace, message: message.id, moments: message.history.map(({ at }) => at) }
    const [entries, events, endpoints, key] = await Promise.all([
      messageTimeline.entries(timeline), messageTimeline.events(timeline), eventEndpoints.list(workspace),
      message.keyId === undefined ? E.right(O.none) : keyStore.find(message.keyId),
    ])
    if (E.isLeft(entries)) return entries
    if (E.isLeft(events)) return events
    if (E.isLeft(endpoints)) return endpoints
    if (E.isLeft(key)) return key
    return E.right({
      message, entries: entries.right, events: events.right, endpoints: endpoints.right,
      ...(O.isSome(key.right) && { key: { id: key.right.value.id, name: key.right.value.name } }),
    })
  }

/**
 * Shows a customer with the messages to and from the customer, oldest first: a page of sent messages, and the messages that the customer wrote in the same period.
 *
 * The customer's messages are included if their events are found and stored; the content of each is included until it is delivered everywhere.
 */
export type ShowConversation = (
  workspace: WorkspaceId, id: CustomerId, query: PageQuery,
) => Promise<E.Either<PortFailure, ShownConversation>>

/** `customer` is absent if nothing is known of the id. `next` is the cursor of the previous messages. */
export type ShownConversation = {
  readonly customer: ShownCustomer | undefined
  readonly lines: ReadonlyArray<ConversationLine>
  readonly next: string | undefined
}

/** A message to the customer, or a message from the customer. */
export type ConversationLine =
  | { readonly _tag: 'To'; readonly at: Instant; readonly message: MessageRecord }
  /**
   * `type` is the platform's name of the type, `sender` the sender to whom the customer wrote, absent for a message of an earlier version, and `content` the content,
   * absent if it is not stored, or no longer.
   */
  | {
      readonly _tag: 'From'; readonly at: Instant; readonly id: string; readonly type: string; readonly sender?: SenderId
      readonly content: JsonObject | undefined
    }

/** The dependencies of showing a conversation. */
export type ShowConversationDeps = ShowCustomerDeps & {
  readonly messageLog: Pick<MessageLog, 'list'>
  readonly messageTimeline: Pick<MessageTimeline, 'received'>
}

/**
 * Lists the customers of `ListOpenWindows` who have no answer: nothing was sent to them since they last wrote, except messages that were not sent in the end.
 *
 * Each customer on the page costs one read, so the page is as fast in a workspace with many messages. It may have fewer customers than the limit, or none, and
 * still a `next`.
 */
export type ListUnanswered = ListOpenWindows

/** The dependencies of listing customers without an answer. */
export type ListUnansweredDeps = ListOpenWindowsDeps & { readonly messageLog: Pick<MessageLog, 'list'> }

/** The number of the newest messages to a customer among which an answer is looked for. */
const ANSWERS_LOOKED_AT = 5
const NO_ANSWERS: ReadonlySet<MessageRecord['state']> = new Set(['failed', 'refused', 'released'])

export const makeListUnanswered =
  (deps: ListUnansweredDeps): ListUnanswered =>
  async (workspace, query) => {
    const listed = await makeListOpenWindows(deps)(workspace, query)
    if (E.isLeft(listed)) return listed
    const found = E.sequenceArray(await Promise.all(listed.right.items.map(async (customer) => {
      const to = customer.userId ?? customer.phoneNumber
      const sent = await makeListMessages(deps)(workspace, { to, from: customer.lastInbound, limit: ANSWERS_LOOKED_AT })
      return E.map(({ items }: Page<MessageRecord>): ReadonlyArray<OpenWindow> =>
        (items.some(({ state }) => !NO_ANSWERS.has(state)) ? [] : [customer]))(sent)
    })))
    return E.map((customers: ReadonlyArray<ReadonlyArray<OpenWindow>>) => ({ items: customers.flat(), next: listed.right.next }))(found)
  }

/** The maximum number of a customer's messages that are looked at. */
const RECEIVED = 200

export const makeShowConversation =
  (deps: ShowConversationDeps): ShowConversation =>
  async (workspace, id, query) => {
    const [shown, sent] = await Promise.all([
      makeShowCustomer(deps)(workspace, id), makeListMessages(deps)(workspace, { ...query, to: id }),
    ])
    if (E.isLeft(shown)) return shown
    if (E.isLeft(sent)) return sent
    const customer = O.toUndefined(shown.right)
    const { items, next } = sent.right
    const wrote = latestOf(customer)
    const received = O.isNone(wrote) ? E.right([]) : await deps.messageTimeline.received({
      workspace, customer: customer === undefined ? [id] : everyIdOf(customer),
      moments: [wrote.value, ...items.map(({ createdAt }) => createdAt)].slice(0, MOMENTS), limit: RECEIVED,
    })
    if (E.isLeft(received)) return received
    const [newest, oldest] = [items[0]?.createdAt, items.at(-1)?.createdAt]
    const from = next === undefined || oldest === undefined ? -Infinity : oldest
    const until = query.cursor === undefined || newest === undefined ? Infinity : newest
    const isTheirs = (subject: CustomerId, at: Instant): boolean =>
      customer === undefined || recordKeyOf(subject) === recordKeyOf(id) || at > (othersUpTo(customer, subject) ?? -Infinity)
    const lines = [
      ...items.map((message): ConversationLine => ({ _tag: 'To', at: message.createdAt, message })),
      ...received.right.filter(({ subject, at }) => isTheirs(subject as CustomerId, at))
        .map(lineOf)
        .filter(({ at }) => at >= from && at <= until),
    ]
    return E.right({ customer, lines: lines.sort((a, b) => a.at - b.at), next })
  }

/** When a customer last wrote to any sender. */
const latestOf = (customer: ShownCustomer | undefined): O.Option<Instant> => {
  const times = [customer?.lastInbound ?? O.none, ...customer?.senders.map(({ lastInbound }) => lastInbound) ?? []]
    .flatMap((one) => (O.isSome(one) ? [one.value] : []))
  return times.length === 0 ? O.none : O.some(Math.max(...times))
}

/** The number of times near which a customer's messages are searched; each costs a query. */
const MOMENTS = 5

const lineOf = ({ id, at, data, content }: StoredEvent): ConversationLine => {
  const [platformId, type, wroteAt, sender] = ['id', 'type', 'at', 'sender'].map((name) => data[name]).map((value) =>
    typeof value === 'string' ? value : '')
  const [stated, said] = [Date.parse(wroteAt ?? ''), content?.['content']]
  return {
    _tag: 'From', id: platformId || id, at: Number.isNaN(stated) ? at : stated, type: type ?? '',
    ...(sender && { sender: senderIdOf(sender) }), content: isJsonObject(said) ? said : undefined,
  }
}
