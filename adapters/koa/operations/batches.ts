import * as E from 'fp-ts/lib/Either.js'
import { type Brake, DEFAULT_BRAKE, MAX_BATCH_LINES, type NoSuchBatch } from '../../../core/batches/batch.js'
import type { BatchLine, LineProblem } from '../../../core/batches/lines.js'
import type { ShowBatch } from '../../../core/batches/show.js'
import type { SubmitBatch } from '../../../core/batches/submit.js'
import type {
  BatchUseCases, ConfirmError, MoveBatch, PreflightError, ReadLines, TooManyLines, UnreadableFile,
} from '../../../core/batches/use-cases.js'
import {
  type AddedView, addedView, type BatchView, batchView, type PreflightView, preflightView, type ShownBatchView, shownBatchView,
} from '../../../core/batches/view.js'
import { givenHours } from '../../../core/customers/hours.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { canonicalJson, type JsonObject } from '../../../core/kernel/json.js'
import type { LinesForm } from '../../../core/kernel/lines.js'
import { parseMicros } from '../../../core/kernel/money.js'
import type { PageQuery } from '../../../core/kernel/page.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { DEFAULT_LANGUAGE } from '../../../core/messages/message.js'
import type { SenderNotConfigured } from '../../../core/senders/sender.js'
import type { InvalidTiming } from '../../../core/sending/timing.js'
import { readLines } from '../../shared/file-lines.js'
import { LINES_FAILURES } from '../body.js'
import { BatchName, NextCursor, nextCursor, pageParameters, pageQuery } from '../codecs.js'
import { Lines, linesFailure, type ReadingLines } from '../lines-body.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { type Failures, type InvalidParameter, missingThing, type NotFound } from '../reply.js'
import {
  array, type Codec, described, fields, named, type NoFields, parsed, record, type TypeOf,
} from '../schema.js'
import {
  ADDED_EXAMPLE, AddedCodec, BatchCodec, CONFIRMED_EXAMPLE, CreateBatchRequest, NDJSON_EXAMPLE, Preflight, type Recipient, SHOWN_EXAMPLE,
  ShownBatchCodec,
} from './batch-codecs.js'
import { sendingKey, TEMPLATE_REFUSALS } from './send.js'
import { timingSentence } from './timing.js'

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

type CheckFailure = Exclude<PreflightError, NoSuchBatch | SenderNotConfigured> | NotFound

const CHECK: Failures<Exclude<CheckFailure, PortFailure | { readonly _tag: 'Forbidden' }>> = {
  ...ONE, WrongBatchState: true, BatchChanged: true, UnknownSender: true,
  TemplateNotFound: TEMPLATE_REFUSALS.TemplateNotFound, TemplateNotApproved: TEMPLATE_REFUSALS.TemplateNotApproved,
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
      + 'recipient that cannot be sent to, such as a wrong number, is listed in `problems` and left out later. With an `Idempotency-Key` all requests with that key and body make one batch, which is confirmed once; '
      + 'the batch keeps the key for as long as it exists. Only a refusal frees it, for example for lack of money. Without a key, repeating the request creates another draft, and with `confirm` sends another batch.',
  isIdempotent: true,
  body: {
    codec: CreateBatchRequest, forms: false, passedOn: ['recipients'],
    examples: {
      empty: { value: { template_name: 'spring_sale', name: 'Spring sale', first_wave: { recipients: 500, wait: 3600 } } },
      recipients: {
        value: {
          template_name: 'hello_world', language: 'en_US', recipients: [{ to: '33639980001', metadata: { order: 'A-17' } }],
        },
      },
      again: {
        value: { template_name: 'spring_sale', from: { batch: 'bat_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', states: ['failed', 'unread'] } },
      },
    },
  },
  reply: {
    status: 201, codec: AddedCodec,
    description: 'The draft, or with `confirm` the confirmed batch. With `Idempotency-Replayed` it is the batch of an earlier request as it is now.',
    example: { ...ADDED_EXAMPLE, recipients: 0, unreadable: 0, problems: [] }, headers: ['Idempotency-Replayed'],
  },
  failures: {
    ...CHECK, InvalidParameter: true, SenderNotConfigured: true, ContentGone: true, NothingToSend: true,
    InsufficientBalance: true, SpendingLimitReached: true, IdempotencyInProgress: true, IdempotencyKeyReused: true,
  },
  run: async (
    { postern }: UseCases,
    { workspace, by, principal, body, idempotency: { idempotencyKey } }: WorkspaceRequest<NoFields, TypeOf<typeof CreateBatchRequest>>,
  ): Outcome<CreateFailure, AddedView> => {
    const { recipients = [], from, confirm: confirms = false, sender } = body
    if (from !== undefined && body.recipients !== undefined) {
      return E.left({ _tag: 'InvalidParameter', sentence: 'from cannot be combined with recipients' })
    }
    const parts = { sender, ...partsOfBatch(body), from, confirms }
    const submitted = ofHttp(await served(postern.batches).submit({
      by, workspace, keyId: principal.key, ...parts, key: sendingKey(principal),
      claim: idempotencyKey && { key: idempotencyKey, request: requestOf({ ...parts, recipients }) },
      linesOf: recipients.length === 0 ? undefined : ({ ofObject }) => linesIn(recipients, ofObject),
    }))
    if (E.isRight(submitted)) {
      const { isReplayed, ...added } = submitted.right
      return E.right({ value: addedView(added), ...(isReplayed && { headers: { 'Idempotency-Replayed': 'true' } }) })
    }
    const { left } = submitted
    if (left._tag === 'InvalidTiming') return E.left({ _tag: 'InvalidParameter', sentence: timingSentence(left, 'until') })
    // The recipients are not a file, and an earlier batch has no more of them than another one.
    if (left._tag === 'UnreadableFile' || left._tag === 'TooManyLines') throw new TypeError('recipients of a new batch could not be stored')
    return E.left(ofBatch(left))
  },
})

type CreateFailure =
  | InvalidParameter | NotFound | Exclude<HttpErrorOf<SubmitBatch>, NoSuchBatch | InvalidTiming | UnreadableFile | TooManyLines>

/** The sentence of the reply then names the batch. */
const ofBatch = <Failure extends { readonly _tag: string }>(failure: Failure): Failure =>
  (failure._tag === 'InsufficientBalance' || failure._tag === 'SpendingLimitReached' ? { ...failure, isBatch: true } : failure)

const partsOfBatch = ({ template_name, language = DEFAULT_LANGUAGE, ...body }: TypeOf<typeof CreateBatchRequest>) => ({
  templateName: template_name, language, name: body.name, metadata: body.metadata,
  timing: {
    ...(body.send_at !== undefined && { sendAt: body.send_at }), ...(body.until !== undefined && { until: body.until }),
    ...(body.deliver_between && { hours: givenHours(body.deliver_between) }),
  },
  ...(body.first_wave && { firstWave: { recipients: body.first_wave.recipients, waitMs: body.first_wave.wait * SECOND_MS } }),
  ...(body.brake && { brake: brakeOf(body.brake) }),
})

/** A text that is equal for two bodies exactly if both request the same batch: fields that are absent and unknown fields make no difference. */
const requestOf = (parts: object): string => canonicalJson(parts as JsonObject)

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
      earliest_end: '2026-03-01T12:06:02.000Z',
      days: [{ from: '2026-03-01T12:05:00.000Z', recipients: 5000 }], warnings: [{ code: 'first_use' }],
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
    if (E.isRight(confirmed)) return E.right({ value: batchView(confirmed.right) })
    return E.left(ofBatch(confirmed.left))
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
  reply: {
    description: 'The batch as it is now.', codec: BatchCodec,
    example: { ...CONFIRMED_EXAMPLE, state: 'paused', paused_because: 'person' },
  },
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
    description: 'The batch as it is now.', codec: BatchCodec,
    example: { ...CONFIRMED_EXAMPLE, state: 'canceled', ended_at: '2026-03-01T12:06:00.000Z' },
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
  run: async (
    { postern }: UseCases, request: OfBatch,
  ): Outcome<Exclude<HttpErrorOf<ShowBatch>, NoSuchBatch> | NotFound, ShownBatchView> => {
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
