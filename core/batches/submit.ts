import * as E from 'fp-ts/lib/Either.js'
import type { LinesForm } from '../kernel/lines.js'
import type { SendingKey } from '../money/wallet.js'
import { type AddFromBatch, type AddFromError, findEarlier, type FromBatch } from './again.js'
import type { Batch } from './batch.js'
import type { BatchRecipient } from './lines.js'
import type {
  Added, BatchCommand, BatchUseCases, ConfirmError, CreateBatchCommand, CreateBatchError, PreflightChanged, ReadLines,
} from './use-cases.js'

/**
 * Makes a draft with its lines, which are given, or are those of recipients of an earlier batch, or none; and if `confirms`, checks it and confirms its total. If a later step is refused,
 * the draft is canceled, so that nothing of it remains to be confirmed by mistake. If a step fails, the draft may remain.
 */
export type SubmitBatch = (command: SubmitBatchCommand) => Promise<E.Either<SubmitBatchError, Added>>

/** What a batch consists of. `key` is the API key whose limit counts if it is confirmed. */
export type SubmitBatchCommand = CreateBatchCommand & {
  readonly linesOf?: ((form: LinesForm<BatchRecipient>) => ReadLines) | undefined
  readonly from?: FromBatch | undefined
  readonly confirms?: boolean | undefined
  readonly key?: SendingKey | undefined
}

/** Why a batch is not made, or not confirmed. `NoSuchBatch` is about the earlier batch. */
export type SubmitBatchError = CreateBatchError | AddFromError | Exclude<ConfirmError, PreflightChanged>

/** The use cases of which it consists. */
export type SubmitDeps = Pick<BatchUseCases, 'addRecipients' | 'cancel' | 'confirm' | 'create' | 'findForm' | 'preflight'> & {
  readonly addFromBatch: AddFromBatch
  readonly find: Parameters<typeof findEarlier>[0]
}

/** Makes it. */
export const makeSubmitBatch = (deps: SubmitDeps): SubmitBatch => async ({ linesOf, from, confirms = false, key, ...given }) => {
  const { by, workspace } = given
  if (from !== undefined) {
    const earlier = await findEarlier(deps.find, { by, workspace, batch: from.batch })
    if (E.isLeft(earlier)) return earlier
  }
  const created = await deps.create(given)
  if (E.isLeft(created)) return created
  const command = { by, workspace, batch: created.right.id }
  const added = from !== undefined
    ? await deps.addFromBatch({ ...command, from })
    : linesOf === undefined
      ? E.right({ batch: created.right, recipients: 0, problems: [], unreadable: 0 })
      : await addAll(deps, command, linesOf)
  if (E.isLeft(added)) return canceled(deps, command, added)
  if (!confirms) return added
  const confirmed = await confirmAtAnyTotal(deps, command, key)
  return E.isLeft(confirmed) ? canceled(deps, command, confirmed) : E.right({ ...added.right, batch: confirmed.right })
}

/** How often a batch is confirmed again because its prices have changed meanwhile. */
const CONFIRM_AGAIN = 2

const confirmAtAnyTotal = async (
  { preflight, confirm }: SubmitDeps, command: BatchCommand, key: SendingKey | undefined,
): Promise<E.Either<Exclude<ConfirmError, PreflightChanged>, Batch>> => {
  const checked = await preflight(command)
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

const addAll = async (
  { findForm, addRecipients }: SubmitDeps, command: BatchCommand, linesOf: (form: LinesForm<BatchRecipient>) => ReadLines,
): Promise<E.Either<AddFromError, Added>> => {
  const form = await findForm(command)
  return E.isLeft(form) ? form : addRecipients({ ...command, lines: linesOf(form.right) })
}

/** Cancels the draft of a refused request. A failure leaves it, because it may have been confirmed. */
const canceled = async <Failure extends { readonly _tag: string }>(
  { cancel }: SubmitDeps, command: BatchCommand, refused: E.Left<Failure>,
): Promise<E.Left<Failure>> => {
  if (refused.left._tag !== 'PortFailure') await cancel(command)
  return refused
}
