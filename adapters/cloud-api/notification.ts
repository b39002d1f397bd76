import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { parseExactJson } from '../../core/kernel/exact-json.js'
import type { Report } from '../../core/reports/receive.js'
import { type SenderId, senderIdOf } from '../../core/senders/sender.js'
import { readContacts } from './contacts.js'
import {
  type Batch, ignored, type Ignored, type IgnoredReason, isAccountField, isTemplateField, type NotificationField, type ParseResult,
  READ_FIELDS, readAccountReports, readCall, readMessage, readPreference, readStandbyStatus, readStatus, UNUSED_FIELDS,
} from './reports.js'
import { hasProperty, itemsOf, propertyOf } from './transport.js'

/** What a notification reports, in its own order, and the items that were ignored. */
export type Notification = { readonly reports: ReadonlyArray<Report>; readonly ignored: ReadonlyArray<Ignored> }

/** The bytes of a notification are not JSON in UTF-8. */
export type NotJson = { readonly _tag: 'NotJson' }

/** Reads a notification's raw bytes, whose signature has been checked. */
export const parseNotification = (raw: Uint8Array): E.Either<NotJson, Notification> => E.map(readNotification)(parseBody(raw))

/** Reads a notification's raw bytes as JSON. */
export const parseBody = (raw: Uint8Array): E.Either<NotJson, unknown> =>
  E.tryCatch(() => parsedJson(raw), (): NotJson => ({ _tag: 'NotJson' }))

const parsedJson = (raw: Uint8Array): unknown => parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(raw))

/**
 * Reads a notification.
 *
 * Every entry, change, message, call and status is read separately, so an invalid item does not prevent the others from being reported. Unknown fields and statuses are
 * ignored, and every field may be missing.
 */
export const readNotification = (body: unknown): Notification => {
  if (propertyOf(body, 'object') !== 'whatsapp_business_account') return nothing('other', 'other_object')
  const entries = itemsOf(propertyOf(body, 'entry'))
  if (entries.length === 0) return nothing('other', 'no_entries')
  const changes = entries.flatMap((entry) => {
    const items = itemsOf(propertyOf(entry, 'changes'))
    return items.length === 0 ? [nothing('other', 'no_changes')] : items.map((change) => readChange(entry, change))
  })
  return { reports: changes.flatMap(({ reports }) => reports), ignored: changes.flatMap((change) => change.ignored) }
}

const nothing = (field: NotificationField, reason: IgnoredReason): Notification => ({ reports: [], ignored: [{ field, reason }] })

const READ: ReadonlySet<unknown> = new Set(READ_FIELDS)
const UNUSED: ReadonlySet<unknown> = new Set(UNUSED_FIELDS)

const isReadField = (field: unknown): field is (typeof READ_FIELDS)[number] => READ.has(field)
const isUnusedField = (field: unknown): field is (typeof UNUSED_FIELDS)[number] => UNUSED.has(field)

const readChange = (entry: unknown, change: unknown): Notification => {
  const field = propertyOf(change, 'field')
  if (!isReadField(field)) return nothing(isUnusedField(field) ? field : 'other', typeof field === 'string' ? 'unused_field' : 'no_field')
  const value = propertyOf(change, 'value')
  const { left, right } = RA.separate(
    isAccountField(field) || isTemplateField(field) ? [readAccountReports(entry, field, value)] : readItems(field, value),
  )
  return { reports: right.flat(), ignored: left.map((reason) => ({ field, reason })) }
}

/** The form of a sender's phone number id. */
const PHONE_NUMBER_ID = /^[!-~]{1,64}$/

/** The phone number id of a change; none if the change has no valid id. */
export const senderOf = (value: unknown): SenderId | undefined => {
  const id = propertyOf(propertyOf(value, 'metadata'), 'phone_number_id')
  return typeof id === 'string' && PHONE_NUMBER_ID.test(id) ? senderIdOf(id) : undefined
}

const readItems = (field: NotificationField, value: unknown): ReadonlyArray<ParseResult> => {
  const phoneNumberId = senderOf(value)
  if (phoneNumberId === undefined) return [ignored('no_phone_number_id')]
  // Items that arrived while another program had the conversation are one level deeper.
  const items = field === 'standby' && hasProperty(value, 'standby') ? propertyOf(value, 'standby') : value
  const lists = (field === 'standby' ? STANDBY_READERS : READERS).map(([name, read]) => ({
    read, list: propertyOf(items, name) ?? NO_ITEMS,
  }))
  const isOnly = lists.reduce((count, { list }) => count + itemsOf(list).length, 0) === 1
  const findCustomer = readContacts([
    ...itemsOf(propertyOf(value, 'contacts')), ...(items === value ? [] : itemsOf(propertyOf(items, 'contacts'))),
  ])
  const batch: Batch = { phoneNumberId, customerOf: (ids) => findCustomer(ids, isOnly) }
  const readings: ParseResult[] = []
  for (const { read, list } of lists) {
    if (!Array.isArray(list)) readings.push(ignored('not_a_list'))
    for (const item of itemsOf(list)) readings.push(read(batch, item))
  }
  return readings.length === 0 ? [ignored('no_items')] : readings
}

const NO_ITEMS: ReadonlyArray<never> = []

type Reader = (batch: Batch, item: unknown) => ParseResult

/** The lists of a change, and the reader for the items of each list. */
const READERS: ReadonlyArray<readonly [name: string, read: Reader]> = [
  ['messages', readMessage], ['calls', readCall], ['statuses', readStatus], ['user_preferences', readPreference],
  ['message_echoes', () => ignored('echo')], ['errors', () => ignored('platform_error')],
]

const STANDBY_READERS: typeof READERS = READERS.map(([name, read]) => [name, name === 'statuses' ? readStandbyStatus : read])
