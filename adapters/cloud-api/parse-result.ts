import * as E from 'fp-ts/lib/Either.js'
import type { CustomerIds } from '../../core/customers/customer.js'
import type { ReportedCustomer } from '../../core/customers/learn.js'
import { isDeeperThan, type JsonObject } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import { ACCOUNT_FIELDS } from '../../core/reports/account.js'
import type { Report } from '../../core/reports/receive.js'
import { numberOf } from './error-codes.js'

/** The fields whose changes are read. */
export const READ_FIELDS = ['messages', 'standby', 'calls', 'user_preferences', ...ACCOUNT_FIELDS, 'message_template_components_update'] as const

/** The fields that the platform documents and the gateway does not use. */
export const UNUSED_FIELDS = [
  'account_alerts', 'account_review_update', 'automatic_events', 'business_status_update', 'business_username_update', 'flows', 'group_lifecycle_update',
  'group_participants_update', 'group_settings_update', 'group_status_update', 'history', 'message_echoes', 'messaging_handovers',
  'partner_solutions', 'payment_configuration_update', 'phone_number_name_update', 'security', 'smb_app_state_sync', 'smb_message_echoes',
  'template_correct_category_detection', 'tracking_events',
] as const

/** The field of a change; `other` where the platform documents no such field. */
export type NotificationField = (typeof READ_FIELDS)[number] | (typeof UNUSED_FIELDS)[number] | 'other'

/** An item of a notification that the gateway does not use. Field and reason are of fixed lists, so that they can be counted. */
export type Ignored = { readonly field: NotificationField; readonly reason: IgnoredReason }

/** Why an item of a notification is not used. */
export type IgnoredReason =
  /** A notification of something else than a business account. */
  | 'other_object'
  /** A notification without entries. */
  | 'no_entries'
  /** An entry without changes. */
  | 'no_changes'
  /** A change whose field is missing or not a string. */
  | 'no_field'
  /** A change of a field that the gateway does not use. */
  | 'unused_field'
  /** A change that does not name the phone number id it came through. */
  | 'no_phone_number_id'
  /** A change without anything that its field is for. */
  | 'no_items'
  /** A list of items that is not a list. */
  | 'not_a_list'
  /** An error of the account or the app, which is about no message. */
  | 'platform_error'
  /** A copy of a message that the business sent. */
  | 'echo'
  /** A message without a type, or whose type is not a string. */
  | 'no_type'
  /** A message by which the customer wrote nothing, such as a reaction, and that has no id, so that nothing can be said of it. */
  | 'not_writing'
  /** A message in a group, which opens no window between one customer and the number. */
  | 'group'
  /** A system message: the customer's keys have changed, and the ids have not. */
  | 'identity_changed'
  /** A system message of a type that is missing or not known. */
  | 'unknown_system_type'
  /** A system message on new ids that does not name the ids before and after, or names the same ones. */
  | 'no_new_ids'
  /** A call that the customer did not begin, or a later event of one. */
  | 'not_a_customers_call'
  /** The status of a call. */
  | 'call_status'
  /** No valid id of a customer. */
  | 'no_customer_id'
  /** A status that is missing or not known. */
  | 'unknown_status'
  /** The status of a message that another program sent while it had the conversation. */
  | 'status_of_another_sender'
  /** A status that does not name the platform's message id. */
  | 'no_platform_id'
  /** A preference of another category than marketing messages, or another value than stop and resume. */
  | 'unknown_preference'
  /** A notice on an account that does not name the account. */
  | 'no_account_id'
  /** The time is missing or not possible. */
  | 'no_time'

/** What reading an item of a notification gave: one report or several, or why there is none. */
export type ParseResult<One extends Report = Report> = E.Either<IgnoredReason, ReadonlyArray<One>>

export const ignored = (reason: IgnoredReason): ParseResult<never> => E.left(reason)

/** 2010 to 2100, in seconds: times in milliseconds, small numbers and other mistakes fall outside. */
const EARLIEST_SECONDS = 1_262_304_000
const LATEST_SECONDS = 4_102_444_800

/** The moment of a `timestamp`, which counts seconds, as a string or as a number; `undefined` where it is not a possible time. */
export const instantOf = (timestamp: unknown): Instant | undefined => {
  const seconds = numberOf(timestamp)
  return seconds !== undefined && seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds * 1_000 : undefined
}

/** What the items of one change have in common. */
export type Batch = {
  readonly phoneNumberId: string
  /** The customer whom an item is about, by the ids that the item names and by `contacts`. */
  readonly customerOf: (ids: CustomerIds | undefined) => ReportedCustomer | undefined
}

/** The limits for an object of the platform that is stored; those that it sends have three levels and some hundred bytes. */
const KEPT_LEVELS = 20
const KEPT_BYTES = 8_192

/** Whether an object of the platform is small enough to be stored whole. */
export const isKeepable = (object: JsonObject, keptBytes = KEPT_BYTES): boolean =>
  !isDeeperThan(KEPT_LEVELS, object) && Buffer.byteLength(JSON.stringify(object)) <= keptBytes
