import * as E from 'fp-ts/lib/Either.js'
import { type CustomerIds, parseUserId } from '../../core/customers/customer.js'
import type { ReportedCustomer } from '../../core/customers/learn.js'
import { isDeeperThan, type Json, type JsonObject } from '../../core/kernel/json.js'
import { beginningOf } from '../../core/kernel/text.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { InboundMessage } from '../../core/messages/conversation.js'
import { isMessageId, parsePlatformId, type StateChange } from '../../core/messages/message.js'
import { ACCOUNT_FIELDS, type AccountField, type AccountReport, type TemplateChanged } from '../../core/reports/account.js'
import type { IdsChanged, Inbound, MarketingPreference, Report, UncountedInbound } from '../../core/reports/receive.js'
import type { StatusReport } from '../../core/reports/status.js'
import type { SenderId } from '../../core/senders/sender.js'
import { type ChangedPart, isCatalogued } from '../../core/templates/template.js'
import { idsIn, keysOf } from './contacts.js'
import { numberOf } from './read-answer.js'
import { readSharedNumber } from './shared-number.js'
import { wordOf } from './templates.js'
import { hasProperty, isObject, itemsOf, propertyOf } from './transport.js'

/** Types that report new ids of a customer. The platform creates a new user id with every new number, and may report only the user id. */
const NEW_IDS: ReadonlySet<unknown> = new Set(['user_changed_number', 'customer_changed_number', 'user_changed_user_id'])

/** Types that report that the keys of a customer's device have changed. */
const NEW_KEYS: ReadonlySet<unknown> = new Set(['customer_identity_changed', 'user_identity_changed'])

/**
 * Reads a message of the type `system`, which the customer did not write: a change of a customer's ids.
 *
 * `from` contains the previous ids, `system.wa_id` and `system.user_id` the new ids, and `system.previous_user_id` the previous user id:
 * <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/messages/system>.
 */
export const readSystemMessage = ({ phoneNumberId }: Batch, message: unknown): ParseResult<IdsChanged> => {
  const system = propertyOf(message, 'system')
  const type = propertyOf(system, 'type')
  if (NEW_KEYS.has(type)) return ignored('identity_changed')
  if (!NEW_IDS.has(type)) return ignored('unknown_system_type')
  // Until version 12 the new number was in `new_wa_id`, and `wa_id` was the old number.
  const after = idsIn(propertyOf(system, 'new_wa_id') ?? propertyOf(system, 'wa_id'), propertyOf(system, 'user_id'))
  const before = after && idsBefore(message, after)
  if (after === undefined || before === undefined || !isChange(before, after)) return ignored('no_new_ids')
  const at = instantOf(propertyOf(message, 'timestamp'))
  return at === undefined ? ignored('no_time') : E.right([{ _tag: 'IdsChanged', phoneNumberId, before, after, at }])
}

/** The user id of the sender is the previous one only if the message contains a different new user id; otherwise it can be either. */
const idsBefore = (message: unknown, after: CustomerIds): CustomerIds | undefined => {
  const sender = idsIn(propertyOf(message, 'from'), propertyOf(message, 'from_user_id'))
  const previous = parseUserId(propertyOf(propertyOf(message, 'system'), 'previous_user_id'))
  const userId = previous ?? (after.userId === undefined ? undefined : sender?.userId)
  const before = { phoneNumber: sender?.phoneNumber, userId }
  return keysOf(before).length === 0 ? undefined : before
}

const isChange = (before: CustomerIds, after: CustomerIds): boolean => keysOf(after).some((id) => !keysOf(before).includes(id))

/** Reads an item of `user_preferences`: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/user_preferences>. */
export const readPreference = ({ phoneNumberId, customerOf }: Batch, preference: unknown): ParseResult<MarketingPreference> => {
  const value = propertyOf(preference, 'value')
  if (propertyOf(preference, 'category') !== 'marketing_messages' || (value !== 'stop' && value !== 'resume')) {
    return ignored('unknown_preference')
  }
  const customer = customerOf(idsIn(propertyOf(preference, 'wa_id'), propertyOf(preference, 'user_id')))
  if (customer === undefined) return ignored('no_customer_id')
  const at = instantOf(propertyOf(preference, 'timestamp'))
  const { phoneNumber, userId } = customer
  return at === undefined
    ? ignored('no_time')
    : E.right([{ _tag: 'MarketingPreference', phoneNumberId, customer: { phoneNumber, userId }, stopped: value === 'stop', at }])
}

/**
 * Types of `messages` that the customer did not write, so they open no window; the application still gets them. `request_welcome` reports that the customer opened a
 * chat. Every other type, even an unknown one, is in `messages` because a customer sent it.
 */
const NOT_WRITING: ReadonlySet<unknown> = new Set(['reaction', 'edit', 'revoke', 'request_welcome', 'pin', 'keep_in_chat'])

/** Reads an item of `messages`. An `unsupported` message contains its real type in a separate field. */
export const readMessage = (batch: Batch, message: unknown): ParseResult => {
  const type = propertyOf(message, 'type')
  if (typeof type !== 'string') return ignored('no_type')
  if (hasProperty(message, 'group_id')) return ignored('group')
  if (type === 'system') return readSystemMessage(batch, message)
  const hidden = type === 'unsupported' ? propertyOf(propertyOf(message, 'unsupported'), 'type') : undefined
  const inbound = readInbound(batch, type, message)
  if (NOT_WRITING.has(type) || NOT_WRITING.has(hidden)) return E.isLeft(inbound) ? inbound : uncounted(inbound.right)
  return type === 'contacts' && E.isRight(inbound)
    ? E.right(inbound.right.flatMap((report) => [report, ...readSharedNumber(report, message)]))
    : inbound
}

/** Reads an item of `calls`: a customer's call opens the window as a message does, starting when the call begins. */
export const readCall = (batch: Batch, call: unknown): ParseResult =>
  propertyOf(call, 'direction') === 'USER_INITIATED' && propertyOf(call, 'event') === 'connect'
    ? readInbound(batch, 'call', call)
    : ignored('not_a_customers_call')

const readInbound = ({ phoneNumberId, customerOf }: Batch, type: string, item: unknown): ParseResult<Inbound> => {
  const customer = customerOf(idsIn(propertyOf(item, 'from'), propertyOf(item, 'from_user_id')))
  if (customer === undefined) return ignored('no_customer_id')
  const at = instantOf(propertyOf(item, 'timestamp'))
  if (at === undefined) return ignored('no_time')
  const message = readContent(type, item)
  return E.right([{ _tag: 'Inbound', phoneNumberId, customer, at, ...(message && { message }) }])
}

/** The customer's action is reported only for the application, so there is nothing to report for an item without an id. */
const uncounted = (reports: ReadonlyArray<Inbound>): ParseResult<UncountedInbound> => {
  const noted = reports.flatMap(({ message, ...report }) =>
    message === undefined ? [] : [{ ...report, _tag: 'UncountedInbound' as const, message }])
  return noted.length === 0 ? ignored('not_writing') : E.right(noted)
}

/** The maximum size of a content, and of a context, that is kept, in bytes; the longest text has 4,096 characters. */
const INBOUND_KEPT_BYTES = 65_536

/** The longest name of a type that is kept; the platform's own names have some letters. */
const LONGEST_TYPE = 64

/**
 * Reads a customer's message in the platform's form; `undefined` if the item has no valid id.
 *
 * The content is the object named after the type, such as `text`. If there is none, because the type has a list or is unknown, the content is everything in the item
 * except the fields that all items have. An `unsupported` message is read in the second way, because the reason is next to its object. `referral`, the advertisement
 * through which the customer came, becomes a part of the context.
 */
const readContent = (type: string, item: unknown): InboundMessage | undefined => {
  const id = parsePlatformId(propertyOf(item, 'id'))
  if (id === undefined || !isObject(item)) return undefined
  const named = type === 'unsupported' ? undefined : propertyOf(item, type)
  const [context, referral] = [propertyOf(item, 'context'), propertyOf(item, 'referral')]
  const refersTo = { ...(isObject(context) && context), ...(isObject(referral) && { referral }) }
  return {
    id, type: beginningOf(type, LONGEST_TYPE), content: kept(isObject(named) ? named : othersOf(item)),
    ...(Object.keys(refersTo).length > 0 && { context: kept(refersTo) }),
  }
}

/** The fields of every item, and those that its report contains elsewhere. */
const COMMON: ReadonlySet<string> = new Set(['id', 'from', 'from_user_id', 'timestamp', 'type', 'context', 'referral'])

const othersOf = (item: JsonObject): JsonObject => Object.fromEntries(Object.entries(item).filter(([name]) => !COMMON.has(name)))

/** An object that is too large or too deep to be kept is replaced by a note, so that the message is still reported. */
const kept = (object: JsonObject): JsonObject => (isKeepable(object, INBOUND_KEPT_BYTES) ? object : { omitted: 'too_large' })

/** The states that the platform reports. `played` is reported for a voice note and implies that it was read. */
const STATE_OF: ReadonlyMap<unknown, StateChange['state']> = new Map([
  ['sent', 'sent'], ['delivered', 'delivered'], ['read', 'read'], ['played', 'played'], ['failed', 'failed'],
])

/** Reads an item of `statuses`. */
export const readStatus = (batch: Batch, status: unknown): ParseResult<StatusReport> => {
  if (propertyOf(status, 'type') === 'call') return ignored('call_status')
  const state = STATE_OF.get(propertyOf(status, 'status'))
  if (state === undefined) return ignored('unknown_status')
  const platformId = parsePlatformId(propertyOf(status, 'id'))
  if (platformId === undefined) return ignored('no_platform_id')
  const at = instantOf(propertyOf(status, 'timestamp'))
  if (at === undefined) return ignored('no_time')

  // Other programs that send through the same account may write any text into this field.
  const mark = propertyOf(status, 'biz_opaque_callback_data')
  const messageId = typeof mark === 'string' && isMessageId(mark) ? mark : undefined
  const error = state === 'failed' ? errorOf(status) : undefined
  const pricing = pricingOf(status)
  const ids = isOfGroup(status) ? undefined : idsIn(propertyOf(status, 'recipient_id'), propertyOf(status, 'recipient_user_id'))
  const customer = ids && taughtBy(batch, ids)
  const to = ids?.phoneNumber ?? ids?.userId
  return E.right([{
    _tag: 'StatusReport', phoneNumberId: batch.phoneNumberId, messageId, platformId,
    change: { state, at, platformId, ...(error && { error }), ...(pricing && { pricing }) }, ...(customer && { customer }),
    ...(to && { to }),
  }])
}

/**
 * Reads an item of `statuses` that arrived while another program had the conversation. Nearly all of these items report that program's messages. The log never
 * contained them, and Postern would look for them again and again until they are old. Only a status with our id is read.
 */
export const readStandbyStatus = (batch: Batch, status: unknown): ParseResult<StatusReport> => {
  const result = readStatus(batch, status)
  return E.isRight(result) && result.right.some(({ messageId }) => messageId === undefined) ? ignored('status_of_another_sender') : result
}

/** A group is not a customer. */
const isOfGroup = (status: unknown): boolean =>
  propertyOf(status, 'recipient_type') === 'group' || hasProperty(status, 'recipient_participant_id')

/** The customer who received the message, if the status contains something new: both ids, or a name. */
const taughtBy = ({ customerOf }: Batch, ids: CustomerIds): ReportedCustomer | undefined => {
  const customer = customerOf(ids)
  return customer !== undefined && Object.keys(customer).length > 1 ? customer : undefined
}

/** The first error, complete; for an error that is too large, only its code. */
const errorOf = (status: unknown): JsonObject | undefined => {
  const error = itemsOf(propertyOf(status, 'errors'))[0]
  if (!isObject(error) || isKeepable(error)) return isObject(error) ? error : undefined
  const code = numberOf(error['code'])
  return { ...(code !== undefined && { code }), message: 'The platform sent an error too large to keep' }
}

const pricingOf = (status: unknown): JsonObject | undefined => {
  const pricing: Json | undefined = propertyOf(status, 'pricing')
  return isObject(pricing) && isKeepable(pricing) ? pricing : undefined
}

/** The fields of notifications that concern a template. */
export const TEMPLATE_FIELDS = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update', 'message_template_components_update',
] as const

/** A field of notifications that concerns a template. */
export type TemplateField = (typeof TEMPLATE_FIELDS)[number]

/** The new state of a template in a notification; `undefined` if only the platform's list contains it, as for components. */
export const readTemplateChange = (field: TemplateField, value: unknown): TemplateChanged['change'] => {
  const [name, written] = [propertyOf(value, 'message_template_name'), propertyOf(value, 'message_template_language')]
  if (typeof name !== 'string' || typeof written !== 'string') return undefined
  // The platform's list has `en_US`; some notifications have `en-US`.
  const template = { name, language: written.replaceAll('-', '_') }
  const part = partOf(field, value)
  return part === undefined || !isCatalogued(template) ? undefined : { ...template, ...part }
}

const partOf = (field: TemplateField, value: unknown): ChangedPart | undefined => {
  switch (field) {
    case 'message_template_status_update': return ifSaid(STATUS_OF_EVENT.get(propertyOf(value, 'event')), (status) => ({ status }))
    case 'message_template_quality_update': return ifSaid(wordOf(propertyOf(value, 'new_quality_score')), (quality) => ({ quality }))
    // This is the category that the template has now, even if `correct_category` announces another one.
    case 'template_category_update': return ifSaid(wordOf(propertyOf(value, 'new_category')), (category) => ({ category }))
    case 'message_template_components_update': return undefined
  }
}

const ifSaid = (word: string | undefined, part: (word: string) => ChangedPart): ChangedPart | undefined =>
  word === undefined ? undefined : part(word)

/**
 * The events that contain the current status of the template:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/message_template_status_update/>.
 *
 * Other events do not: a flagged template is still sent, a locked template cannot be edited, an unarchived template has its previous status, and a limit belongs to the
 * account.
 */
const STATUS_OF_EVENT: ReadonlyMap<unknown, string> = new Map([
  ['APPROVED', 'approved'], ['REINSTATED', 'approved'], ['PENDING', 'pending'], ['IN_APPEAL', 'in_appeal'], ['REJECTED', 'rejected'],
  ['PAUSED', 'paused'], ['DISABLED', 'disabled'], ['ARCHIVED', 'archived'], ['PENDING_DELETION', 'pending_deletion'],
  ['DELETED', 'deleted'],
])

/** The form of a sender's business account id. */
const ACCOUNT_ID = /^[!-~]{1,64}$/

/**
 * Reads a change of a business account: its templates, its numbers, its limits. The entry contains the account's id and the time.
 *
 * A template's status, quality or category is kept as a notice and also changes the template, so it results in two reports. The platform's time has a resolution of one
 * second. A change counts from the end of its second, so that it does not count as older than a list of templates that was read earlier in that second.
 */
export const readAccountReports = (entry: unknown, field: AccountField | TemplateField, value: unknown): ParseResult<AccountReport> => {
  const accountId = propertyOf(entry, 'id')
  if (typeof accountId !== 'string' || !ACCOUNT_ID.test(accountId)) return ignored('no_account_id')
  if (!isObject(value)) return ignored('no_items')
  const at = instantOf(propertyOf(entry, 'time'))
  const change = isTemplateField(field) ? readTemplateChange(field, value) : undefined
  return E.right([
    ...(isAccountField(field)
      ? [
          {
            _tag: 'AccountNotice', accountId, ...(at !== undefined && { at }), field, subject: subjectOf(field, value),
            value: keptOf(value),
          } as const,
        ]
      : []),
    ...(isTemplateField(field)
      ? [{ _tag: 'TemplateChanged', accountId, ...(at !== undefined && { at: at + SECOND_MS - 1 }), ...(change && { change }) } as const]
      : []),
  ])
}

const ABOUT_ACCOUNT: ReadonlySet<unknown> = new Set(ACCOUNT_FIELDS)
const ABOUT_TEMPLATE: ReadonlySet<unknown> = new Set(TEMPLATE_FIELDS)

/** Whether changes of a field are kept as notices on an account. */
export const isAccountField = (field: unknown): field is AccountField => ABOUT_ACCOUNT.has(field)
/** Whether changes of a field concern a template of an account. */
export const isTemplateField = (field: unknown): field is TemplateField => ABOUT_TEMPLATE.has(field)

/** The subject of a notice on the account. An event of the account is a separate subject, so that a notice on prices does not hide a restriction. */
const subjectOf = (field: AccountField, value: JsonObject): string => {
  switch (field) {
    case 'message_template_status_update': case 'message_template_quality_update': case 'template_category_update':
      return textOf(value, 'message_template_id')
        || [textOf(value, 'message_template_name'), textOf(value, 'message_template_language')].join(' ').trim()
    case 'phone_number_quality_update': return textOf(value, 'display_phone_number')
    case 'account_update': return textOf(value, 'event')
    case 'business_capability_update': return ''
  }
}

const LONGEST_SUBJECT = 100

/** Printable text of a field that is a string or a number. */
const textOf = (value: JsonObject, name: string): string => {
  const text = propertyOf(value, name)
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[^ -~]/g, '').slice(0, LONGEST_SUBJECT).trim() : ''
}

/** The complete value; for a value that is too large, the part that fits in one line. */
const keptOf = (value: JsonObject): JsonObject =>
  isKeepable(value)
    ? value
    : { ...Object.fromEntries(SHOWN.flatMap((name) => (textOf(value, name) === '' ? [] : [[name, textOf(value, name)]]))), truncated: true }

const SHOWN = ['event', 'message_template_name', 'message_template_language', 'new_quality_score', 'new_category', 'display_phone_number']

/** The fields whose changes are read. */
export const READ_FIELDS = [
  'messages', 'standby', 'calls', 'user_preferences', ...ACCOUNT_FIELDS, 'message_template_components_update',
] as const

/** The fields that the platform documents and the gateway does not use. */
export const UNUSED_FIELDS = [
  'account_alerts', 'account_review_update', 'automatic_events', 'business_status_update', 'business_username_update', 'flows',
  'group_lifecycle_update', 'group_participants_update', 'group_settings_update', 'group_status_update', 'history', 'message_echoes',
  'messaging_handovers', 'partner_solutions', 'payment_configuration_update', 'phone_number_name_update', 'security', 'smb_app_state_sync',
  'smb_message_echoes', 'template_correct_category_detection', 'tracking_events',
] as const

/** The field of a change; `other` if the platform documents no such field. */
export type NotificationField = (typeof READ_FIELDS)[number] | (typeof UNUSED_FIELDS)[number] | 'other'

/** An item of a notification that the gateway does not use. Field and reason come from fixed lists, so that they can be counted. */
export type Ignored = { readonly field: NotificationField; readonly reason: IgnoredReason }

/** Why an item of a notification is not used. */
export type IgnoredReason =
  /** A notification of an object other than a business account. */
  | 'other_object'
  /** A notification without entries. */
  | 'no_entries'
  /** An entry without changes. */
  | 'no_changes'
  /** A change whose field is missing or not a string. */
  | 'no_field'
  /** A change of a field that the gateway does not use. */
  | 'unused_field'
  /** A change that does not contain the phone number id through which it arrived. */
  | 'no_phone_number_id'
  /** A change without any of the data that its field is for. */
  | 'no_items'
  /** A list of items whose value is not an array. */
  | 'not_a_list'
  /** An error of the account or the app, which concerns no message. */
  | 'platform_error'
  /** A copy of a message that the business sent. */
  | 'echo'
  /** A message without a type, or whose type is not a string. */
  | 'no_type'
  /** A message that the customer did not write, such as a reaction, and that has no id, so that nothing can be reported for it. */
  | 'not_writing'
  /** A message in a group, which opens no window between one customer and the number. */
  | 'group'
  /** A system message: the customer's keys have changed, and the ids have not. */
  | 'identity_changed'
  /** A system message of a type that is missing or unknown. */
  | 'unknown_system_type'
  /** A system message on new ids that lacks the previous or the new ids, or whose ids are the same. */
  | 'no_new_ids'
  /** A call that the customer did not start, or a later event of a call. */
  | 'not_a_customers_call'
  /** The status of a call. */
  | 'call_status'
  /** No valid id of a customer. */
  | 'no_customer_id'
  /** A status that is missing or unknown. */
  | 'unknown_status'
  /** The status of a message that another program sent while it had the conversation. */
  | 'status_of_another_sender'
  /** A status without the platform's message id. */
  | 'no_platform_id'
  /** A preference for a category other than marketing messages, or with a value other than stop and resume. */
  | 'unknown_preference'
  /** A notice on an account that does not contain the account's id. */
  | 'no_account_id'
  /** The time is missing or impossible. */
  | 'no_time'

/** The result of reading an item of a notification: one report or several, or why there is none. */
export type ParseResult<One extends Report = Report> = E.Either<IgnoredReason, ReadonlyArray<One>>

export const ignored = (reason: IgnoredReason): ParseResult<never> => E.left(reason)

/** 2010 to 2100, in seconds: times in milliseconds, small numbers and other mistakes fall outside. */
const EARLIEST_SECONDS = 1_262_304_000
const LATEST_SECONDS = 4_102_444_800

/** The time of a `timestamp`, which counts seconds, as a string or as a number; `undefined` if it is not a possible time. */
export const instantOf = (timestamp: unknown): Instant | undefined => {
  const seconds = numberOf(timestamp)
  return seconds !== undefined && seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds * 1_000 : undefined
}

/** The data that the items of one change have in common. */
export type Batch = {
  readonly phoneNumberId: SenderId
  /** The customer of an item, by the ids in the item and in `contacts`. */
  readonly customerOf: (ids: CustomerIds | undefined) => ReportedCustomer | undefined
}

/** The limits for a stored object of the platform; the objects that it sends have three levels and some hundred bytes. */
const KEPT_LEVELS = 20
const KEPT_BYTES = 8_192

/** Whether an object of the platform is small enough to be stored whole. */
export const isKeepable = (object: JsonObject, keptBytes = KEPT_BYTES): boolean =>
  !isDeeperThan(KEPT_LEVELS, object) && Buffer.byteLength(JSON.stringify(object)) <= keptBytes
