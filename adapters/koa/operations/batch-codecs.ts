import * as t from 'io-ts'
import type { AGAIN_STATES, AgainState } from '../../../core/batches/again.js'
import { DEFAULT_BRAKE, MAX_BATCH_LINES, type PAUSE_REASONS, type PauseReason } from '../../../core/batches/batch.js'
import {
  type AddedView, type BatchView, type CountsView, type DayView, type FailureView, type LineProblemView, type PreflightView,
  type ShownBatchView,
} from '../../../core/batches/view.js'
import { DAY_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { MESSAGE_STATES } from '../../../core/messages/message.js'
import {
  Amount, BatchName, BatchStateWord, Currency, Metadata, Moment, TemplateName, Time, wellFormed, withoutControls,
} from '../codecs.js'
import {
  array, atMost, boolean, codec, type Codec, count, described, fields, length, named, nullable, record, string, wholeNumber, word,
} from '../schema.js'
import { Components, Language, Through } from './send.js'
import { DAYS_AHEAD, DeliverBetween } from './timing.js'

/** The maximum number of recipients in the body of a new batch. A file may have `MAX_BATCH_LINES`. */
const MAX_IN_BODY = 1_000

const MAX_NAME = 100

/** The maximum wait after the first wave, in seconds. */
const MAX_WAIT = 7 * DAY_MS / SECOND_MS

/** The maximum number of messages that the brake looks at. */
const MAX_BRAKE = 1_000

const share: Codec<number> = codec('a number from 0 to 1', { schema: { type: 'number', minimum: 0, maximum: 1 } },
  (value, context) => (typeof value === 'number' && value >= 0 && value <= 1 ? t.success(value) : t.failure(value, context)))

const FirstWave = described(fields({
  recipients: described(wholeNumber(1, MAX_BATCH_LINES), 'How many recipients are sent to first.'),
  wait: described(wholeNumber(1, MAX_WAIT), 'How many seconds all others wait after the last of them was sent to. `POST …/resume` ends the wait.'),
}), 'Sends to some recipients first and waits, so that a person can look at the result. All at once if omitted.')

const BrakeFields = described(fields({}, {
  share: described(share, `The share of the last \`of\` messages; ${DEFAULT_BRAKE.share} if omitted. With 1 it never pauses for failures.`),
  of: described(wholeNumber(1, MAX_BRAKE), `How many of the last messages count; ${DEFAULT_BRAKE.of} if omitted.`),
}), 'The batch pauses itself if more than this share of its last messages failed with the same code. Failures before a `resume` do not count.')

/** A recipient in the body of a new batch. */
export const Recipient = named('BatchRecipient', described(fields({
  to: described(
    string(length(255), wellFormed, withoutControls),
    'The customer, as in `POST /v1/messages/send-template`. A number of a wrong form is a problem of this recipient, not of the request.',
  ),
}, {
  components: Components,
  metadata: described(Metadata, 'The notes on this message, in addition to those of the batch.'),
  timezone: described(string(atMost(100), wellFormed, withoutControls), 'The IANA name of the time zone of the customer, for `deliver_between`.'),
}), 'A recipient of a batch.'))

const AgainStateWord = word<AgainState>({
  failed: 'their message failed or was refused, and it can help to send it again',
  unread: 'they received it, and have not read it',
  no_reply: 'they received it, and have not written since',
  unsent: 'nothing was sent to them, because the batch was canceled or its time had passed',
} satisfies Record<(typeof AGAIN_STATES)[number], string>)

const From = described(fields({
  batch: described(BatchName, 'The id of the earlier batch.'),
  states: described(array(AgainStateWord, 'an array of states', { minItems: 1, maxItems: 4 }), 'Which of its recipients.'),
}), 'Instead of `recipients`: recipients of an earlier batch, with what their lines said, and with the numbers of their lines. Who has stopped messages since is left out.')

/** The body of a new batch. */
export const CreateBatchRequest = named('CreateBatchRequest', described(fields({
  template_name: described(TemplateName, 'The exact name of an approved template.'),
}, {
  language: described(Language, 'The code of the language the template was approved in. `en` if omitted.'),
  sender: Through,
  name: described(string(length(MAX_NAME), wellFormed, withoutControls), 'A name of the batch, for people.'),
  send_at: described(Moment, `The time before which nothing of it is sent, at most ${DAYS_AHEAD} days ahead.`),
  until: described(Moment, 'From this time on nothing of it is sent any more: what has not left by then is not sent, with the code `queue_expired`. If omitted, it ends 30 days after `send_at`, or after it was confirmed.'),
  deliver_between: described(DeliverBetween, 'The hours in which its messages may be sent. A recipient outside them waits until they begin.'),
  first_wave: FirstWave,
  brake: BrakeFields,
  metadata: described(Metadata, 'The notes that every message of the batch gets. They are never sent to the platform.'),
  recipients: described(
    array(Recipient, 'an array of objects', { maxItems: MAX_IN_BODY }),
    `Up to ${MAX_IN_BODY} recipients. More are added as a file, with \`PUT /v1/batches/{id}/recipients\`.`,
  ),
  from: From,
  confirm: described(boolean, '`true` confirms the total of its recipients at once, without a preflight that a person has seen. If it cannot be confirmed, the batch is canceled. Give such a request an `Idempotency-Key`: without one, repeating it sends another batch.'),
}), 'Unknown fields are ignored.'))

const TimeOrNull = nullable(Time)

const batchFields = {
  id: described(string(), "The gateway's id of the batch, `bat_…`."),
  name: nullable(string(), 'Its name; null if it has none.'),
  state: BatchStateWord,
  paused_because: nullable(word<PauseReason>({
    person: 'a person or a key paused it',
    failures: 'too many of its last messages failed with the same code',
    spam_rate_limit: 'customers reported the number as spam (131048)',
    utility_restricted: 'the platform restricts utility messages of the account (131064)',
    template_paused: 'the platform paused or disabled the template (132015, 132016)',
    quality_red: 'the quality of the number became red',
    account_restricted: 'the platform locked or restricted the account (131031, 368)',
    unavailable: 'the platform or the storage did not answer',
  } satisfies Record<(typeof PAUSE_REASONS)[number], string>), 'Why it is paused; null if it is not.'),
  template_name: string(),
  language: string(),
  sender: described(string(), 'The phone number id of the sender.'),
  send_at: TimeOrNull,
  until: TimeOrNull,
  deliver_between: nullable(record({ from: string(), to: string(), days: array(string()), timezone: string() })),
  first_wave: nullable(record({ recipients: count, wait: described(count, 'In seconds.') })),
  brake: record({ share, of: count }),
  metadata: nullable(Metadata),
  total: nullable(Amount, 'The confirmed total, which was reserved; null in a draft.'),
  currency: nullable(Currency, 'The currency of the total; null in a draft.'),
  sendable: nullable(count, 'How many recipients it is sent to; null in a draft.'),
  created_at: Time,
  confirmed_at: TimeOrNull,
  ended_at: TimeOrNull,
}

/** A batch in a reply. */
export const BatchCodec: Codec<BatchView> = named('Batch', described(record(batchFields), 'Messages of one template to many customers.'))

const countFields = {
  waiting: described(count, 'Recipients without a message, which wait for their turn or, in a draft, to be confirmed.'),
  left_out: described(count, 'Recipients that are not sent to, because they have a problem or the batch ended before.'),
  ...Object.fromEntries(MESSAGE_STATES.map((state) => [state, count])),
}

const Day: Codec<DayView> = record({
  from: described(Time, 'When the messages of this day leave at the earliest.'),
  recipients: described(count, 'How many recipients are sent to.'),
})

const CODE_OF_FAILURE = 'The code of the platform, a number, or one of ours; `unknown` if the error has none.'

/** The code of a failure, or null if `isNullable`. */
const failureCode = (isNullable: boolean): Codec<FailureView['code'] | null> => codec(
  'a code', { schema: { type: ['integer', 'string', ...(isNullable ? ['null'] : [])], description: CODE_OF_FAILURE } },
  (value, context) => (['number', 'string'].includes(typeof value) || value === null
    ? t.success(value as FailureView['code'])
    : t.failure(value, context)),
)

const Counts: Codec<CountsView> = record(countFields) as Codec<CountsView>

/** A batch in a reply, with what has happened to its recipients. */
export const ShownBatchCodec: Codec<ShownBatchView> = named('ShownBatch', described(record({
  ...batchFields,
  recipients: described(count, 'All its recipients.'),
  counts: described(Counts, 'How many of them wait, are left out, or have a message in each state.'),
  price: described(Amount, 'What was charged for its messages so far.'),
  held: described(Amount, 'What is still reserved for it.'),
  rate: described(count, 'How many messages a second its sender may send now; other messages of the sender share them.'),
  expected_end: nullable(Time, 'When its last message can leave at the earliest; null if it is a draft, paused or over, or if its sender was removed.'),
  days: nullable(array(Day), 'The days of 24 hours that the messages that have not left take, because of the platform’s limit of customers; null like `expected_end`.'),
  failures: described(array(record({
    code: failureCode(false) as Codec<FailureView['code']>,
    count,
    may_help_again: described(boolean, 'Whether it can help to send these messages again, perhaps after what `errors.json` says of the code.'),
  })), 'How many messages failed or were refused, by the code of their error, the most frequent one first; the first 20 codes.'),
  brake_level: nullable(record({
    code: failureCode(true),
    failures: described(count, 'How many of the last messages failed with it, since the batch was confirmed or resumed.'),
    pauses_at: nullable(count, 'With this number of failures the batch pauses; null if it never pauses for failures.'),
    messages: described(count, 'How many of the last messages were looked at, at most `brake.of`.'),
  }), 'How near the batch is to a pause because of failures; null in a draft, and once the batch is over.'),
}), 'A batch, and what has happened to its recipients.'))

const ProblemOfLine: Codec<LineProblemView> = record({
  line: described(count, 'The number of the line in the file, where the head of a CSV is line 1; or the position in `recipients`, from 1.'),
  column: nullable(string(), 'The column or the field at fault; null if it is no single one.'),
  code: string(),
  message: described(string(), 'What is wrong, and what to do. It does not quote the line.'),
})

/** A draft in a reply, with the recipients that were stored. */
export const AddedCodec: Codec<AddedView> = named('BatchWithRecipients', described(record({
  ...batchFields,
  recipients: described(count, 'The recipients that it has now, including those that cannot be read.'),
  unreadable: described(count, 'How many of them cannot be read, and so are not sent to.'),
  problems: described(array(ProblemOfLine), 'The first 100 of those.'),
}), 'A draft, and the recipients that were stored.'))

/** What a check found, in a reply. */
export const Preflight: Codec<PreflightView> = named('BatchPreflight', record({
  recipients: count,
  sendable: described(count, 'The recipients without a problem.'),
  problems: described(array(record({
    code: described(string(), 'Such as `duplicate_recipient`, `customer_opted_out` or `template_parameters`.'),
    count: described(count, 'How many recipients have it.'),
    lines: described(array(count), 'The lines of the first ten of them.'),
  })), 'The problems of recipients that are left out, the most frequent first.'),
  total: described(Amount, 'The sum of the prices; confirm this amount.'),
  currency: Currency,
  by_category: array(record({ category: string(), recipients: count, price: Amount })),
  by_market: array(record({
    market: nullable(string(), 'The market of the rate card, or `default` if the price of all other markets applies; null if it is not known.'),
    recipients: count, price: Amount,
  })),
  available_after: described(Amount, 'What the wallet has available once the total is reserved; negative if it cannot pay it.'),
  days_needed: described(count, 'How many days the platform’s limit of customers in 24 hours demands, at least 1.'),
  earliest_end: described(Time, 'When the last message can leave at the earliest.'),
  days: described(array(Day), 'These days, with the number of recipients of each; the first 31.'),
  warnings: described(array(record({
    code: word<PreflightView['warnings'][number]['code']>({
      category_changed: 'the category of the template, `now`, is another than in its last batch, `before`',
      price_changed: 'the price in `market`, `now`, is another than in the last batch of the template, `before`',
      first_use: 'no batch of this template was confirmed before',
      quality_not_green: 'the platform reports the `quality` of the number',
      more_than_a_day: 'the business portfolio may reach `per_day` customers in 24 hours, of which `used` are reached',
    }),
  }, { market: string(), before: string(), now: string(), quality: string(), per_day: count, used: count })), 'What a person should know before the batch is confirmed.'),
}))

/** A batch as shown in examples. */
const BATCH_EXAMPLE: BatchView = {
  id: 'bat_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', name: 'Spring sale', state: 'draft', paused_because: null, template_name: 'spring_sale',
  language: 'en', sender: '106540352242922', send_at: null, until: null, deliver_between: null, first_wave: { recipients: 500, wait: 3600 },
  brake: DEFAULT_BRAKE, metadata: { campaign: 'spring' }, total: null, currency: null, sendable: null,
  created_at: '2026-03-01T12:00:00.000Z', confirmed_at: null, ended_at: null,
}

/** A confirmed batch as shown in examples. */
export const CONFIRMED_EXAMPLE: BatchView = {
  ...BATCH_EXAMPLE, state: 'confirmed', total: '312.500000', currency: 'USD', sendable: 5000, confirmed_at: '2026-03-01T12:05:00.000Z',
}

const NO_COUNTS = Object.fromEntries(MESSAGE_STATES.map((state) => [state, 0])) as Omit<CountsView, 'waiting' | 'left_out'>

/** A batch with its counts as shown in examples. */
export const SHOWN_EXAMPLE: ShownBatchView = {
  ...CONFIRMED_EXAMPLE, state: 'sending', recipients: 5012, price: '31.250000', held: '281.250000', rate: 80,
  counts: { ...NO_COUNTS, waiting: 2500, left_out: 12, queued: 2000, delivered: 478, read: 20, failed: 2 },
  expected_end: '2026-03-01T12:07:00.000Z',
  days: [{ from: '2026-03-01T12:06:00.000Z', recipients: 4500 }], failures: [{ code: 131026, count: 2, may_help_again: false }],
  brake_level: { code: 131026, failures: 2, pauses_at: 11, messages: 200 },
}

/** A draft with its recipients as shown in examples. */
export const ADDED_EXAMPLE: AddedView = {
  ...BATCH_EXAMPLE, recipients: 5012, unreadable: 1,
  problems: [{ line: 17, column: 'to', code: 'invalid_phone_number', message: 'to begins with 0, so its country is not known; write the country code instead of the 0, as in +49 151 23456789' }],
}

export const NDJSON_EXAMPLE = '{"to":"+33 6 39 98 00 01","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]}\n'

