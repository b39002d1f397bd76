import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Report } from '../../core/receive.js'
import { ignored, type Ignored, type Reading } from './ignored.js'
import { readCall, readMessage } from './inbound-report.js'
import { itemsOf, propertyOf } from './json-shape.js'
import { readStatus } from './status-report.js'

export type { Ignored, IgnoredReason } from './ignored.js'

/** What a notification reports, in its own order, and what of it was ignored. */
export type Notification = { readonly reports: ReadonlyArray<Report>; readonly ignored: ReadonlyArray<Ignored> }

/** The bytes of a notification are not JSON in UTF-8. */
export type NotJson = { readonly _tag: 'NotJson' }

/** Reads a notification's raw bytes, whose signature has been checked. */
export const parseNotification = (raw: Uint8Array): E.Either<NotJson, Notification> =>
  E.map(readNotification)(E.tryCatch(() => parsedJson(raw), (): NotJson => ({ _tag: 'NotJson' })))

const parsedJson = (raw: Uint8Array): unknown => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))

/**
 * Reads a notification.
 *
 * Every entry, change, message, call and status is read on its own, so that one that makes no sense costs none of its
 * neighbours. Fields, types and statuses that are not known are ignored; nothing is assumed to be there.
 */
export const readNotification = (body: unknown): Notification => {
  const readings = propertyOf(body, 'object') === 'whatsapp_business_account'
    ? itemsOf(propertyOf(body, 'entry')).flatMap(readEntry)
    : [ignored('other_object')]
  const { left, right } = RA.separate(readings)
  return { reports: right, ignored: left }
}

const readEntry = (entry: unknown): ReadonlyArray<Reading<Report>> => {
  const changes = itemsOf(propertyOf(entry, 'changes'))
  return changes.length === 0 ? [ignored('no_changes')] : changes.flatMap(readChange)
}

const FIELDS: ReadonlySet<unknown> = new Set(['messages', 'calls'])

/** An id that a sender could have been given. */
const PHONE_NUMBER_ID = /^[!-~]{1,64}$/

const readChange = (change: unknown): ReadonlyArray<Reading<Report>> => {
  if (!FIELDS.has(propertyOf(change, 'field'))) return [ignored('other_field')]
  const value = propertyOf(change, 'value')
  const id = propertyOf(propertyOf(value, 'metadata'), 'phone_number_id')
  if (typeof id !== 'string' || !PHONE_NUMBER_ID.test(id)) return [ignored('no_phone_number_id')]
  const readings = [
    ...itemsOf(propertyOf(value, 'messages')).map((message): Reading<Report> => readMessage(id, message)),
    ...itemsOf(propertyOf(value, 'calls')).map((call): Reading<Report> => readCall(id, call)),
    ...itemsOf(propertyOf(value, 'statuses')).map((status): Reading<Report> => readStatus(id, status)),
  ]
  return readings.length === 0 ? [ignored('no_items')] : readings
}
