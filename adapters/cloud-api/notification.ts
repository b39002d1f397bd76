import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Report } from '../../core/use-cases/receive.js'
import { ignored, type Ignored, type ParseResult } from './parse-result.js'
import { readCall, readMessage } from './inbound-report.js'
import { itemsOf, propertyOf } from './unknown-json.js'
import { readStatus } from './status-report.js'

export type { Ignored, IgnoredReason } from './parse-result.js'

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
 * Every entry, change, message, call and status is read on its own, so that an invalid one does not keep the others from being
 * reported. Unknown fields and statuses are ignored, and every field may be missing.
 */
export const readNotification = (body: unknown): Notification => {
  const readings = propertyOf(body, 'object') === 'whatsapp_business_account'
    ? itemsOf(propertyOf(body, 'entry')).flatMap(readEntry)
    : [ignored('other_object')]
  const { left, right } = RA.separate(readings)
  return { reports: right, ignored: left }
}

const readEntry = (entry: unknown): ReadonlyArray<ParseResult<Report>> => {
  const changes = itemsOf(propertyOf(entry, 'changes'))
  return changes.length === 0 ? [ignored('no_changes')] : changes.flatMap(readChange)
}

const FIELDS: ReadonlySet<unknown> = new Set(['messages', 'calls'])

/** The form of a phone number id that a sender can have. */
const PHONE_NUMBER_ID = /^[!-~]{1,64}$/

const readChange = (change: unknown): ReadonlyArray<ParseResult<Report>> => {
  if (!FIELDS.has(propertyOf(change, 'field'))) return [ignored('other_field')]
  const value = propertyOf(change, 'value')
  const id = propertyOf(propertyOf(value, 'metadata'), 'phone_number_id')
  if (typeof id !== 'string' || !PHONE_NUMBER_ID.test(id)) return [ignored('no_phone_number_id')]
  const readings = [
    ...itemsOf(propertyOf(value, 'messages')).map((message): ParseResult<Report> => readMessage(id, message)),
    ...itemsOf(propertyOf(value, 'calls')).map((call): ParseResult<Report> => readCall(id, call)),
    ...itemsOf(propertyOf(value, 'statuses')).map((status): ParseResult<Report> => readStatus(id, status)),
  ]
  return readings.length === 0 ? [ignored('no_items')] : readings
}
