import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ActDeps } from '../access/acting.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { SharedHolds } from '../money/shared-holds.js'
import { entriesOfAlert, type InsufficientBalance, type SendingKey, type SpendingLimitReached, spendingOf } from '../money/wallet.js'
import type { Batch, Batches, BatchChange, Confirmed, NoSuchBatch, WrongBatchState } from './batch.js'
import { findBatch, wrongState } from './change.js'

/** The total of a batch is another than the confirmed one. Amounts in micros. */
export type PreflightChanged = { readonly _tag: 'PreflightChanged'; readonly total: bigint; readonly confirmed: bigint }

/** What reserving a total needs. */
type HoldTotalDeps = ActDeps & {
  readonly batches: Pick<Batches, 'change' | 'counts' | 'find'>
  readonly sharedHolds: Pick<SharedHolds, 'find' | 'hold' | 'release'>
  readonly windowClock: { readonly now: () => Instant }
}

/** Why a total is not reserved, and the batch is a draft again. */
type Refusal = PreflightChanged | InsufficientBalance | SpendingLimitReached

type Held = E.Either<Refusal | WrongBatchState | NoSuchBatch | PortFailure, Batch>

/**
 * Reserves the total of a confirmed batch. If the wallet cannot pay it, or if the lines cost another total by now, the batch is a draft again, unless another request has reserved it meanwhile.
 *
 * The batch was confirmed before, so the lines and their prices are fixed when they are counted. After a crash between the confirmation and the hold, the job of the batches holds the total.
 */
export const holdTotal = async (
  deps: HoldTotalDeps, batch: Batch, key: SendingKey | undefined, outboxEntries?: MakeOutboxEntries<Batch>,
): Promise<Held> => {
  const { confirmed } = batch
  if (confirmed === undefined) return wrongState(batch)
  const counts = await deps.batches.counts(refOf(batch), batch.upload)
  if (E.isLeft(counts)) return counts
  const { micros, lines } = counts.right.unsent
  const one: Confirming = { batch, confirmed, key, outboxEntries }
  // A check that began before the confirmation may have stored other prices.
  if (micros !== confirmed.total || lines !== confirmed.sendable) {
    return refuse(deps, one, { _tag: 'PreflightChanged', total: micros, confirmed: confirmed.total })
  }
  const spending = spendingOf(key)
  const amount = { micros: confirmed.total, currency: confirmed.currency }
  const held = await deps.sharedHolds.hold(
    { ...holdOf(batch), amount, at: deps.windowClock.now(), ...(spending && { spending }) }, entriesOfAlert(deps),
  )
  if (E.isRight(held)) return noteHeld(deps, one)
  return held.left._tag === 'PortFailure' ? E.left(held.left) : refuse(deps, one, held.left)
}

/** A batch that is being confirmed. */
type Confirming = {
  readonly batch: Batch; readonly confirmed: Confirmed
  readonly key: SendingKey | undefined; readonly outboxEntries: MakeOutboxEntries<Batch> | undefined
}

const refOf = ({ workspace, id }: Batch) => ({ workspace, batch: id })

const holdOf = ({ workspace, id }: Batch) => ({ workspace, hold: id })

/** A change that applies as long as no other request has confirmed other lines or another total, or has noted that the total is reserved. */
const whileConfirming = ({ batch, confirmed: { total } }: Pick<Confirming, 'batch' | 'confirmed'>) =>
  ({ ...refOf(batch), from: ['confirmed'], upload: batch.upload, total, isHeld: false } as const)

/** A hold that exists anyway is of another request. */
const refuse = async (deps: HoldTotalDeps, one: Confirming, refusal: Refusal): Promise<Held> => {
  const existing = await deps.sharedHolds.find(holdOf(one.batch))
  if (E.isLeft(existing)) return existing
  if (existing.right !== undefined) {
    return refusal._tag === 'PreflightChanged' ? cancel(deps, one, whileConfirming(one)) : noteHeld(deps, one)
  }
  const set = { state: 'draft', confirmed: undefined, brakeSince: undefined } as const
  const back = await deps.batches.change({ ...whileConfirming(one), set })
  if (E.isLeft(back)) return back
  if (O.isSome(back.right)) return E.left(refusal)
  const found = await findBatch(deps, one.batch.workspace, one.batch.id)
  return E.isRight(found) && found.right.confirmed?.heldAt === undefined ? E.left(refusal) : found
}

/** Notes that the total is reserved. A hold that another request has reserved may have another amount. */
const noteHeld = async (deps: HoldTotalDeps, one: Confirming): Promise<Held> => {
  const { batch, confirmed, outboxEntries } = one
  const held = await deps.sharedHolds.find(holdOf(batch))
  if (E.isLeft(held)) return held
  if (held.right?.state !== 'held' || held.right.reserved !== confirmed.total) return cancel(deps, one, whileConfirming(one))
  const set = { confirmed: { ...confirmed, heldAt: deps.windowClock.now() } }
  const noted = await deps.batches.change({ ...whileConfirming(one), set }, outboxEntries)
  if (E.isLeft(noted)) return noted
  return O.isSome(noted.right) ? E.right(noted.right.value) : afterLateHold(deps, one)
}

/**
 * Decides about a batch whose total was reserved after another request had moved it. A draft, which another request has made of it because the wallet could not pay then, is confirmed after all. If it has
 * other lines by now, it is canceled, because a batch cannot have another hold. The hold of a canceled draft is released at once.
 */
const afterLateHold = async (deps: HoldTotalDeps, one: Confirming): Promise<Held> => {
  const { batch, confirmed, key, outboxEntries } = one
  const found = await findBatch(deps, batch.workspace, batch.id)
  if (E.isLeft(found)) return found
  const { state, confirmed: present } = found.right
  if (state === 'draft') {
    const draft = { ...refOf(batch), from: ['draft'] } as const
    const set = { state: 'confirmed', confirmed, brakeSince: batch.brakeSince } as const
    const again = await deps.batches.change({ ...draft, upload: batch.upload, set })
    if (E.isLeft(again)) return again
    return O.isSome(again.right) ? holdTotal(deps, again.right.value, key, outboxEntries) : cancel(deps, one, draft)
  }
  if (state === 'canceled' && present === undefined) {
    const released = await deps.sharedHolds.release({ ...holdOf(batch), at: deps.windowClock.now() })
    if (E.isLeft(released)) return released
  }
  return present?.heldAt !== undefined && present.total === confirmed.total && state !== 'canceled' ? found : wrongState(found.right)
}

/** Cancels a batch that has a hold of another amount. The job of the batches releases it, as that of every canceled batch. */
const cancel = async (
  deps: HoldTotalDeps, { batch, confirmed }: Confirming, change: Omit<BatchChange, 'set'>,
): Promise<Held> => {
  const at = deps.windowClock.now()
  const set = { state: 'canceled', confirmed: { ...confirmed, heldAt: at }, endedAt: at } as const
  const canceled = await deps.batches.change({ ...change, set })
  if (E.isLeft(canceled)) return canceled
  if (O.isSome(canceled.right)) return wrongState(canceled.right.value)
  const found = await findBatch(deps, batch.workspace, batch.id)
  return E.isLeft(found) ? found : wrongState(found.right)
}
