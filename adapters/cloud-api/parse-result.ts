import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../core/time.js'
import { numberOf } from './error-codes.js'

/** An item of a notification that the gateway does not use. The reason is one of a fixed list, so that it can be counted. */
export type Ignored = { readonly reason: IgnoredReason }

/** Why an item of a notification is not used. */
export type IgnoredReason =
  /** A notification of something else than a business account. */
  | 'other_object'
  /** An entry without changes. */
  | 'no_changes'
  /** A change of a field other than messages and calls. */
  | 'other_field'
  /** A change that does not name the phone number id it came through. */
  | 'no_phone_number_id'
  /** A change without messages, statuses or calls: a notice on the account. */
  | 'no_items'
  /** A message by which the customer wrote nothing: a system notice, a reaction, an edit, a revocation. */
  | 'not_writing'
  /** A message without a type, or whose type is not a string. */
  | 'no_type'
  /** A message in a group, which opens no window between one customer and the number. */
  | 'group'
  /** A call that the customer did not begin, or a later event of one. */
  | 'not_a_customers_call'
  /** A customer who has no phone number, only a user id, or one that is not valid. */
  | 'no_phone_number'
  /** A status that is missing or not known. */
  | 'unknown_status'
  /** A status that does not name the platform's message id. */
  | 'no_platform_id'
  /** The time is missing or not possible. */
  | 'no_time'

/** What reading an item of a notification gave: a report, or why there is none. */
export type ParseResult<Report> = E.Either<Ignored, Report>

export const ignored = (reason: IgnoredReason): ParseResult<never> => E.left({ reason })

/** 2010 to 2100, in seconds: times in milliseconds, small numbers and other mistakes fall outside. */
const EARLIEST_SECONDS = 1_262_304_000
const LATEST_SECONDS = 4_102_444_800

/** The moment of a `timestamp`, which counts seconds, as a string or as a number; `undefined` where it is not a possible time. */
export const instantOf = (timestamp: unknown): Instant | undefined => {
  const seconds = numberOf(timestamp)
  return seconds !== undefined && seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds * 1_000 : undefined
}
