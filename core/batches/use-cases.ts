import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, checkView, perform } from '../access/acting.js'
import type { Act, Actor } from '../kernel/actor.js'
import { portFailure, type PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { LinesForm } from '../kernel/lines.js'
import { type Currency, formatMicros } from '../kernel/money.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type Instant, iso } from '../kernel/time.js'
import type { Ledger } from '../money/ledger.js'
import type { SharedHolds } from '../money/shared-holds.js'
import type { InsufficientBalance, SendingKey, SpendingLimitReached } from '../money/wallet.js'
import { type NoSender, readableAccount, requiredSender, type SenderDirectory, type SenderId } from '../senders/sender.js'
import { faultOf, type InvalidTiming } from '../sending/timing.js'
import type { NamedTemplates } from '../templates/catalogue.js'
import {
  type Batch, type BatchChange, type Batches, type BatchState, type Confirmed, DEFAULT_BRAKE, type LineContent,
  MAX_BATCH_LINES, MAX_GIVEN_TO_LENGTH, type NewLine, type NoSuchBatch, REQUEST_UPLOAD, type WrongBatchState,
} from './batch.js'
import { changeOr, findBatch, wrongState } from './change.js'
import { checkBatch, type Checked, type CheckDeps, type CheckError } from './check.js'
import { type Forecast, forecastOf, type ForecastDeps } from './forecast.js'
import { holdTotal, type PreflightChanged } from './hold.js'
import { batchLines, type BatchLine, type BatchRecipient, type LineProblem } from './lines.js'

/** The batches of a workspace, for applications and people. */
export type BatchUseCases = {
  readonly create: CreateBatch
  readonly findForm: FindLinesForm
  readonly addRecipients: AddRecipients
  readonly preflight: PreflightBatch
  readonly confirm: ConfirmBatch
  readonly pause: MoveBatch
  readonly resume: MoveBatch
  readonly cancel: MoveBatch
  readonly list: ListBatches
}

/** What they need. */
export type BatchDeps = CheckDeps & ActDeps & ForecastDeps & {
  readonly batches: Batches
  readonly sharedHolds: SharedHolds
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly ledger: Pick<Ledger, 'balance'>
  readonly newBatchId: () => BatchId
  /** A random whole number below 2^53. */
  readonly newUpload: () => number
}

/** A batch of a workspace, and who acts. */
export type BatchCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly batch: BatchId }

/** Makes a draft; right: the earlier batch instead if there is one with the key of its `request`. `InvalidTiming`: its times have passed or are too far ahead. */
export type CreateBatch = (command: CreateBatchCommand) => Promise<E.Either<CreateBatchError, Batch>>

/** What a batch consists of, apart from its lines. */
export type CreateBatchCommand =
  & { readonly by: Actor; readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly keyId?: string | undefined }
  & Pick<Batch, 'templateName' | 'language' | 'timing'>
  & Partial<Pick<Batch, 'brake'>>
  & { readonly [Field in 'name' | 'firstWave' | 'metadata' | 'request']?: Batch[Field] | undefined }

/** Why a batch is not made. */
export type CreateBatchError = InvalidTiming | NoSender | Forbidden | PortFailure

const makeCreateBatch = (deps: BatchDeps): CreateBatch => ({ by, workspace, sender: named, ...given }) => {
  const { now } = deps.windowClock
  return perform(
    deps, { by, act: 'batch.create', workspace },
    { describe: ({ id }: Batch) => ({ subject: id }), describeAnswer: ({ id }) => ({ subject: id }) },
    async (outboxEntries: MakeOutboxEntries<Batch>): Promise<E.Either<CreateBatchError, Batch>> => {
      const fault = faultOf(given.timing, now())
      if (fault !== undefined) return E.left(fault)
      const sender = await requiredSender(deps.senders, { workspace, sender: named })
      if (E.isLeft(sender)) return sender
      return deps.batches.create(newBatch(deps, { ...given, workspace }, sender.right.phoneNumberId), outboxEntries)
    },
  )
}

const newBatch = (
  { newBatchId, windowClock }: BatchDeps,
  { workspace, templateName, language, timing, ...given }: Omit<CreateBatchCommand, 'by' | 'sender'>, sender: SenderId,
): Batch => {
  const { name, keyId, metadata, firstWave, request, brake = DEFAULT_BRAKE } = given
  return {
    id: newBatchId(), workspace, sender, templateName, language, timing, brake, state: 'draft', upload: 0,
    createdAt: windowClock.now(), ...(name !== undefined && { name }), ...(keyId !== undefined && { keyId }),
    ...(metadata && { metadata }), ...(firstWave && { firstWave }), ...(request && { request }),
  }
}

/**
 * Tells what the lines of a draft mean, because its template has the placeholders that the columns of a CSV fill. If the template is not known, or if the sender was removed, the lines are
 * read without it; the check refuses the batch later.
 */
export type FindLinesForm = (
  command: BatchCommand,
) => Promise<E.Either<NoSuchBatch | WrongBatchState | Forbidden | PortFailure, LinesForm<BatchRecipient>>>

const makeFindLinesForm = (deps: BatchDeps): FindLinesForm => async (command) => {
  const found = await changeable(deps, command)
  if (E.isLeft(found)) return found
  const { workspace, sender: named, templateName, language } = found.right
  const sender = await deps.senders.senderOf(workspace, named)
  if (E.isLeft(sender)) return sender
  const account = readableAccount(O.toUndefined(sender.right))
  if (account === undefined || deps.templateCatalogue === undefined) return E.right(batchLines())
  const listed = await deps.templateCatalogue.find(account, templateName)
  return E.map(({ templates }: NamedTemplates) => batchLines(templates.find((one) => one.language === language)))(listed)
}

/** The lines of a file, or what is wrong with them. */
export type ReadLines = AsyncIterable<E.Either<LineProblem, BatchLine>>

/**
 * Replaces the lines of a draft, while they are read. Right: the batch, and the lines that could not be read, of which the first `MAX_PROBLEMS` are shown. They are stored too, and are
 * not sent. `TooManyLines`, `UnreadableFile` and a failure while reading leave the lines as they were.
 */
export type AddRecipients = (command: LinesCommand & { readonly lines: ReadLines }) => Promise<E.Either<AddRecipientsError, Added>>

/** A draft that gets lines. With `isFirst` they are those of its own request, which are stored in `REQUEST_UPLOAD`, and it fails with `WrongBatchState` if the draft has lines. */
export type LinesCommand = BatchCommand & { readonly isFirst?: boolean | undefined }

/** What was added. */
export type Added = {
  readonly batch: Batch; readonly recipients: number; readonly problems: ReadonlyArray<LineProblem>; readonly unreadable: number
}

/** More lines than `MAX_BATCH_LINES`. */
export type TooManyLines = { readonly _tag: 'TooManyLines' }

/** The rest of a file cannot be read from a line on. */
export type UnreadableFile = { readonly _tag: 'UnreadableFile'; readonly problem: LineProblem }

/** Why the lines stay as they were. */
export type AddRecipientsError = NoSuchBatch | WrongBatchState | TooManyLines | UnreadableFile | Forbidden | PortFailure

/** How many lines are stored at the same time, and how many problems are shown. */
const BLOCK = 1_000
export const MAX_PROBLEMS = 100

const makeAddRecipients = (deps: BatchDeps): AddRecipients => ({ lines, ...command }) => addLines<never>(deps, command, lines)

/** Replaces the lines of a draft. A failure among the lines leaves them as they were. */
export const addLines = <Failure extends { readonly _tag: string }>(
  deps: BatchDeps, { isFirst = false, ...command }: LinesCommand, lines: AsyncIterable<E.Either<LineProblem | Failure, BatchLine>>,
): Promise<E.Either<AddRecipientsError | Failure, Added>> =>
  acting(deps, 'batch.change', command, async (batch, outboxEntries): Promise<E.Either<AddRecipientsError | Failure, Added>> => {
    if (batch.state !== 'draft' || (isFirst && batch.upload !== 0)) return wrongState(batch)
    const [of, upload] = [{ workspace: batch.workspace, batch: batch.id }, isFirst ? REQUEST_UPLOAD : deps.newUpload()]
    const stored = await storeLines(deps, of, upload, lines)
    if (E.isLeft(stored)) return stored
    const changed = await changeOr(deps, { ...of, from: ['draft'], ...(isFirst && { upload: 0 }), set: { upload } }, outboxEntries)
    if (E.isLeft(changed)) return changed
    if (!isFirst) await removeOthers(deps, of, upload)
    return E.right({ batch: changed.right, ...stored.right })
  })

const storeLines = async <Failure extends { readonly _tag: string }>(
  { batches }: BatchDeps, of: { readonly workspace: WorkspaceId; readonly batch: BatchId }, upload: number,
  lines: AsyncIterable<E.Either<LineProblem | Failure, BatchLine>>,
): Promise<E.Either<AddRecipientsError | Failure, Omit<Added, 'batch'>>> => {
  const problems: Array<LineProblem> = []
  let [block, recipients, unreadable]: [Array<NewLine>, number, number] = [[], 0, 0]
  const append = async (): Promise<E.Either<PortFailure, void>> => {
    const full = block
    block = []
    return full.length === 0 ? E.right(undefined) : batches.append(of, upload, full)
  }
  for await (const read of lines) {
    if (E.isLeft(read)) {
      if ('_tag' in read.left) return E.left(read.left)
      if (read.left.isLast) return E.left({ _tag: 'UnreadableFile', problem: read.left })
      unreadable += 1
      if (problems.length < MAX_PROBLEMS) problems.push(read.left)
    }
    recipients += 1
    if (recipients > MAX_BATCH_LINES) return E.left({ _tag: 'TooManyLines' })
    block.push(E.isLeft(read) ? unreadableLine(read.left as LineProblem) : newLine(read.right))
    if (block.length < BLOCK) continue
    const appended = await append()
    if (E.isLeft(appended)) return appended
  }
  return E.map(() => ({ recipients, problems, unreadable }))(await append())
}

const unreadableLine = ({ line, code, to = '' }: LineProblem): NewLine =>
  ({ line, to: to.slice(0, MAX_GIVEN_TO_LENGTH), problem: code })

const newLine = ({ line, to, components, metadata, timezone }: BatchLine): NewLine => {
  const content: LineContent = {
    ...(components && { components }), ...(metadata && { metadata }), ...(timezone !== undefined && { timezone }),
  }
  return { line, to, ...(Object.keys(content).length > 0 && { content }) }
}

/** The lines of earlier uploads are not read any more, so it does not matter if this fails: the next upload removes them. */
const removeOthers = async ({ batches }: BatchDeps, of: Parameters<Batches['removeOthers']>[0], upload: number): Promise<void> => {
  for (;;) {
    const removed = await batches.removeOthers(of, upload, BLOCK)
    if (E.isLeft(removed) || removed.right < BLOCK) return
  }
}

/** Checks every line, and tells what a batch costs, what is left out, and how long it takes. Nothing is sent or held. */
export type PreflightBatch = (command: BatchCommand) => Promise<E.Either<PreflightError, Preflight>>

/** What a check found, what is left of the balance, and how long the batch takes. Amounts in micros. */
export type Preflight = Checked & Forecast & { readonly currency: Currency; readonly availableAfter: bigint }

/** Why a batch cannot be checked. */
export type PreflightError = NoSuchBatch | WrongBatchState | CheckError | Forbidden

const makePreflightBatch = (deps: BatchDeps): PreflightBatch => async (command) => {
  const found = await changeable(deps, command)
  if (E.isLeft(found)) return found
  const batch = found.right
  const checked = await checkBatch(deps, batch)
  if (E.isLeft(checked)) return checked
  const [balance, forecast] = await Promise.all([
    deps.ledger.balance(batch.workspace), forecastOf(deps, batch, checked.right),
  ])
  if (E.isLeft(balance)) return balance
  if (E.isLeft(forecast)) return forecast
  if (O.isNone(balance.right)) return E.left(portFailure('Ledger')('the workspace has no wallet'))
  const { available, currency } = balance.right.value
  return E.right({ ...checked.right, ...forecast.right, currency, availableAfter: available - checked.right.total })
}

/**
 * Confirms a draft with its total, in micros, and reserves it. Repeating it changes nothing. `PreflightChanged`: the lines cost another total by now. `WrongBatchState`: it was canceled, by a person, or because requests that met had reserved another total. `NothingToSend`: no line is without a
 * problem. `InsufficientBalance`, `SpendingLimitReached`: nothing was reserved, and it is a draft still.
 */
export type ConfirmBatch = (command: ConfirmCommand) => Promise<E.Either<ConfirmError, Batch>>

/** The total that the caller has seen, and the API key whose limit counts. */
export type ConfirmCommand = BatchCommand & { readonly total: bigint; readonly key?: SendingKey | undefined }

/** No line of a batch can be sent. */
export type NothingToSend = { readonly _tag: 'NothingToSend' }

/** Why a batch is not confirmed. */
export type ConfirmError = PreflightError | PreflightChanged | NothingToSend | InsufficientBalance | SpendingLimitReached

const makeConfirmBatch = (deps: BatchDeps): ConfirmBatch => ({ total, key, ...command }) =>
  acting(deps, 'batch.confirm', command, async (batch, outboxEntries): Promise<E.Either<ConfirmError, Batch>> => {
    const confirm = (one: Batch) => confirmAsRead(deps, one, { total, key }, outboxEntries)
    let confirmed = await confirm(batch)
    for (let again = 0; again < CONFIRM_AGAIN && E.isLeft(confirmed) && wasOvertaken(confirmed.left); again += 1) {
      const found = await findBatch(deps, batch.workspace, batch.id)
      if (E.isLeft(found)) return found
      if (found.right.confirmed === undefined) return confirmed
      confirmed = await confirm(found.right)
    }
    return confirmed
  }, { total: formatMicros(total) })

/** How often a batch is read again because a simultaneous request has moved it: that request confirms it, and then notes that the total is reserved. */
const CONFIRM_AGAIN = 2

const wasOvertaken = ({ _tag }: ConfirmError): boolean => _tag === 'BatchChanged' || _tag === 'WrongBatchState'

/** Confirms a batch as it was read. */
const confirmAsRead = async (
  deps: BatchDeps, batch: Batch, { total, key }: Pick<ConfirmCommand, 'key' | 'total'>, outboxEntries: MakeOutboxEntries<Batch>,
): Promise<E.Either<ConfirmError, Batch>> => {
  const { confirmed } = batch
  if (batch.state === 'canceled') return wrongState(batch)
  if (confirmed !== undefined) {
    if (confirmed.total !== total) return E.left({ _tag: 'PreflightChanged', total: confirmed.total, confirmed: total })
    return confirmed.heldAt === undefined ? holdTotal(deps, batch, key, outboxEntries) : E.right(batch)
  }
  if (batch.state !== 'draft') return wrongState(batch)
  const frozen = await freeze(deps, batch, total)
  return E.isLeft(frozen) ? frozen : holdTotal(deps, frozen.right, key, outboxEntries)
}

/** Checks a draft again, and fixes its lines and their prices. Afterwards no check changes them. */
const freeze = async (deps: BatchDeps, batch: Batch, total: bigint): Promise<E.Either<ConfirmError, Batch>> => {
  const [checked, balance] = [await checkBatch(deps, batch), await deps.ledger.balance(batch.workspace)]
  if (E.isLeft(checked)) return checked
  if (E.isLeft(balance)) return balance
  if (checked.right.total !== total) return E.left({ _tag: 'PreflightChanged', total: checked.right.total, confirmed: total })
  if (checked.right.sendable === 0) return E.left({ _tag: 'NothingToSend' })
  if (O.isNone(balance.right)) return E.left(portFailure('Ledger')('the workspace has no wallet'))
  const [at, of] = [deps.windowClock.now(), { workspace: batch.workspace, batch: batch.id }]
  const { currency } = balance.right.value
  const { sendable, parts } = checked.right
  const confirmed: Confirmed = { at, total, currency, sendable, parts }
  const set = { state: 'confirmed', confirmed, brakeSince: at } as const
  return changeOr(deps, { ...of, from: ['draft'], upload: batch.upload, set })
}

/** Pauses, resumes or cancels a batch. Repeating it changes nothing. Right: the batch afterwards. */
export type MoveBatch = (command: BatchCommand) => Promise<E.Either<NoSuchBatch | WrongBatchState | Forbidden | PortFailure, Batch>>

type Move = {
  readonly act: Act; readonly from: ReadonlyArray<BatchState>; readonly to: BatchState
  readonly set: (batch: Batch, now: Instant) => BatchChange['set']
}

const PAUSE: Move = {
  act: 'batch.pause', from: ['confirmed', 'sending'], to: 'paused', set: () => ({ state: 'paused', pausedBecause: 'person' }),
}

/** It is `confirmed` again, so that it also waits for its time. The brake starts again, and the first wave ends. */
const RESUME: Move = {
  act: 'batch.resume', from: ['paused'], to: 'confirmed',
  set: ({ waveUntil }, now) =>
    ({ state: 'confirmed', pausedBecause: undefined, brakeSince: now, ...(waveUntil !== undefined && { waveUntil: now }) }),
}

const CANCEL: Move = {
  act: 'batch.cancel', from: ['draft', 'confirmed', 'sending', 'paused'], to: 'canceled',
  set: (_batch, now) => ({ state: 'canceled', pausedBecause: undefined, endedAt: now }),
}

/** Of a draft whose request was refused: it frees the key of that request. */
const DISCARD: Move = {
  ...CANCEL, from: ['draft'], set: (batch, now) => ({ ...CANCEL.set(batch, now), request: undefined }),
}

const makeMove = (deps: BatchDeps, { act, from, to, set }: Move): MoveBatch => (command) =>
  acting(deps, act, command, async (batch, outboxEntries): Promise<E.Either<NoSuchBatch | WrongBatchState | PortFailure, Batch>> => {
    if (batch.state === 'canceled' && to === 'canceled') return withoutHold(deps, batch)
    if (batch.state === to || (to === 'confirmed' && batch.state === 'sending')) return resumeWave(deps, batch, to, outboxEntries)
    if (!from.includes(batch.state) || isConfirming(batch)) return wrongState(batch)
    const { workspace, id, state } = batch
    const change = { workspace, batch: id, from: [state], set: set(batch, deps.windowClock.now()) }
    const moved = await deps.batches.change(change, outboxEntries)
    if (E.isLeft(moved)) return moved
    if (O.isNone(moved.right)) return lostMove(deps, batch, to)
    return state === 'draft' ? withoutHold(deps, moved.right.value) : E.right(moved.right.value)
  })

/** A draft, canceled or not, may have a hold: that of a request that has crashed after another one had made it a draft again. */
const withoutHold = async ({ sharedHolds, windowClock }: BatchDeps, batch: Batch): Promise<E.Either<PortFailure, Batch>> =>
  E.map(() => batch)(await sharedHolds.release({ workspace: batch.workspace, hold: batch.id, at: windowClock.now() }))

/** A batch that is being confirmed: its total is about to be reserved, or not. It lasts for a moment, or until the job of the batches finds it after a crash. */
const isConfirming = ({ state, confirmed }: Batch): boolean => state === 'confirmed' && confirmed?.heldAt === undefined

/** `resume` of a batch that waits after its first wave ends the wait. */
const resumeWave = async (
  deps: BatchDeps, batch: Batch, to: BatchState, outboxEntries: MakeOutboxEntries<Batch>,
): Promise<E.Either<NoSuchBatch | WrongBatchState | PortFailure, Batch>> => {
  const now = deps.windowClock.now()
  if (to !== 'confirmed' || batch.waveUntil === undefined || batch.waveUntil <= now) return E.right(batch)
  return changeOr(deps, { workspace: batch.workspace, batch: batch.id, from: [batch.state], set: { waveUntil: now } }, outboxEntries)
}

/** Another request has moved the batch meanwhile. */
const lostMove = async (
  { batches }: BatchDeps, { workspace, id }: Batch, to: BatchState,
): Promise<E.Either<NoSuchBatch | WrongBatchState | PortFailure, Batch>> => {
  const found = await findBatch({ batches }, workspace, id)
  return E.isLeft(found) || found.right.state === to ? found : wrongState(found.right)
}

/** Lists the batches of a workspace, newest first. */
export type ListBatches = (
  command: PageQuery & { readonly by: Actor; readonly workspace: WorkspaceId },
) => Promise<E.Either<Forbidden | PortFailure, Page<Batch>>>

const makeListBatches = (deps: BatchDeps): ListBatches => async ({ by, workspace, ...query }) => {
  const allowed = await checkView(deps, { by, act: 'batch.view', workspace })
  return E.isLeft(allowed) ? allowed : deps.batches.list(workspace, query)
}

/** Finds a batch for someone who may see it. */
export const viewed = async (
  deps: ActDeps & { readonly batches: Pick<Batches, 'find'> }, { by, workspace, batch }: BatchCommand,
): Promise<E.Either<NoSuchBatch | Forbidden | PortFailure, Batch>> => {
  const allowed = await checkView(deps, { by, act: 'batch.view', workspace })
  return E.isLeft(allowed) ? allowed : findBatch(deps, workspace, batch)
}

/** Finds a draft for a caller that may change it. Only a refusal is recorded. */
const changeable = async (
  deps: BatchDeps, { by, workspace, batch }: BatchCommand,
): Promise<E.Either<NoSuchBatch | WrongBatchState | Forbidden | PortFailure, Batch>> => {
  const allowed = await checkView(deps, { by, act: 'batch.change', workspace, subject: batch })
  if (E.isLeft(allowed)) return allowed
  const found = await findBatch(deps, workspace, batch)
  return E.isRight(found) && found.right.state !== 'draft' ? wrongState(found.right) : found
}

type ActFailure = NoSuchBatch | PortFailure

/** Does an act on a batch, with its audit entry and its event. */
const acting = <Failure extends { readonly _tag: string }, Done>(
  deps: BatchDeps, act: Act, { by, workspace, batch }: BatchCommand,
  work: (batch: Batch, outboxEntries: MakeOutboxEntries<Batch>) => Promise<E.Either<Failure, Done>>,
  details?: Readonly<Record<string, string>>,
): Promise<E.Either<Failure | ActFailure | Forbidden, Done>> =>
  perform<Failure | ActFailure, Done, Batch>(
    deps, { by, act, workspace, subject: batch, ...(details && { details }) }, act === 'batch.resume' ? {} : { events: batchMoved },
    async (outboxEntries) => {
      const found = await findBatch(deps, workspace, batch)
      return E.isLeft(found) ? found : work(found.right, outboxEntries)
    },
  )

/** The event of a batch that was confirmed, paused, canceled or done; its state says which. */
export const batchMoved = ({ id, workspace, name, state, pausedBecause, confirmed, endedAt }: Batch): ReadonlyArray<NewEvent> => {
  const type = EVENT_OF_STATE[state]
  if (type === undefined) return []
  const data = {
    id, name: name ?? null, state, paused_because: pausedBecause ?? null,
    total: confirmed === undefined ? null : formatMicros(confirmed.total), currency: confirmed?.currency ?? null,
    recipients: confirmed?.sendable ?? null, ended_at: endedAt === undefined ? null : iso(endedAt),
  }
  // Simultaneous requests may confirm it, and only a pause happens more than once.
  return [{ type, workspace, subject: id, data, ...(state !== 'paused' && { key: `${type} ${id}` }) }]
}

const EVENT_OF_STATE: Readonly<Partial<Record<BatchState, NewEvent['type']>>> = {
  confirmed: 'batch.confirmed', paused: 'batch.paused', canceled: 'batch.canceled', done: 'batch.done',
}

/** Makes them. */
export const makeBatches = (deps: BatchDeps): BatchUseCases & { readonly discard: MoveBatch } => ({
  create: makeCreateBatch(deps), findForm: makeFindLinesForm(deps), addRecipients: makeAddRecipients(deps),
  preflight: makePreflightBatch(deps),
  confirm: makeConfirmBatch(deps), pause: makeMove(deps, PAUSE), resume: makeMove(deps, RESUME), cancel: makeMove(deps, CANCEL),
  discard: makeMove(deps, DISCARD), list: makeListBatches(deps),
})
