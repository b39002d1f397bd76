import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ActDeps } from '../access/acting.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { SharedHolds } from '../money/shared-holds.js'
import { entriesOfAlert, type InsufficientBalance, type SendingKey, type SpendingLimitReached, spendingOf } from '../money/wallet.js'
import type { Batch, Batches, NoSuchBatch, WrongBatchState } from './batch.js'
import { changeOr, findBatch, wrongState } from './change.js'

/** None if another request has reserved the total meanwhile, or has moved the batch. */
export const toDraft = (deps: Pick<HoldTotalDeps, 'batches'>, { workspace, id }: Batch) => deps.batches.change({
  workspace, batch: id, from: ['confirmed'], isHeld: false, set: { state: 'draft', confirmed: undefined, brakeSince: undefined },
})

/** What reserving a total needs. */
type HoldTotalDeps = ActDeps & {
  readonly batches: Pick<Batches, 'change' | 'counts' | 'find'>
  readonly sharedHolds: Pick<SharedHolds, 'find' | 'hold' | 'release'>
  readonly windowClock: { readonly now: () => Instant }
}

/**
 * Reserves the total of a confirmed batch. If the wallet cannot pay it, the batch is a draft again, unless another request has reserved it meanwhile.
 *
 * The change comes before the hold, so that the lines are fixed by then. After a crash between them, the job of the batches holds the total.
 */
export const holdTotal = async (
  deps: HoldTotalDeps, batch: Batch, key: SendingKey | undefined,
  outboxEntries?: MakeOutboxEntries<Batch>,
): Promise<E.Either<InsufficientBalance | SpendingLimitReached | WrongBatchState | NoSuchBatch | PortFailure, Batch>> => {
  const { workspace, id, confirmed } = batch
  if (confirmed === undefined) return wrongState(batch)
  const at = deps.windowClock.now()
  const spending = spendingOf(key)
  const held = await deps.sharedHolds.hold({
    workspace, hold: id, amount: { micros: confirmed.total, currency: confirmed.currency }, at, ...(spending && { spending }),
  }, entriesOfAlert(deps))
  if (E.isLeft(held)) {
    if (held.left._tag === 'PortFailure') return held
    const existing = await deps.sharedHolds.find({ workspace, hold: id })
    if (E.isLeft(existing)) return existing
    if (existing.right === undefined) {
      const back = await toDraft(deps, batch)
      if (E.isLeft(back)) return back
      if (O.isSome(back.right)) return held
      const found = await findBatch(deps, workspace, id)
      return E.isRight(found) && found.right.confirmed?.heldAt === undefined ? held : found
    }
  }
  const change = { workspace, batch: id, from: ['confirmed'], set: { confirmed: { ...confirmed, heldAt: at } } } as const
  const noted = await changeOr(deps, change, outboxEntries)
  return E.isRight(noted) || noted.left._tag !== 'WrongBatchState' ? noted : afterLateHold(deps, batch, noted.left, at, outboxEntries)
}

/**
 * Decides about a batch whose total was reserved after another request had moved it. A draft, which another request has made of it because the wallet could not pay then, is confirmed after all. If its lines or
 * prices have changed meanwhile, it is canceled, because a batch cannot have another hold. The hold of a canceled batch is released, as no job visits it.
 */
const afterLateHold = async (
  deps: HoldTotalDeps, batch: Batch, failure: WrongBatchState, at: Instant, outboxEntries: MakeOutboxEntries<Batch> | undefined,
): Promise<E.Either<WrongBatchState | NoSuchBatch | PortFailure, Batch>> => {
  const { workspace, id, upload, confirmed, brakeSince } = batch
  const of = { workspace, batch: id }
  if (confirmed === undefined || (failure.state !== 'draft' && failure.state !== 'canceled')) return E.left(failure)
  if (failure.state === 'draft') {
    const set = { state: 'confirmed', confirmed: { ...confirmed, heldAt: at }, brakeSince } as const
    const again = await changeOr(deps, { ...of, from: ['draft'], upload, set }, outboxEntries)
    if (E.isLeft(again) && again.left._tag !== 'WrongBatchState') return again
    const counts = await deps.batches.counts(of, upload)
    if (E.isLeft(counts)) return counts
    const { micros, lines } = counts.right.unsent
    if (E.isRight(again) && micros === confirmed.total && lines === confirmed.sendable) return again
    const from = E.isRight(again) ? 'confirmed' : 'draft'
    const canceled = await deps.batches.change({ ...of, from: [from], set: { state: 'canceled', endedAt: at, settledAt: at } })
    if (E.isLeft(canceled)) return canceled
    if (O.isNone(canceled.right)) return E.left(failure)
  }
  const released = await deps.sharedHolds.release({ workspace, hold: id, at })
  return E.isLeft(released) ? released : E.left({ ...failure, state: 'canceled' })
}
