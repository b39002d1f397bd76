import * as E from 'fp-ts/lib/Either.js'
import type { CustomerDigest, CustomerId, CustomerIds, PhoneNumber } from '../customers/customer.js'
import type { Hours } from '../customers/hours.js'
import { hasSecret } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import { csvLine } from '../kernel/csv.js'
import { canonicalJson, type JsonObject } from '../kernel/json.js'
import { formatMicros, type Price } from '../kernel/money.js'
import { isPrintableAscii, isStorable } from '../kernel/text.js'
import { HOUR_MS, type Instant, iso, uuidPrefixOf } from '../kernel/time.js'
import type { Traced } from '../kernel/tracing.js'
import type { SenderId } from '../senders/sender.js'
import { type Content, CONTENT_TYPES, type ContentType, summaryOfContent } from './content.js'
import { errorCodeOf, ownCodeOf, withOwnCode } from './own-errors.js'

/** The idempotency key guards a message that is still under way. */
export type IdempotencyInProgress = { readonly _tag: 'IdempotencyInProgress' }

/** The idempotency key guards another request. */
export type IdempotencyKeyReused = { readonly _tag: 'IdempotencyKeyReused' }

/** No message with that id exists, or it does not belong to the workspace. */
export type NoSuchMessage = { readonly _tag: 'NoSuchMessage'; readonly id: string }

/** The outcome of the message is known, or it may still be on its way; `state` is its current state. */
export type NotUnconfirmed = { readonly _tag: 'NotUnconfirmed'; readonly id: MessageId; readonly state: MessageState }

/** A failure after the message was opened; `replayed` if a repeated request gets it again. */
export type WithMessageId<Failure> = Failure & { readonly messageId: MessageId; readonly replayed: boolean }

/** An idempotency key that is empty, too long, not printable ASCII, or contains a secret such as an API key. */
export type InvalidIdempotencyKey = { readonly _tag: 'InvalidIdempotencyKey' }

/** A message as JSON: the shape that the API, the command line and events share. */
export type MessageView = {
  readonly id: string
  readonly platform_id: string | null
  readonly kind: MessageRecord['kind']
  readonly type: MessageRecord['kind']
  readonly summary: string | null
  readonly sender: string | null
  readonly to: string
  readonly state: MessageState
  readonly price: string
  readonly currency: string
  readonly template_name: string | null
  readonly language: string | null
  readonly metadata: Metadata | null
  readonly error: JsonObject | null
  readonly created_at: string
  readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: string }>
}

/** Shows a message; its text and variables are not in the record. */
export const messageView = (message: MessageRecord): MessageView => ({
  id: message.id,
  platform_id: message.platformId === FORGOTTEN_PLATFORM_ID ? null : (message.platformId ?? null),
  kind: message.kind,
  type: message.kind,
  summary: message.summary ?? null,
  sender: message.sender ?? null,
  to: message.to,
  state: message.state,
  price: formatMicros(message.price.micros),
  currency: message.price.currency,
  template_name: message.templateName ?? null,
  language: message.language ?? null,
  metadata: message.metadata ?? null,
  error: withOwnCode(message.error) ?? null,
  created_at: iso(message.createdAt),
  history: message.history.map(({ state, at }) => ({ state, at: iso(at) })),
})

/** The first line of a CSV file of messages, with its line end. */
export const MESSAGES_CSV_HEADER = csvLine([
  'id', 'platform_id', 'at', 'to', 'kind', 'summary', 'template', 'language', 'state', 'error', 'category', 'price', 'charged', 'currency',
  'metadata',
])

/** One line of a CSV file of messages, with its line end. The timestamp is in UTC (ISO 8601). `charged` is the price if the message is charged in its state, otherwise zero. */
export const messageCsvLine = (message: MessageRecord): string => {
  const { price: { category, micros, currency }, state, error, metadata } = message
  const view = messageView(message)
  return csvLine([
    view.id, view.platform_id ?? '', view.created_at, view.to, view.kind, view.summary ?? '', view.template_name ?? '', view.language ?? '',
    state, String(errorCodeOf(error) ?? ''), category, formatMicros(micros), formatMicros(moneyMove(state) === 'capture' ? micros : 0n),
    currency, metadata === undefined ? '' : JSON.stringify(metadata),
  ])
}

/** Replaces the platform's id of a forgotten message, because the platform writes the recipient's number into it. */
export const FORGOTTEN_PLATFORM_ID = 'forgotten' as PlatformId

/** The part of an error that is kept for a forgotten message: its code, because its sentences may quote the recipient. */
export const forgottenError = (error: JsonObject | undefined): JsonObject | undefined => {
  const own = ownCodeOf(error)
  if (own !== undefined) return { code: own }
  return typeof error?.['code'] === 'number' ? { code: error['code'] } : undefined
}

/** Our id of a message, unique across workspaces: `msg_` and 32 lowercase hexadecimal digits of a UUIDv7, so that ids sort by time. */
export type MessageId = string & { readonly MessageId: unique symbol }

/** The platform's id of a message, on WhatsApp `wamid.…`. Opaque; a WhatsApp id contains a phone number, so it is personal data. */
export type PlatformId = string & { readonly PlatformId: unique symbol }

/** The message of a customer or of the workspace that a message quotes, in the platform's form. */
export type Context = { readonly message_id: PlatformId }

/** Notes of an application on a message, for its own use. They are never sent to the platform. */
export type Metadata = Readonly<Record<string, string>>

/** The fields that every message may have. */
export type Addressed = { readonly to: CustomerId; readonly context?: Context; readonly metadata?: Metadata }

/** Free text, which the platform delivers only while the customer service window is open. */
export type TextMessage = Addressed & { readonly _tag: 'Text'; readonly text: string }

/** Free-form content of any type. The content is the platform's own object, which is passed on unchanged; `checkContent` tells whether it is within the limits of its type. */
export type ContentMessage = Addressed & {
  readonly _tag: 'Content'
  readonly type: ContentType
  readonly content: Content
  /** The SHA-256 of the file that was uploaded for it. It identifies a repeated request, because another upload would have another id. */
  readonly file?: string
}

/** An approved template with its variables, which may be sent at any time. */
export type TemplateMessage = Addressed & {
  readonly _tag: 'Template'
  readonly name: string
  readonly language: string
  /** Passed on unchanged. */
  readonly components?: ReadonlyArray<JsonObject>
}

/** A message that needs an open customer service window. */
export type FreeFormMessage = TextMessage | ContentMessage

/** A message that can be sent. */
export type Message = FreeFormMessage | TemplateMessage

/** The platform's answer to a message that it accepted: its id, and, if the answer names them, the ids of the customer and the number to which they belong. */
export type Accepted = { readonly platformId: PlatformId; readonly customer?: CustomerIds; readonly dialled?: PhoneNumber }

/** A message that the platform accepted; `replayed` if an earlier request with the same idempotency key had sent it. */
export type Sent = { readonly id: MessageId; readonly platformId: PlatformId; readonly replayed: boolean }

/** The language of a template if the caller names none. */
export const DEFAULT_LANGUAGE = 'en'

/** A template as a caller requests it. */
export type NewTemplateMessage = Addressed & {
  /** The exact name of the template, 1 to `MAX_TEMPLATE_NAME_LENGTH` characters. */
  readonly name: string
  /** Passed on unchanged, 1 to `MAX_LANGUAGE_LENGTH` characters; `DEFAULT_LANGUAGE` if absent. */
  readonly language?: string
  readonly components?: ReadonlyArray<JsonObject>
}

/** The message that a caller requests. */
export const templateMessage = ({
  to, name, language = DEFAULT_LANGUAGE, components, context, metadata,
}: NewTemplateMessage): TemplateMessage =>
  ({ _tag: 'Template', to, name, language, ...(components && { components }), ...(context && { context }), ...(metadata && { metadata }) })

/** The maximum length of a template's name, in UTF-16 units. */
export const MAX_TEMPLATE_NAME_LENGTH = 512

/** The maximum length of the code of a template's language, in UTF-16 units. */
export const MAX_LANGUAGE_LENGTH = 64

/** Whether a text can be the name of a template: 1 to `MAX_TEMPLATE_NAME_LENGTH` UTF-16 units without control characters. */
export const isTemplateName = (text: string): boolean => isStorable(text, MAX_TEMPLATE_NAME_LENGTH)

/** Whether a text can be the code of a template's language: 1 to `MAX_LANGUAGE_LENGTH` UTF-16 units without control characters. */
export const isTemplateLanguage = (text: string): boolean => isStorable(text, MAX_LANGUAGE_LENGTH)

/** The form of a message's id. */
export const MESSAGE_ID_FORM = /^msg_[0-9a-f]{32}$/

/** The form of a platform's id of a message. WhatsApp ids have 48 to 56 characters after their prefix; an id of more than 255 characters is not stored. */
export const PLATFORM_ID_FORM = /^[!-~]{1,255}$/

/** The platform's id of a message, if the value can be one. */
export const parsePlatformId = (value: unknown): PlatformId | undefined =>
  typeof value === 'string' && PLATFORM_ID_FORM.test(value) ? (value as PlatformId) : undefined

/** Whether a text has the form of a message's id. */
export const isMessageId = (text: string): text is MessageId => MESSAGE_ID_FORM.test(text)

/** The message id of a UUIDv7, without its dashes. */
export const messageIdOf = (uuid: string): MessageId => `msg_${uuid.replaceAll('-', '')}` as MessageId

/** The smallest text that an id of a message of a given time or later can have. */
export const firstMessageIdAt = (at: Instant): string => `msg_${uuidPrefixOf(at)}`

/** The time in the id of a message, which is when it was opened. */
export const messageTime = (id: MessageId): Instant => Number.parseInt(id.slice('msg_'.length, 'msg_'.length + 12), 16)

/** A text that is equal for two messages exactly if both request the same send. */
export const requestOf = (message: Message, sender?: SenderId, confirmWithinMs?: number): string => {
  const content = canonicalJson(message._tag === 'Content' && message.file !== undefined ? withoutMediaId(message) : message)
  return `${content}${sender ?? ''}${confirmWithinMs === undefined ? '' : ` confirmed within ${confirmWithinMs}`}`
}

const withoutMediaId = ({ content, ...message }: ContentMessage): JsonObject => ({ ...message, content: { ...content, id: null } })

/**
 * The states of a message, each before its possible next states.
 *
 * `queued` waits for its time; `pending` is stored and may have been sent; `unconfirmed` may or may not have been sent; `refused` was never sent;
 * `released` was given up; `canceled` was taken back while it was queued; `accepted` by the platform. The platform reports `sent`, `failed`, `delivered`, `read` and, only for a voice note, `played` later.
 */
export const MESSAGE_STATES = [
  'queued', 'pending', 'unconfirmed', 'refused', 'released', 'canceled', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played',
] as const

/** The state of a message. */
export type MessageState = (typeof MESSAGE_STATES)[number]

/** A report on a message: its new state, the time, and the other contents of the report. */
export type StateChange = {
  readonly state: Exclude<MessageState, 'queued' | 'pending'>
  readonly at: Instant
  readonly platformId?: PlatformId
  /** Why it was refused or failed; the platform's own error object if the platform reported the failure. */
  readonly error?: JsonObject
  /** The platform's billing data: `pricing` of a status. */
  readonly pricing?: JsonObject
  /** The change applies only to a message in this state. */
  readonly onlyFrom?: 'queued'
}

/** What to do with the money held for a message. */
export type MoneyMove = 'keep' | 'capture' | 'release' | 'refund'

const RANK: Record<MessageState, number> = {
  queued: 0, pending: 0, unconfirmed: 1, refused: 2, released: 2, canceled: 2, accepted: 3, sent: 4, failed: 5, delivered: 6, read: 7,
  played: 8,
}

/**
 * The state after a change: sent < delivered < read < played, and never back.
 *
 * `failed` is final, and changes nothing once the message is known to be delivered. A message that was refused or released
 * moves on if the platform reports on it after all. A queued message can only be refused or canceled, and a canceled one was never sent, so it stays canceled. A
 * repeated or late change changes nothing.
 */
export const merge = (from: MessageState, to: MessageState): MessageState => {
  if (from === 'queued') return to === 'refused' || to === 'canceled' ? to : from
  if (from === 'failed' || from === 'canceled' || to === 'canceled') return from
  return RANK[to] > RANK[from] ? to : from
}

/** Whether a change is added to the message's history: every change of the state is, and so are late `sent`, `delivered` and `read` reports. */
export const entersHistory = (from: MessageState, to: MessageState): boolean =>
  merge(from, to) === to || (RANK[from] >= RANK.sent && from !== 'failed' && (to === 'sent' || to === 'delivered' || to === 'read'))

/** The move of its money that a message's state requires. */
export const moneyMove = (state: MessageState): MoneyMove => {
  switch (state) {
    case 'queued': case 'pending': case 'unconfirmed': return 'keep'
    case 'accepted': case 'sent': case 'delivered': case 'read': case 'played': return 'capture'
    case 'refused': case 'released': case 'canceled': return 'release'
    case 'failed': return 'refund'
  }
}

/**
 * Whether the idempotency key keeps guarding the message, because it was or may have been sent, or will be. A canceled message keeps its key, so that a late
 * repetition of its request does not send it.
 */
export const keepsIdempotencyKey = (state: MessageState): boolean => state !== 'refused' && state !== 'released'

/** When a message left the queue, or when it was opened if it was not queued; `undefined` while it is queued. */
export const pendingSince = ({ history }: Pick<MessageProgress, 'history'>): Instant | undefined =>
  history.find(({ state }) => state === 'pending')?.at

/** Whether it is unknown if the platform accepted the message. */
export const isOutcomeUnknown = (state: MessageState): boolean => state === 'pending' || state === 'unconfirmed'

/** Whether the message has no outcome yet: it is queued, or it is unknown if the platform accepted it. */
export const isUnderWay = (state: MessageState): boolean => state === 'queued' || isOutcomeUnknown(state)

/** The kinds of messages. */
export const MESSAGE_KINDS = [...CONTENT_TYPES, 'template'] as const

/** The kind of a message: the type of its content, or a template. */
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** A message as it is stored. Its text and a template's variables are not part of it. */
export type MessageRecord = MessageProgress & Traced & {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  readonly kind: MessageKind
  /** The sender through which it goes; absent if an earlier version stored the message. */
  readonly sender?: SenderId
  /** The customer's id as the caller gave it; a digest once the person is forgotten. */
  readonly to: CustomerId | CustomerDigest
  /** What the workspace pays. */
  readonly price: Price
  /** What the platform charges by the rate card at the time of the send, in micros; absent if an earlier version stored the message, or for its price. */
  readonly cost?: bigint
  /** The market of the price on the rate card; absent if the price has none, or if an earlier version stored the message. */
  readonly market?: string
  readonly templateName: string | undefined
  readonly language: string | undefined
  /** `summaryOf` the message; an earlier version did not keep it. */
  readonly summary: string | undefined
  /** The application's notes; removed once the person is forgotten, because they may name the person. */
  readonly metadata: Metadata | undefined
  /** The id of the API key that sent it; absent if a person sent it in the console, or if an earlier version stored it. */
  readonly keyId?: string
  readonly createdAt: Instant
}

/** The part of a record that changes after the message was opened. */
export type MessageProgress = {
  readonly platformId: PlatformId | undefined
  readonly state: MessageState
  readonly error: JsonObject | undefined
  /** The platform's billing data, unchanged. */
  readonly pricing: JsonObject | undefined
  /**
   * The states in which the message was reported, and when, each before its possible next states. Each appears once, including `pending` at `createdAt`, or
   * `queued` at `createdAt` and `pending` when it left the queue.
   *
   * `entersHistory` defines which states are kept, so a report that came too late to change the state may be included. The timestamps need not be in order: the platform's
   * are whole seconds of its own clock, so a message may be `sent` in the second in which it was `accepted`, and before it.
   */
  readonly history: ReadonlyArray<HistoryEntry>
}

/** A state, and when the message reached it. */
export type HistoryEntry = { readonly state: MessageState; readonly at: Instant }

/** The fields from which a record is opened. */
export type NewMessage = Traced & {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  /** The sender through which it goes. */
  readonly sender?: SenderId
  readonly message: Message
  readonly price: Price
  /** What the platform charges by the rate card, in micros; absent if it is the price. */
  readonly cost?: bigint
  /** The market of the price, if it has one. */
  readonly market?: string
  readonly at: Instant
  /** The id of the API key that sends it, if there is one. */
  readonly keyId?: string
  /** Until when it has to be delivered, if its delivery is awaited (`DeliveryDeadlines`). It is not part of the record. */
  readonly confirmBy?: Instant
  /** Its place in the queue; absent if it is sent immediately. */
  readonly queue?: QueuePlace
}

/** The place of a message in the queue. */
export type QueuePlace = {
  /** The time before which it is not sent. */
  readonly dueAt: Instant
  /** The first of these times, if the message was postponed since. Only the storage sets it. */
  readonly firstDueAt?: Instant
  /** The time from which it is not sent any more. */
  readonly endsAt: Instant
  /** The limit of the API key that queued it, in micros, if it has one. */
  readonly spending?: { readonly key: string; readonly limit: bigint }
  /** The hours in which it may be sent, if it has any. */
  readonly hours?: Hours
  /** Whether it belongs to a batch, so that the other messages of its sender are sent before it. */
  readonly isBatch?: boolean
  /** The batch to which it belongs. */
  readonly batch?: BatchId
  /** Whether its price is reserved when it is queued, and not when it is due. */
  readonly isHeld?: boolean
}

/** The record of a message that is opened: `pending`, or `queued` if it has a place in the queue, and without the message's content. */
export const openRecord = ({
  id, workspace, sender, message, price, cost, market, at, trace, keyId, queue,
}: NewMessage): MessageRecord => ({
  id, workspace, price, ...contentOf(message), summary: summaryOf(message), metadata: message.metadata, to: message.to, createdAt: at,
  ...openProgress(at, queue === undefined ? 'pending' : 'queued'),
  ...(cost !== undefined && { cost }), ...(market !== undefined && { market }), ...(trace && { trace }),
  ...(keyId !== undefined && { keyId }), ...(sender !== undefined && { sender }),
})

/** A message without personal data; its price, its state and its history stay. */
export const forgetMessage = ({ trace: _trace, ...message }: MessageRecord, to: CustomerDigest): MessageRecord => ({
  ...message, to, platformId: FORGOTTEN_PLATFORM_ID, error: forgottenError(message.error), metadata: undefined,
})

/** The progress of a message that is opened at a given time. */
export const openProgress = (at: Instant, state: 'pending' | 'queued' = 'pending'): MessageProgress => ({
  platformId: undefined, state, error: undefined, pricing: undefined, history: [{ state, at }],
})

/** A queued message that leaves the queue at a given time, and from then on may have been sent. */
export const leaveQueue = <Progress extends MessageProgress>(before: Progress, at: Instant): Progress =>
  ({ ...before, state: 'pending', history: [...before.history, { state: 'pending', at }] })

/** A message after a change: its state, the known platform's id, and its recipient, which only reports of the platform need. */
export type AppliedChange = Pick<MessageProgress, 'state' | 'platformId'> & { readonly to?: MessageRecord['to'] }

/** The result of a change of a message; `to` if it is known without another read. */
export const appliedChange = ({ state, platformId, to }: MessageProgress & {
  readonly to?: MessageRecord['to'] | undefined
}): AppliedChange =>
  ({ state, platformId, ...(to !== undefined && { to }) })

/**
 * Whether a change names another message of the platform than the recorded one, so that it is not about this message.
 *
 * The platform's id of a forgotten message is no longer known, so every change that names it by our id is about it.
 */
export const namesAnother = ({ platformId }: Pick<MessageProgress, 'platformId'>, change: Pick<StateChange, 'platformId'>): boolean =>
  platformId !== undefined && platformId !== FORGOTTEN_PLATFORM_ID && change.platformId !== undefined && change.platformId !== platformId

/**
 * A message after a change. A change that names another platform id than the recorded one changes nothing, and neither does a change for another state.
 *
 * An error belongs to the state it explains, and is removed when the message leaves that state. The platform's id and its billing
 * data are kept from the first change that contains them, even one that comes too late to change the state. A forgotten message stays forgotten.
 */
export const applyChange = <Progress extends MessageProgress>(before: Progress, change: StateChange): Progress => {
  if (namesAnother(before, change) || (change.onlyFrom !== undefined && change.onlyFrom !== before.state)) return before
  const state = merge(before.state, change.state)
  return {
    ...before,
    state,
    platformId: before.platformId ?? change.platformId,
    error: state === before.state ? before.error
      : before.platformId === FORGOTTEN_PLATFORM_ID ? forgottenError(change.error)
      : change.error,
    pricing: before.pricing ?? change.pricing,
    history: historyAfter(before, change),
  }
}

/** The stored description of a message; never its text or its variables. */
export const contentOf = (message: Message): Pick<MessageRecord, 'kind' | 'templateName' | 'language'> => {
  switch (message._tag) {
    case 'Text': return { kind: 'text', templateName: undefined, language: undefined }
    case 'Content': return { kind: message.type, templateName: undefined, language: undefined }
    case 'Template': return { kind: 'template', templateName: message.name, language: message.language }
  }
}

/** One line that describes a message without quoting it, such as `list, 3 rows` or `image with caption`. */
export const summaryOf = (message: Message): string => {
  switch (message._tag) {
    case 'Text': return 'text'
    case 'Content': return summaryOfContent(message.type, message.content)
    case 'Template': return 'template'
  }
}

const historyAfter = ({ state, history }: MessageProgress, change: StateChange): MessageProgress['history'] =>
  !entersHistory(state, change.state) || history.some((entry) => entry.state === change.state)
    ? history
    : [...history, { state: change.state, at: change.at }].sort(byState)

const byState = (a: HistoryEntry, b: HistoryEntry): number => MESSAGE_STATES.indexOf(a.state) - MESSAGE_STATES.indexOf(b.state)

/** A caller's own name for one send: 1 to 255 printable ASCII characters, without a space at the beginning or end, and without a secret, because it is stored. */
export type IdempotencyKey = string & { readonly IdempotencyKey: unique symbol }

/** How long a key guards a message whose outcome is known. */
export const KEY_KEPT_MS = 24 * HOUR_MS

/** Reads an idempotency key. */
export const parseIdempotencyKey = (text: string): E.Either<InvalidIdempotencyKey, IdempotencyKey> =>
  isPrintableAscii(text) && !hasSecret(text) ? E.right(text as IdempotencyKey) : E.left({ _tag: 'InvalidIdempotencyKey' })

/** The key of a text that the program itself makes. Throws a `TypeError` if it is not one; use `parseIdempotencyKey` for texts from outside. */
export const idempotencyKeyOf = (text: string): IdempotencyKey => {
  const key = parseIdempotencyKey(text)
  if (E.isLeft(key)) throw new TypeError('An idempotency key is 1 to 255 printable ASCII characters without spaces at its ends.')
  return key.right
}

/**
 * Whether a key that was claimed at a given time, the `at` of the draft, still guards its message: for 24 hours, and longer while it is queued or the
 * outcome is unknown. A message that was refused or released guards nothing, even if it moves on later; its claim must be removed then.
 */
export const claimStands = (now: Instant, claimedAt: Instant, state: MessageState): boolean =>
  keepsIdempotencyKey(state) && (isUnderWay(state) || now < claimedAt + KEY_KEPT_MS)
