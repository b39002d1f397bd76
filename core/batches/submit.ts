import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type ActDeps, checkView } from '../access/acting.js'
import type { PortFailure } from '../kernel/failure.js'
import type { LinesForm } from '../kernel/lines.js'
import type { Claim } from '../messages/message-log.js'
import type { IdempotencyInProgress, IdempotencyKeyReused } from '../messages/message.js'
import type { SendingKey } from '../money/wallet.js'
import { type AddFromBatch, type AddFromError, findEarlier, type FromBatch } from './again.js'
import { type Batch, type BatchCounts, type Batches, type BatchRequest, REQUEST_UPLOAD } from './batch.js'
import { batchLines, type BatchRecipient, type LineProblem } from './lines.js'
import { findBatch } from './change.js'
import type { PreflightChanged } from './hold.js'
import {
  type Added, type BatchCommand, type BatchUseCases, type ConfirmError, type CreateBatchCommand, type CreateBatchError,
  MAX_PROBLEMS, type MoveBatch, type ReadLines,
} from './use-cases.js'

/**
 * Makes a draft with its lines, which are given, or are those of recipients of an earlier batch, or none; and if `confirms`, checks it and confirms its total. If a later step is refused,
 * the draft is canceled, so that nothing of it remains to be confirmed by mistake. If a step fails, the draft may remain.
 *
 * A request with a `claim` may be repeated, even while it is under way: all requests with its key make one batch, which is confirmed once. A batch keeps the key of its request for as long as it is
 * stored; only a draft that is canceled because its request was refused frees it. `IdempotencyKeyReused`: the key belongs to another request. `IdempotencyInProgress`: an identical request is at
 * work, so the outcome is not known yet; the same request may be repeated.
 */
export type SubmitBatch = (command: SubmitBatchCommand) => Promise<E.Either<SubmitBatchError, Submitted>>

/** What a batch consists of. `key` is the API key whose limit counts if it is confirmed. `claim` has the key of the request, and a text that is equal exactly for equal requests. */
export type SubmitBatchCommand = Omit<CreateBatchCommand, 'request'> & {
  readonly linesOf?: ((form: LinesForm<BatchRecipient>) => ReadLines) | undefined
  readonly from?: FromBatch | undefined
  readonly confirms?: boolean | undefined
  readonly key?: SendingKey | undefined
  readonly claim?: Claim | undefined
}

/** The batch, and its lines. `isReplayed`: an earlier request with the same key has made it, and this one changed nothing. */
export type Submitted = Added & { readonly isReplayed?: true }

/** Why a batch is not made, or not confirmed. `NoSuchBatch` is about the earlier batch. */
export type SubmitBatchError =
  | CreateBatchError | AddFromError | Exclude<ConfirmError, PreflightChanged> | IdempotencyKeyReused | IdempotencyInProgress

/** The use cases of which it consists. */
export type SubmitDeps =
  & Pick<BatchUseCases, 'addRecipients' | 'confirm' | 'create' | 'findForm' | 'preflight'> & ActDeps
  & {
    /** Cancels a draft whose request was refused, and frees the key of that request. `WrongBatchState`: it is not a draft any more, and stays as it is. */
    readonly discard: MoveBatch
    readonly addFromBatch: AddFromBatch
    readonly batches: Pick<Batches, 'counts' | 'find' | 'findByRequest'>
    /** The SHA-256 digest of a text, in lowercase hexadecimal digits. */
    readonly digestOf: (text: string) => string
  }

/** The steps after a batch was made. */
type Steps = Pick<SubmitBatchCommand, 'linesOf' | 'from' | 'confirms' | 'key'>

type Answer = E.Either<SubmitBatchError, Submitted>

/** Makes it. */
export const makeSubmitBatch = (deps: SubmitDeps): SubmitBatch => async ({ linesOf, from, confirms, key, claim, ...given }) => {
  const { by, workspace } = given
  const steps = { linesOf, from, confirms, key }
  const request = claim && requestOf(deps, claim)
  if (request !== undefined) {
    const known = await findRequested(deps, given, request)
    if (E.isLeft(known)) return known
    if (known.right !== undefined) return goOn(deps, by, known.right, steps, true)
  }
  if (from !== undefined) {
    const earlier = await findEarlier(deps, { by, workspace, batch: from.batch })
    if (E.isLeft(earlier)) return earlier
  }
  const created = await deps.create({ ...given, request })
  if (E.isLeft(created)) return created
  return isOf(created.right, request) ? goOn(deps, by, created.right, steps, false) : E.left({ _tag: 'IdempotencyKeyReused' })
}

/** The digest contains the key, so that it cannot be compared with that of a guessed request. */
const requestOf = ({ digestOf }: SubmitDeps, { key, request }: Claim): BatchRequest =>
  ({ key: digestOf(key), digest: digestOf(`${key}\n${request}`) })

const isOf = (batch: Batch, request: BatchRequest | undefined): boolean => batch.request?.digest === request?.digest

/**
 * The batch of an earlier request with the same key; `undefined` if there is none. It comes before all checks of the request, because a time that has passed or a sender that was removed since must
 * not turn the answer into a refusal.
 */
const findRequested = async (
  deps: SubmitDeps, { by, workspace }: Pick<CreateBatchCommand, 'by' | 'workspace'>, request: BatchRequest,
): Promise<E.Either<SubmitBatchError, Batch | undefined>> => {
  const allowed = await checkView(deps, { by, act: 'batch.create', workspace })
  if (E.isLeft(allowed)) return allowed
  const found = await deps.batches.findByRequest(workspace, request.key)
  if (E.isLeft(found)) return found
  const batch = O.toUndefined(found.right)
  return batch === undefined || isOf(batch, request) ? E.right(batch) : E.left({ _tag: 'IdempotencyKeyReused' })
}

/** How often the steps are taken again because an identical request has moved the batch meanwhile: it adds the lines, and it confirms. */
const GO_ON_AGAIN = 2

/** Takes the steps that a batch lacks. With a key, identical requests may take them at the same time; `isEarlier`: one of them has made the batch. */
const goOn = async (deps: SubmitDeps, by: CreateBatchCommand['by'], of: Batch, steps: Steps, isEarlier: boolean): Promise<Answer> => {
  const command = { by, workspace: of.workspace, batch: of.id }
  let batch = of
  for (let again = 0; ; again += 1) {
    const answer = await takeSteps(deps, command, batch, steps, isEarlier || again > 0)
    if (E.isRight(answer) || answer.left._tag === 'PortFailure') return answer
    if (of.request === undefined || !wasOvertaken(answer.left)) return refused(deps, command, of, steps, answer)
    const found = await findBatch(deps, of.workspace, of.id)
    if (E.isLeft(found)) return found
    if (again === GO_ON_AGAIN || found.right.request === undefined) return IN_PROGRESS
    batch = found.right
  }
}

const IN_PROGRESS: E.Either<IdempotencyInProgress, never> = E.left({ _tag: 'IdempotencyInProgress' })

const wasOvertaken = ({ _tag }: SubmitBatchError): boolean => _tag === 'BatchChanged' || _tag === 'WrongBatchState'

const takeSteps = async (
  deps: SubmitDeps, command: BatchCommand, batch: Batch, steps: Steps, isEarlier: boolean,
): Promise<Answer> => {
  const added = await addLacking(deps, command, batch, steps, isEarlier)
  if (E.isLeft(added) || steps.confirms !== true || !needsConfirmation(added.right.batch)) return added
  const confirmed = await confirmAtAnyTotal(deps, command, added.right.batch, steps.key)
  const { isReplayed: _changed, ...lines } = added.right
  return E.map((one: Batch): Submitted => ({ ...lines, batch: one }))(confirmed)
}

/** A draft, or a batch whose total is about to be reserved. */
const needsConfirmation = ({ state, confirmed }: Batch): boolean =>
  state === 'draft' || (state === 'confirmed' && confirmed?.heldAt === undefined)

/** Adds the lines of the request if the batch has none yet. */
const addLacking = async (
  deps: SubmitDeps, command: BatchCommand, batch: Batch, { linesOf, from }: Steps, isEarlier: boolean,
): Promise<Answer> => {
  const lacks = batch.state === 'draft' && batch.upload === 0
  const lines = { ...command, isFirst: batch.request !== undefined }
  if (lacks && from !== undefined) return deps.addFromBatch({ ...lines, from })
  if (!lacks || linesOf === undefined) return linesBefore(deps, batch, linesOf, isEarlier || !lacks)
  const form = await deps.findForm(command)
  return E.isLeft(form) ? form : deps.addRecipients({ ...lines, lines: linesOf(form.right) })
}

/** The lines that a batch has. If they are those of the request, the request says which of them cannot be read. */
const linesBefore = async (
  { batches }: SubmitDeps, batch: Batch, linesOf: Steps['linesOf'], isReplayed: boolean,
): Promise<E.Either<PortFailure, Submitted>> => {
  const unread = batch.upload === REQUEST_UPLOAD && linesOf !== undefined ? await problemsOf(linesOf(batchLines())) : NO_PROBLEMS
  const shown = { batch, ...unread, ...(isReplayed && { isReplayed } as const) }
  if (batch.upload === 0) return E.right({ ...shown, recipients: 0 })
  const counts = await batches.counts({ workspace: batch.workspace, batch: batch.id }, batch.upload)
  return E.map(({ lines }: BatchCounts) => ({ ...shown, recipients: lines }))(counts)
}

const NO_PROBLEMS = { problems: [], unreadable: 0 }

const problemsOf = async (lines: ReadLines): Promise<Pick<Added, 'problems' | 'unreadable'>> => {
  const problems: Array<LineProblem> = []
  let unreadable = 0
  for await (const read of lines) {
    if (E.isRight(read)) continue
    unreadable += 1
    if (problems.length < MAX_PROBLEMS) problems.push(read.left)
  }
  return { problems, unreadable }
}

/** How often a batch is confirmed again because its prices have changed meanwhile. */
const CONFIRM_AGAIN = 2

const confirmAtAnyTotal = async (
  { preflight, confirm }: SubmitDeps, command: BatchCommand, { confirmed: frozen }: Batch, key: SendingKey | undefined,
): Promise<E.Either<Exclude<ConfirmError, PreflightChanged>, Batch>> => {
  const checked = frozen === undefined ? await preflight(command) : E.right(frozen)
  if (E.isLeft(checked)) return checked
  let total = checked.right.total
  for (let again = 0; again <= CONFIRM_AGAIN; again += 1) {
    const confirmed = await confirm({ ...command, total, key })
    if (E.isRight(confirmed)) return confirmed
    if (confirmed.left._tag !== 'PreflightChanged') return E.left(confirmed.left)
    total = confirmed.left.total
  }
  return E.left({ _tag: 'BatchChanged' })
}

/**
 * The answer of a request that a step refused. Its draft is canceled. If that is not possible any more, because an identical request has confirmed it meanwhile, the answer is the batch; a refusal
 * would be wrong then.
 */
const refused = async (
  deps: SubmitDeps, command: BatchCommand, { request }: Batch, { linesOf }: Steps, refusal: E.Left<SubmitBatchError>,
): Promise<Answer> => {
  const discarded = await deps.discard(command)
  if (request === undefined || E.isRight(discarded) || discarded.left._tag !== 'WrongBatchState') return refusal
  const found = await findBatch(deps, command.workspace, command.batch)
  if (E.isLeft(found)) return found
  return found.right.confirmed?.heldAt === undefined ? IN_PROGRESS : linesBefore(deps, found.right, linesOf, true)
}
