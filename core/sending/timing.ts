import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, isUserId } from '../customers/customer.js'
import { type Hours, hoursText, nextAllowed } from '../customers/hours.js'
import { type TimezoneUnknown, timezoneUnknown, type Zone, zonesOf } from '../customers/time-zones.js'
import { DAY_MS, type Instant } from '../kernel/time.js'

/** When a message may be sent. A message without any of these is sent immediately, or refused. */
export type Timing = {
  /**
   * The time from which it is not sent any more. Without `sendAt`, the message waits until then if the limit of its sender or its customer is reached; with it, the
   * default is `SENDABLE_FOR_MS` later.
   */
  readonly until?: Instant | undefined
  /** The time before which it is not sent, at most `MAX_SCHEDULE_MS` ahead. A time that has passed means as soon as possible. */
  readonly sendAt?: Instant | undefined
  /** The hours in which it may be sent. Outside them it waits until they begin. */
  readonly deliverBetween?: Hours | undefined
}

/** The maximum time for which a message is scheduled ahead, and for which it waits. */
export const MAX_SCHEDULE_MS = 366 * DAY_MS

/** For how long a message can be sent after it is due, if the caller does not say otherwise. */
export const SENDABLE_FOR_MS = DAY_MS

/** A time that no message can have: it has passed (`past`), it is not after `sendAt` (`before_send_at`), or it is too far ahead. */
export type InvalidTiming = {
  readonly _tag: 'InvalidTiming'
  readonly field: 'until' | 'sendAt'
  readonly why: 'past' | 'before_send_at' | 'too_far'
}

/** Whether a message has a timing at all. */
export const isTimed = ({ until, sendAt, deliverBetween }: Timing): boolean =>
  until !== undefined || sendAt !== undefined || deliverBetween !== undefined

/** What is wrong with a timing at a given time; `undefined` if nothing is. */
export const faultOf = ({ until, sendAt }: Timing, now: Instant): InvalidTiming | undefined => {
  const fault = (field: InvalidTiming['field'], why: InvalidTiming['why']): InvalidTiming => ({ _tag: 'InvalidTiming', field, why })
  if (sendAt !== undefined && !(sendAt <= now + MAX_SCHEDULE_MS)) return fault('sendAt', 'too_far')
  if (until === undefined) return sendAt !== undefined && sendAt + SENDABLE_FOR_MS <= now ? fault('sendAt', 'past') : undefined
  if (!(until > now)) return fault('until', 'past')
  if (sendAt !== undefined && until <= sendAt) return fault('until', 'before_send_at')
  return until > Math.max(sendAt ?? now, now) + MAX_SCHEDULE_MS ? fault('until', 'too_far') : undefined
}

/** The time from which a message is not sent any more. */
export const endOf = ({ until, sendAt }: Timing, now: Instant): Instant => until ?? (sendAt ?? now) + SENDABLE_FOR_MS

/** The zones in which the hours of a message count. Left: its customer is not known by a number, or the number does not tell its zone. */
export const zonesFor = ({ timezone }: Hours, to: CustomerId): E.Either<TimezoneUnknown, ReadonlyArray<Zone>> => {
  if (timezone !== 'customer') return E.right([timezone])
  return isUserId(to) ? E.left(timezoneUnknown) : zonesOf(to)
}

/** The first time, `now` or later, at which a message to a customer may be sent. */
export const beginOf = ({ sendAt, deliverBetween }: Timing, to: CustomerId, now: Instant): E.Either<TimezoneUnknown, Instant> => {
  const from = Math.max(sendAt ?? now, now)
  if (deliverBetween === undefined) return E.right(from)
  const zones = zonesFor(deliverBetween, to)
  return E.isLeft(zones) ? zones : nextAllowed(deliverBetween, zones.right, from)
}

/** A timing as a text: a request with another timing is another request. */
export const timingText = ({ until, sendAt, deliverBetween }: Timing): string =>
  [
    ...(sendAt === undefined ? [] : [`sent at ${sendAt}`]), ...(until === undefined ? [] : [`until ${until}`]),
    ...(deliverBetween === undefined ? [] : [`between ${hoursText(deliverBetween)}`]),
  ].join(' ')
