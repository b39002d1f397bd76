import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Brake, DEFAULT_BRAKE, MAX_BATCH_LINES, type NoSuchBatch, type PAUSE_REASONS, type PauseReason } from '../../../core/batches/batch.js'
import type { BatchLine, LineProblem } from '../../../core/batches/lines.js'
import type { BatchUseCases, ConfirmError, MoveBatch, PreflightError, ReadLines, TooManyLines, UnreadableFile } from '../../../core/batches/use-cases.js'
import {
  type AddedView, addedView, type BatchView, batchView, type CountsView, type LineProblemView, type PreflightView, preflightView,
  type ShownBatchView, shownBatchView,
} from '../../../core/batches/view.js'
import { givenHours } from '../../../core/customers/hours.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { LinesForm } from '../../../core/kernel/lines.js'
import { parseMicros } from '../../../core/kernel/money.js'
import type { PageQuery } from '../../../core/kernel/page.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { DEFAULT_LANGUAGE, MESSAGE_STATES } from '../../../core/messages/message.js'
import type { SenderNotConfigured } from '../../../core/senders/sender.js'
import { readLines } from '../../shared/file-lines.js'
import { LINES_FAILURES } from '../body.js'
import {
  Amount, BatchName, BatchStateWord, Currency, Metadata, Moment, NextCursor, nextCursor, pageParameters, pageQuery, TemplateName, Time,
  wellFormed, withoutControls,
} from '../codecs.js'
import { Lines, linesFailure, type ReadingLines } from '../lines-body.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { type Failures, type InvalidParameter, missingThing, type NotFound } from '../reply.js'
import {
  array, atMost, codec, type Codec, count, described, fields, length, named, type NoFields, nullable, parsed, record, string, type TypeOf,
  wholeNumber, word,
} from '../schema.js'
import { Components, Language, sendingKey, TEMPLATE_REFUSALS, Through, withoutNotYet } from './send.js'
import { DAYS_AHEAD, DeliverBetween, timingSentence } from './timing.js'

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

const Recipient = named('BatchRecipient', described(fields({
  to: described(
    string(length(255), wellFormed, withoutControls),
    'The customer, as in `POST /v1/messages/send-template`. A number of a wrong form is a problem of this recipient, not of the request.',
  ),
}, {
  components: Components,
  metadata: described(Metadata, 'The notes on this message, in addition to those of the batch.'),
  timezone: described(string(atMost(100), wellFormed, withoutControls), 'The IANA name of the time zone of the customer, for `deliver_between`.'),
}), 'A recipient of a batch.'))

const onlyFalse: Codec<false> = codec(
  'false or left out: check the batch with POST /v1/batches/{id}/preflight, then confirm its total with POST /v1/batches/{id}/confirm',
  { schema: { type: 'boolean', description: 'Must be `false` or left out for now: a batch is confirmed with the total of its preflight.' } },
  (value, context) => (value === false ? t.success(false) : t.failure(value, context)),
)

const NO_FROM = 'it is not available yet; add the recipients with PUT /v1/batches/{id}/recipients'

const CreateBatchRequest = named('CreateBatchRequest', described(withoutNotYet(fields({
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
  confirm: onlyFalse,
}), { from: NO_FROM }), 'Unknown fields are ignored.'))

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

const BatchCodec: Codec<BatchView> = named('Batch', described(record(batchFields), 'Messages of one template to many customers.'))

const countFields = {
  waiting: described(count, 'Recipients without a message, which wait for their turn or, in a draft, to be confirmed.'),
  left_out: described(count, 'Recipients that are not sent to, because they have a problem or the batch ended before.'),
  ...Object.fromEntries(MESSAGE_STATES.map((state) => [state, count])),
}

const Counts: Codec<CountsView> = record(countFields) as Codec<CountsView>

const ShownBatchCodec: Codec<ShownBatchView> = named('ShownBatch', described(record({
  ...batchFields,
  recipients: described(count, 'All its recipients.'),
  counts: described(Counts, 'How many of them wait, are left out, or have a message in each state.'),
  price: described(Amount, 'What was charged for its messages so far.'),
  held: described(Amount, 'What is still reserved for it.'),
  rate: described(count, 'How many messages a second its sender may send now; other messages of the sender share them.'),
  expected_end: nullable(Time, 'When its last message can leave at the earliest; null if it is a draft, paused or over, or if its sender was removed.'),
}), 'A batch, and what has happened to its recipients.'))

const ProblemOfLine: Codec<LineProblemView> = record({
  line: described(count, 'The number of the line in the file, where the head of a CSV is line 1; or the position in `recipients`, from 1.'),
  column: nullable(string(), 'The column or the field at fault; null if it is no single one.'),
  code: string(),
  message: described(string(), 'What is wrong, and what to do. It does not quote the line.'),
})

const AddedCodec: Codec<AddedView> = named('BatchWithRecipients', described(record({
  ...batchFields,
  recipients: described(count, 'The recipients that it has now, including those that cannot be read.'),
  unreadable: described(count, 'How many of them cannot be read, and so are not sent to.'),
  problems: described(array(ProblemOfLine), 'The first 100 of those.'),
}), 'A draft, and the recipients that were stored.'))

const Preflight: Codec<PreflightView> = named('BatchPreflight', record({
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
  by_market: array(record({ market: nullable(string(), 'The market of the rate card, or `default` if the price of all other markets applies; null if the card has no markets.'), recipients: count, price: Amount })),
  available_after: described(Amount, 'What the wallet has available once the total is reserved; negative if it cannot pay it.'),
  days_needed: described(count, 'How many days the platform’s limit of customers in 24 hours demands, at least 1.'),
  earliest_end: described(Time, 'When the last message can leave at the earliest.'),
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

const CONFIRMED_EXAMPLE: BatchView = {
  ...BATCH_EXAMPLE, state: 'confirmed', total: '312.500000', currency: 'USD', sendable: 5000, confirmed_at: '2026-03-01T12:05:00.000Z',
}

const NO_COUNTS = Object.fromEntries(MESSAGE_STATES.map((state) => [state, 0])) as Omit<CountsView, 'waiting' | 'left_out'>

const SHOWN_EXAMPLE: ShownBatchView = {
  ...CONFIRMED_EXAMPLE, state: 'sending', recipients: 5012, price: '31.250000', held: '281.250000', rate: 80,
  counts: { ...NO_COUNTS, waiting: 2500, left_out: 12, queued: 2000, delivered: 480, read: 20 }, expected_end: '2026-03-01T12:07:00.000Z',
}

const ADDED_EXAMPLE: AddedView = {
  ...BATCH_EXAMPLE, recipients: 5012, unreadable: 1,
  problems: [{ line: 17, column: 'to', code: 'invalid_phone_number', message: 'to begins with 0, so its country is not known; write the country code instead of the 0, as in +49 151 23456789' }],
}

const NDJSON_EXAMPLE = '{"to":"+33 6 39 98 00 01","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]}\n'

/** Failures of every operation on one batch. */
const ONE = { NotFound: true } as const

const notFoundBatch = ({ id }: NoSuchBatch): NotFound => missingThing(`This workspace has no batch ${id}`)

/** The same result, in which a batch that does not exist is a failure of HTTP. */
const ofHttp = <Failure extends { readonly _tag: string }, A>(
  result: E.Either<Failure, A>,
): E.Either<Exclude<Failure, NoSuchBatch> | NotFound, A> => {
  if (E.isRight(result)) return result
  const failure: Failure | NoSuchBatch = result.left
  return E.left(isNoSuchBatch(failure) ? notFoundBatch(failure) : failure as Exclude<Failure, NoSuchBatch>)
}

const isNoSuchBatch = (failure: { readonly _tag: string }): failure is NoSuchBatch => failure._tag === 'NoSuchBatch'

type OfBatch<Body = undefined> = WorkspaceRequest<{ readonly id: BatchId }, Body>

const commandOf = ({ by, workspace, parameters: { id } }: OfBatch<unknown>) => ({ by, workspace, batch: id })

type StoreLinesError =
  | Exclude<HttpErrorOf<BatchUseCases['findForm']> | HttpErrorOf<BatchUseCases['addRecipients']>, NoSuchBatch | TooManyLines> | NotFound

/** The failures of a use case. */
type HttpErrorOf<UseCase extends (command: never) => Promise<E.Either<unknown, unknown>>> =
  Awaited<ReturnType<UseCase>> extends E.Either<infer Failure, unknown> ? Failure : never

const STORE_LINES: Failures<Exclude<StoreLinesError, PortFailure | { readonly _tag: 'Forbidden' }>> = {
  ...ONE, WrongBatchState: true, UnreadableFile: true,
}

/** Stores the lines of a request in a draft. */
const storeLines = async (
  { postern }: UseCases, command: ReturnType<typeof commandOf>, linesOf: (form: LinesForm<Omit<BatchLine, 'line'>>) => ReadLines,
): Promise<E.Either<StoreLinesError, AddedView>> => {
  const batches = served(postern.batches)
  const form = ofHttp(await batches.findForm(command))
  if (E.isLeft(form)) return form
  const added = ofHttp(await batches.addRecipients({ ...command, lines: linesOf(form.right) }))
  if (E.isLeft(added)) return E.left(added.left._tag === 'TooManyLines' ? TOO_MANY : added.left)
  return E.right(addedView(added.right))
}

/** In the words of a file with too many lines. */
const TOO_MANY: UnreadableFile = {
  _tag: 'UnreadableFile',
  problem: {
    line: MAX_BATCH_LINES + 1, code: 'too_many_lines', isLast: true,
    message: `A batch has at most ${MAX_BATCH_LINES} recipients; split them into several batches`,
  },
}

/** `POST /batches` */
export const createBatch = workspaceOperation({
  id: 'createBatch',
  method: 'post',
  path: '/batches',
  part: 'batches',
  tag: 'Sending',
  act: 'batch.create',
  summary: 'Create a batch',
  description:
    `Creates a draft of messages of one template to up to ${MAX_BATCH_LINES} customers. Nothing is sent or reserved until it is confirmed. Recipients are in the body, or are added as a file. A `
      + 'recipient that cannot be sent to, such as a wrong number, is listed in `problems` and left out later. Repeating the request creates another draft.',
  body: {
    codec: CreateBatchRequest, forms: false, passedOn: ['recipients'],
    examples: {
      empty: { value: { template_name: 'spring_sale', name: 'Spring sale', first_wave: { recipients: 500, wait: 3600 } } },
      recipients: {
        value: {
          template_name: 'hello_world', language: 'en_US', recipients: [{ to: '33639980001', metadata: { order: 'A-17' } }],
        },
      },
    },
  },
  reply: { status: 201, description: 'The draft.', codec: AddedCodec, example: { ...ADDED_EXAMPLE, recipients: 0, unreadable: 0, problems: [] } },
  failures: { InvalidParameter: true, SenderNotConfigured: true, UnknownSender: true, WrongBatchState: true },
  run: async (
    deps: UseCases, { workspace, by, principal, body }: WorkspaceRequest<NoFields, TypeOf<typeof CreateBatchRequest>>,
  ): Outcome<CreateFailure, AddedView> => {
    const created = await served(deps.postern.batches).create({ by, workspace, keyId: principal.key, sender: body.sender, ...partsOfBatch(body) })
    if (E.isLeft(created)) {
      return created.left._tag === 'InvalidTiming'
        ? E.left({ _tag: 'InvalidParameter', sentence: timingSentence(created.left, 'until') })
        : E.left(created.left)
    }
    const { recipients = [] } = body
    if (recipients.length === 0) return E.right({ value: addedView({ batch: created.right, recipients: 0, unreadable: 0, problems: [] }) })
    const added = await storeLines(deps, { by, workspace, batch: created.right.id }, ({ ofObject }) => linesIn(recipients, ofObject))
    if (E.isRight(added)) return E.right({ value: added.right })
    // The batch was just made, and its recipients are not a file.
    if (added.left._tag === 'NotFound' || added.left._tag === 'UnreadableFile') throw new TypeError('recipients of a new batch could not be stored')
    return E.left(added.left)
  },
})

type CreateFailure =
  | Exclude<HttpErrorOf<BatchUseCases['create']>, { readonly _tag: 'InvalidTiming' }> | InvalidParameter
  | Exclude<StoreLinesError, NotFound | UnreadableFile>

const partsOfBatch = ({ template_name, language = DEFAULT_LANGUAGE, ...body }: TypeOf<typeof CreateBatchRequest>) => ({
  templateName: template_name, language, name: body.name, metadata: body.metadata,
  timing: {
    ...(body.send_at !== undefined && { sendAt: body.send_at }), ...(body.until !== undefined && { until: body.until }),
    ...(body.deliver_between && { hours: givenHours(body.deliver_between) }),
  },
  ...(body.first_wave && { firstWave: { recipients: body.first_wave.recipients, waitMs: body.first_wave.wait * SECOND_MS } }),
  ...(body.brake && { brake: brakeOf(body.brake) }),
})

const brakeOf = ({ share: given = DEFAULT_BRAKE.share, of = DEFAULT_BRAKE.of }: Partial<Brake>): Brake => ({ share: given, of })

/** The recipients of a body as lines, numbered from 1. */
async function* linesIn(
  recipients: ReadonlyArray<TypeOf<typeof Recipient>>, ofObject: LinesForm<Omit<BatchLine, 'line'>>['ofObject'],
): AsyncGenerator<E.Either<LineProblem, BatchLine>> {
  for (const [index, recipient] of recipients.entries()) {
    const line = index + 1
    const read = ofObject(recipient)
    yield await Promise.resolve(E.isLeft(read) ? E.left({ line, ...read.left }) : E.right({ ...read.right, line }))
  }
}

/** `PUT /batches/{id}/recipients` */
export const addRecipients = workspaceOperation({
  id: 'addRecipients',
  method: 'put',
  path: '/batches/{id}/recipients',
  part: 'batches',
  tag: 'Sending',
  act: 'batch.change',
  summary: 'Set the recipients of a batch',
  description:
    'Replaces the recipients of a draft with those of a file, which is read while it arrives. A CSV names its columns in the first line: `to`, the placeholders of the template as `body.1`, `header.1`, '
      + '`button.0.1`, or by name as `body.first_name`, `timezone`, and `metadata.KEY`. A line of NDJSON is `{"to","components","metadata","timezone"}`. A line that cannot be read is listed in `problems` '
      + 'and left out later. If the file breaks off or cannot be read from a line on, the earlier recipients stay.',
  pathParameters: { id: BatchName },
  body: {
    codec: Lines, forms: false, isLines: true,
    examples: { csv: { value: 'to,body.1\n+33 6 39 98 00 01,Ada\n' }, ndjson: { value: NDJSON_EXAMPLE } },
  },
  reply: { description: 'The draft, with its recipients.', codec: AddedCodec, example: ADDED_EXAMPLE },
  failures: { ...LINES_FAILURES, ...STORE_LINES },
  run: async (deps: UseCases, request: OfBatch<ReadingLines>): Outcome<StoreLinesError | LinesFailure, AddedView> => {
    const { type, bytes, failure } = request.body
    try {
      const added = await storeLines(deps, commandOf(request), (form) => readLines(bytes, type, form))
      return E.map((value: AddedView) => ({ value }))(added)
    } catch (error) {
      const broken = linesFailure(failure())
      if (broken === undefined) throw error
      return E.left(broken)
    }
  },
})

type LinesFailure = NonNullable<ReturnType<typeof linesFailure>>

type CheckFailure = Exclude<PreflightError, NoSuchBatch | SenderNotConfigured> | NotFound

const CHECK: Failures<Exclude<CheckFailure, PortFailure | { readonly _tag: 'Forbidden' }>> = {
  ...ONE, WrongBatchState: true, BatchChanged: true, UnknownSender: true,
  TemplateNotFound: TEMPLATE_REFUSALS.TemplateNotFound, TemplateNotApproved: TEMPLATE_REFUSALS.TemplateNotApproved,
}

/** The result of a check. A batch names its sender, so that no check misses a default sender. */
const ofCheck = <Failure extends { readonly _tag: string }, A>(
  result: E.Either<Failure, A>,
): E.Either<Exclude<Failure, NoSuchBatch | SenderNotConfigured> | NotFound, A> => {
  const checked = ofHttp(result)
  if (E.isRight(checked)) return checked
  if (checked.left._tag === 'SenderNotConfigured') throw new TypeError('a batch without a sender was checked')
  return E.left(checked.left as Exclude<Failure, NoSuchBatch | SenderNotConfigured> | NotFound)
}

/** `POST /batches/{id}/preflight` */
export const preflightBatch = workspaceOperation({
  id: 'preflightBatch',
  method: 'post',
  path: '/batches/{id}/preflight',
  part: 'batches',
  tag: 'Sending',
  act: 'batch.change',
  summary: 'Check a batch',
  description:
    'Checks and prices every recipient of a draft as a send would, and says what the batch costs, who is left out and why, and how long it takes. Nothing is sent or reserved. With many recipients it takes some '
      + 'seconds.',
  pathParameters: { id: BatchName },
  reply: {
    description: 'What the check found.', codec: Preflight,
    example: {
      recipients: 5012, sendable: 5000, problems: [{ code: 'customer_opted_out', count: 12, lines: [17, 230, 231] }],
      total: '312.500000', currency: 'USD', by_category: [{ category: 'marketing', recipients: 5000, price: '312.500000' }],
      by_market: [{ market: 'Germany', recipients: 5000, price: '312.500000' }], available_after: '87.500000', days_needed: 1,
      earliest_end: '2026-03-01T12:06:02.000Z', warnings: [{ code: 'first_use' }],
    },
  },
  failures: CHECK,
  run: async ({ postern }: UseCases, request: OfBatch): Outcome<CheckFailure, PreflightView> => {
    const checked = ofCheck(await served(postern.batches).preflight(commandOf(request)))
    return E.isLeft(checked) ? checked : E.right({ value: preflightView(checked.right) })
  },
})

const Total: Codec<bigint> = described(parsed(
  { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,6})?$' }, 'a decimal number with at most six decimals, in a string, such as "312.50"',
  (text) => {
    const micros = parseMicros(text)
    return E.isRight(micros) ? micros.right : undefined
  },
), 'The `total` of its latest preflight.')

const ConfirmBatchRequest = named('ConfirmBatchRequest', described(fields({ total: Total }), 'Unknown fields are ignored.'))

/** `POST /batches/{id}/confirm` */
export const confirmBatch = workspaceOperation({
  id: 'confirmBatch',
  method: 'post',
  path: '/batches/{id}/confirm',
  part: 'batches',
  tag: 'Sending',
  act: 'batch.confirm',
  summary: 'Confirm a batch',
  description:
    'Checks a draft again and reserves its total at once, in one hold; then its messages are sent. Recipients with a problem are left out. If the total differs from the given one, nothing happens. The daily '
      + 'limit of the key counts the total now; its rate limit never counts messages of a batch. Repeating the request changes nothing.',
  pathParameters: { id: BatchName },
  body: { codec: ConfirmBatchRequest, forms: false, examples: { total: { value: { total: '312.500000' } } } },
  reply: { status: 202, description: 'The batch, which will be sent.', codec: BatchCodec, example: CONFIRMED_EXAMPLE },
  failures: { ...CHECK, PreflightChanged: true, NothingToSend: true, InsufficientBalance: true, SpendingLimitReached: true },
  run: async (
    { postern }: UseCases, request: OfBatch<TypeOf<typeof ConfirmBatchRequest>>,
  ): Outcome<Exclude<ConfirmError, NoSuchBatch | SenderNotConfigured> | NotFound, BatchView> => {
    const command = { ...commandOf(request), total: request.body.total, key: sendingKey(request.principal) }
    const confirmed = ofCheck(await served(postern.batches).confirm(command))
    return E.isLeft(confirmed) ? confirmed : E.right({ value: batchView(confirmed.right) })
  },
})

type MoveFailure = Exclude<HttpErrorOf<MoveBatch>, NoSuchBatch> | NotFound

/** What pausing, resuming and canceling have in common. */
const MOVED = {
  method: 'post', part: 'batches', tag: 'Sending', pathParameters: { id: BatchName }, failures: { ...ONE, WrongBatchState: true },
} as const

const moved = async (move: MoveBatch, request: OfBatch): Outcome<MoveFailure, BatchView> => {
  const batch = ofHttp(await move(commandOf(request)))
  return E.isLeft(batch) ? batch : E.right({ value: batchView(batch.right) })
}

/** `POST /batches/{id}/pause` */
export const pauseBatch = workspaceOperation({
  ...MOVED,
  id: 'pauseBatch',
  path: '/batches/{id}/pause',
  act: 'batch.pause',
  summary: 'Pause a batch',
  description:
    'Sends nothing more of a batch until it is resumed. Messages that are queued already wait, too; those on their way to the platform are not stopped. Its hold stays. Repeating it changes nothing.',
  reply: { description: 'The batch as it is now.', codec: BatchCodec, example: { ...CONFIRMED_EXAMPLE, state: 'paused', paused_because: 'person' } },
  run: ({ postern }: UseCases, request: OfBatch) => moved(served(postern.batches).pause, request),
})

/** `POST /batches/{id}/resume` */
export const resumeBatch = workspaceOperation({
  ...MOVED,
  id: 'resumeBatch',
  path: '/batches/{id}/resume',
  act: 'batch.resume',
  summary: 'Resume a batch',
  description:
    'Goes on with a paused batch, or ends the wait after its first wave. Its brake counts only failures from now on. Repeating it changes nothing.',
  reply: { description: 'The batch as it is now.', codec: BatchCodec, example: CONFIRMED_EXAMPLE },
  run: ({ postern }: UseCases, request: OfBatch) => moved(served(postern.batches).resume, request),
})

/** `POST /batches/{id}/cancel` */
export const cancelBatch = workspaceOperation({
  ...MOVED,
  id: 'cancelBatch',
  path: '/batches/{id}/cancel',
  act: 'batch.cancel',
  summary: 'Cancel a batch',
  description:
    'Sends nothing more of a batch, permanently, and releases what is reserved for messages that have not left. A draft can be canceled, too. Messages that have left are not taken back. Repeating it changes nothing.',
  reply: {
    description: 'The batch as it is now.', codec: BatchCodec, example: { ...CONFIRMED_EXAMPLE, state: 'canceled', ended_at: '2026-03-01T12:06:00.000Z' },
  },
  run: ({ postern }: UseCases, request: OfBatch) => moved(served(postern.batches).cancel, request),
})

/** `GET /batches/{id}` */
export const getBatch = workspaceOperation({
  id: 'getBatch',
  method: 'get',
  path: '/batches/{id}',
  part: 'batches',
  tag: 'Reading',
  act: 'batch.view',
  summary: 'Look up a batch',
  description: 'One batch, with what has happened to its recipients, what was charged, what is reserved, and when it can end. A batch of another workspace is not found.',
  pathParameters: { id: BatchName },
  reply: { description: 'The batch.', codec: ShownBatchCodec, example: SHOWN_EXAMPLE },
  failures: ONE,
  run: async ({ postern }: UseCases, request: OfBatch): Outcome<Exclude<HttpErrorOf<BatchUseCases['show']>, NoSuchBatch> | NotFound, ShownBatchView> => {
    const shown = ofHttp(await served(postern.batches).show(commandOf(request)))
    return E.isLeft(shown) ? shown : E.right({ value: shownBatchView(shown.right) })
  },
})

type ListedBatches = { readonly batches: ReadonlyArray<BatchView>; readonly next_cursor: string | null }

/** `GET /batches` */
export const listBatches = workspaceOperation({
  id: 'listBatches',
  method: 'get',
  path: '/batches',
  part: 'batches',
  tag: 'Reading',
  act: 'batch.view',
  isList: true,
  summary: 'List batches',
  description: 'The batches of the workspace, newest first, in pages.',
  query: pageParameters('batches'),
  reply: {
    description: 'A page of the list.',
    codec: named('Batches', record({ batches: described(array(BatchCodec), 'Newest first.'), next_cursor: NextCursor })),
    example: { batches: [CONFIRMED_EXAMPLE], next_cursor: null },
  },
  failures: {},
  run: async (
    { postern }: UseCases, { by, workspace, parameters }: WorkspaceRequest<Partial<PageQuery>>,
  ): Outcome<HttpErrorOf<BatchUseCases['list']>, ListedBatches> => {
    const page = await served(postern.batches).list({ by, workspace, ...pageQuery(parameters) })
    if (E.isLeft(page)) return page
    return E.right({ value: { batches: page.right.items.map(batchView), next_cursor: nextCursor('batches', page.right) } })
  },
})
