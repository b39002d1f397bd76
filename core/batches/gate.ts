import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Instant, SECOND_MS } from '../kernel/time.js'
import type { Batches, BatchRef } from './batch.js'

/** Whether the messages of a batch must wait, because the batch is paused or canceled, or cannot be read. */
export type IsBatchClosed = (of: BatchRef) => Promise<boolean>

/** How long the state of a batch is remembered, in milliseconds, and of how many batches at most. */
const KNOWN_MS = SECOND_MS
const MAX_KNOWN = 1_024

/** Makes the question that the queue asks before it sends a message of a batch. A batch is read once a second. */
export const makeBatchGate = ({ batches, now }: {
  readonly batches: Pick<Batches, 'find'>
  readonly now: () => Instant
}): IsBatchClosed => {
  const kept = new Map<string, { readonly until: Instant; readonly isClosed: Promise<boolean> }>()
  return ({ workspace, batch }) => {
    const key = `${workspace} ${batch}`
    const known = kept.get(key)
    if (known !== undefined && now() < known.until) return known.isClosed
    if (kept.size >= MAX_KNOWN) kept.clear()
    const isClosed = batches.find({ workspace, batch }).then((found) =>
      E.isLeft(found) || (O.isSome(found.right) && (found.right.value.state === 'paused' || found.right.value.state === 'canceled')))
    kept.set(key, { until: now() + KNOWN_MS, isClosed })
    return isClosed
  }
}
