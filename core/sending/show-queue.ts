import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Instant, iso, isoOrNull, SECOND_MS } from '../kernel/time.js'
import type { QueueHold, QueueHolds } from '../messages/queue-holds.js'
import type { MessageQueue, Waiting } from '../messages/queue.js'
import { holdOf } from './holds.js'
import type { SenderLimit, SenderRates } from '../senders/sender-budget.js'
import { senderIdOf } from '../senders/sender.js'

/** Shows what is queued for a workspace. */
export type ShowQueue = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, QueueView>>

/** The queue of a workspace as JSON. */
export type QueueView = {
  readonly waiting: number
  readonly scheduled: number
  readonly oldest_at: string | null
  readonly held: HeldView | null
  readonly senders: ReadonlyArray<SenderQueueView>
}

/** Since when the queue is held, and why, as JSON. */
export type HeldView = { readonly since: string; readonly why: string }

/** The queue of a sender as JSON. `rate` and `empty_at` are null if the sender has no limit. */
export type SenderQueueView = {
  readonly phone_number_id: string
  readonly waiting: number
  readonly rate: number | null
  readonly empty_at: string | null
}

/** What showing the queue needs. */
export type ShowQueueDeps = {
  readonly messageQueue: Pick<MessageQueue, 'waiting'>
  readonly windowClock: { readonly now: () => Instant }
  readonly senderLimit?: Pick<SenderLimit, 'perSecond'>
  readonly senderRates?: SenderRates
  /** The holds of the queue; without them it is never held. */
  readonly queueHolds?: Pick<QueueHolds, 'list'>
}

export const makeShowQueue = (deps: ShowQueueDeps): ShowQueue => async (workspace) => {
  const at = deps.windowClock.now()
  const [found, held] = await Promise.all([deps.messageQueue.waiting({ at, workspace }), heldOf(deps, workspace)])
  if (E.isLeft(found)) return found
  if (E.isLeft(held)) return held
  const sum = (count: (of: Waiting) => number): number => found.right.reduce((total, of) => total + count(of), 0)
  const oldest = found.right.flatMap(({ oldestDueAt }) => oldestDueAt ?? [])
  const senders = await Promise.all(found.right.map((of) => senderView(deps, of, at)))
  return E.right({
    waiting: sum(({ due }) => due), scheduled: sum(({ scheduled }) => scheduled),
    oldest_at: isoOrNull(oldest.length === 0 ? undefined : Math.min(...oldest)), held: held.right,
    senders: senders.sort((a, b) => (a.phone_number_id < b.phone_number_id ? -1 : 1)),
  })
}

/** What holds the queue of a workspace; null if nothing does. */
const heldOf = async ({ queueHolds }: ShowQueueDeps, workspace: WorkspaceId): Promise<E.Either<PortFailure, HeldView | null>> => {
  if (queueHolds === undefined) return E.right(null)
  return E.map((holds: ReadonlyArray<QueueHold>) => {
    const hold = holdOf(workspace)(holds)
    return hold === undefined ? null : { since: iso(hold.since), why: hold.why }
  })(await queueHolds.list())
}

/** The waiting messages of a sender are sent at its rate, unless a limit of a customer or the platform delays them. */
const senderView = async (
  { senderLimit, senderRates }: ShowQueueDeps, { workspace, sender, due }: Waiting, at: Instant,
): Promise<SenderQueueView> => {
  const rate = senderLimit === undefined
    ? undefined
    : await senderRates?.({ workspace, sender: senderIdOf(sender) }) ?? senderLimit.perSecond
  return {
    phone_number_id: sender, waiting: due, rate: rate ?? null,
    empty_at: rate === undefined ? null : iso(at + Math.ceil(due * SECOND_MS / rate)),
  }
}
