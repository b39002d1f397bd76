import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Hours, parseHours, type Weekday, WEEKDAYS } from '../../../core/customers/hours.js'
import type { TimezoneUnknown } from '../../../core/customers/time-zones.js'
import { DAY_MS, type Instant, iso } from '../../../core/kernel/time.js'
import type { Message, Sent } from '../../../core/messages/message.js'
import type { Queued, TimedError } from '../../../core/sending/queue.js'
import type { SendCommand, SendError } from '../../../core/sending/send.js'
import { type InvalidTiming, isTimed, MAX_SCHEDULE_MS, type Timing } from '../../../core/sending/timing.js'
import { MessageId, Moment } from '../codecs.js'
import type { Outcome, UseCases } from '../operation.js'
import { type InvalidParameter, messageHeaders } from '../reply.js'
import { array, atMost, codec, type Codec, described, fields, form, named, nullable, record, string, word } from '../schema.js'

/** How far ahead a send or a batch may be scheduled, in days. */
export const DAYS_AHEAD = MAX_SCHEDULE_MS / DAY_MS

const QueueUntil = named('QueueUntil', described(
  fields({ until: described(Moment, `From this time on it is not sent any more; at most ${DAYS_AHEAD} days ahead.`) }),
  'If the limit of the sender or of the customer would refuse the message now, it waits until then, and the answer is 202. Otherwise it is sent immediately.',
))

const SendAt = described(Moment,
  `The time before which the message is not sent, at most ${DAYS_AHEAD} days ahead; the answer is always 202. Its price is held when it is due. It ends at \`queue.until\`, or a day later if that is omitted.`)

const TimeOfDay = string(form(/^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, 'a time such as 09:00'))

const Day: Codec<Weekday> = word<Weekday>({ mon: '', tue: '', wed: '', thu: '', fri: '', sat: '', sun: '' })

const MAX_ZONE = 100

const GivenHours = fields({
  from: described(TimeOfDay, 'When the hours begin.'),
  to: described(TimeOfDay, 'When they end, up to `24:00`; on the next day if it is before `from`.'),
}, {
  days: described(
    array(Day, 'an array of days', { minItems: 1, maxItems: WEEKDAYS.length, uniqueItems: true }),
    'The days on which they begin; every day if omitted.',
  ),
  timezone: described(string(atMost(MAX_ZONE)), 'The IANA name of a time zone, or `customer`: the zones that the calling code and the area of the number have. `customer` if omitted.'),
})

/** The hours of a send or a batch. */
export const DeliverBetween: Codec<Hours> = named('DeliverBetween', described(codec(GivenHours.name, GivenHours, (value, context) => {
  const given = GivenHours.validate(value, context)
  if (E.isLeft(given)) return given
  const hours = parseHours(given.right)
  if (E.isRight(hours)) return t.success(hours.right)
  const { field, must } = hours.left
  const wrong = given.right[field]
  return t.failures([{ value: wrong, context: t.appendContext(context, field, GivenHours, wrong), message: must }])
}), 'The hours in which the message may be sent. Outside them it waits until they begin, at most until `queue.until`, or for a day, and the answer is 202.'))

/** The fields of a send that say when it may be sent. */
export const TIMING = { queue: QueueUntil, send_at: SendAt, deliver_between: DeliverBetween }

/** A body that may say when its message may be sent. */
export type TimedBody = {
  readonly queue?: { readonly until: Instant } | undefined
  readonly send_at?: Instant | undefined
  readonly deliver_between?: Hours | undefined
}

const timingOf = ({ queue, send_at: sendAt, deliver_between: deliverBetween }: TimedBody): Timing => ({
  ...(queue && { until: queue.until }), ...(sendAt !== undefined && { sendAt }), ...(deliverBetween && { deliverBetween }),
})

/** The reply's body of a message that is queued. */
export type QueuedView = { readonly status: 'queued' | 'canceled'; readonly id: string; readonly send_at: string | null }

const QueuedCodec: Codec<QueuedView> = named('Queued', record({
  status: word<QueuedView['status']>({ queued: 'it waits', canceled: 'an earlier request with the same key queued it, and it was canceled since' }),
  id: described(MessageId, 'The id of the message. Its platform id comes with the event `message.accepted`.'),
  send_at: nullable(string(), 'The time before which it is not sent; null if it waits for a limit.'),
}))

/** The reply of a message that is queued, for the document. */
export const queuedReply = {
  description: 'The message is queued. Its price is held, or, with `send_at`, will be held when it is due.',
  codec: QueuedCodec,
  example: { status: 'queued', id: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', send_at: '2026-03-02T08:00:00.000Z' } satisfies QueuedView,
  headers: ['Postern-Message', 'Idempotency-Replayed'] as const,
}

/** The failures of a timing. */
export const TIMING_FAILURES = { TimezoneUnknown: true, InvalidParameter: true } as const

/** Sends a message, or queues it if its body says when it may be sent. */
export const sendOrQueue = async <Of extends Message, View>(
  { postern: { sending } }: UseCases, command: SendCommand<Of>, body: TimedBody,
  sentResult: (sent: Sent) => { readonly value: View; readonly headers: Readonly<Record<string, string>> },
): Outcome<SendError<Of> | TimingFailure, View | QueuedView> => {
  const timing = timingOf(body)
  if (!isTimed(timing)) return E.map(sentResult)(await sending.send(command))
  if (sending.sendOrQueue === undefined) return NO_QUEUE
  const answer = await sending.sendOrQueue<Of>({ ...command, ...timing })
  if (E.isRight(answer)) return E.right('_tag' in answer.right ? queuedResult(answer.right) : sentResult(answer.right))
  const failure: TimedError<Of> = answer.left
  if (failure._tag === 'QueueUnavailable') return NO_QUEUE
  return failure._tag === 'InvalidTiming'
    ? E.left({ _tag: 'InvalidParameter', sentence: sentenceOf(failure) })
    : E.left(failure)
}

const NO_QUEUE = E.left<InvalidParameter>({
  _tag: 'InvalidParameter', sentence: 'queue, send_at and deliver_between must be left out: this gateway has no queue',
})

const sentenceOf = (fault: InvalidTiming): string => timingSentence(fault, 'queue.until')

/** What is wrong with a time of a request in which `until` is the name of the end. */
export const timingSentence = ({ field, why }: InvalidTiming, until: string): string => {
  const name = field === 'until' ? until : 'send_at'
  switch (why) {
    case 'too_far': return `${name} must be at most ${DAYS_AHEAD} days ahead`
    case 'before_send_at': return `${name} must be later than send_at`
    case 'past':
      return field === 'until' ? `${name} must be later than now` : `${name} must be less than a day ago, or ${until} must be given`
  }
}

const queuedResult = ({ id, state, sendAt, replayed }: Queued) => ({
  status: 202 as const,
  value: { status: state, id, send_at: sendAt === undefined ? null : iso(sendAt) },
  headers: messageHeaders(id, replayed),
})

/** The failures that a timing adds to those of a send. */
export type TimingFailure = TimezoneUnknown | InvalidParameter
