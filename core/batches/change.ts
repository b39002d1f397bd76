import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Batch, BatchChange, Batches, NoSuchBatch, WrongBatchState } from './batch.js'

/** Finds a batch of a workspace. */
export const findBatch = async (
  { batches }: { readonly batches: Pick<Batches, 'find'> }, workspace: WorkspaceId, batch: BatchId,
): Promise<E.Either<NoSuchBatch | PortFailure, Batch>> => {
  const found = await batches.find({ workspace, batch })
  if (E.isLeft(found)) return found
  return O.isNone(found.right) ? E.left({ _tag: 'NoSuchBatch', id: batch }) : E.right(found.right.value)
}

/** Changes a batch. `WrongBatchState`: the change does not apply to the batch as it is now. */
export const changeOr = async (
  deps: { readonly batches: Pick<Batches, 'change' | 'find'> }, change: BatchChange, outboxEntries?: MakeOutboxEntries<Batch>,
): Promise<E.Either<NoSuchBatch | WrongBatchState | PortFailure, Batch>> => {
  const changed = await deps.batches.change(change, outboxEntries)
  if (E.isLeft(changed)) return changed
  if (O.isSome(changed.right)) return E.right(changed.right.value)
  const found = await findBatch(deps, change.workspace, change.batch)
  return E.isLeft(found) ? found : wrongState(found.right)
}

/** The failure of an act that the state of a batch does not allow. */
export const wrongState = ({ id, state }: Batch): E.Either<WrongBatchState, never> => E.left({ _tag: 'WrongBatchState', id, state })
