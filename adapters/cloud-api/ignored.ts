import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../core/time.js'
import { numberOf } from './error-codes.js'

/** Something in a notification that says nothing to a gateway, and why; a few words from a fixed list, fit for counting. */
export type Ignored = { readonly reason: IgnoredReason }

/** Why a part of a notification is left aside. */
export type IgnoredReason =
  /** Not a notification of a business account at all. */
  | 'other_object'
  /** An entry without changes. */
  | 'no_changes'
  /** A change of a field other than messages and calls. */
  | 'other_field'
  /** A change that does not name the phone number id it came through. */
  | 'no_phone_number_id'
  /** A change without messages, statuses or calls: a notice on the account. */
  | 'no_items'
  /** A message type that is not the customer writing: system notices, reactions, edits, revocations. */
  | 'not_writing'
  /** A message type nobody knows yet. */
  | 'unknown_type'
  /** A message in a group, which opens no window between one customer and the number. */
  | 'group'
  /** A call that the customer did not begin, or a later event of one. */
  | 'not_a_customers_call'
  /** A customer without a phone number, known by a user id only, or with one that is none. */
  | 'no_phone_number'
  /** A status nobody knows yet, or none. */
  | 'unknown_status'
  /** A status that does not name the platform's message id. */
  | 'no_platform_id'
  /** No time, or one that cannot be. */
  | 'no_time'

/** What an item of a notification comes to. */
export type Reading<Report> = E.Either<Ignored, Report>

export const ignored = (reason: IgnoredReason): Reading<never> => E.left({ reason })

/** 2010 to 2100, in seconds: times in milliseconds, small numbers and other mistakes fall outside. */
const EARLIEST_SECONDS = 1_262_304_000
const LATEST_SECONDS = 4_102_444_800

/** The moment of a `timestamp`, which counts seconds, as a string or as a number; `undefined` where it cannot be one. */
export const instantOf = (timestamp: unknown): Instant | undefined => {
  const seconds = numberOf(timestamp)
  return seconds !== undefined && seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds * 1_000 : undefined
}
