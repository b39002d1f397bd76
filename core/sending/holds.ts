import * as E from 'fp-ts/lib/Either.js'
import type { ActDeps } from '../access/acting.js'
import { auditActorOf, type AuditEntry, SYSTEM } from '../kernel/actor.js'
import { attempt, type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Clock, type Instant, MINUTE_MS } from '../kernel/time.js'
import type { QueueHold, QueueHolds } from '../messages/queue-holds.js'

/** When the queue is held at a start, and which installation this is. */
export type HeldStart = {
  /** After how long a sleep the queue is held, in milliseconds; if it is undefined, it is not held. */
  readonly afterMs: number | undefined
  /** The installation: a digest of where the database is and which one it is. It must stay the same after a restart, and differ in a copy. */
  readonly installation: () => Promise<string>
}

/** What the check of the holds needs. Without `queueHolds` nothing is held; without `heldStart` only operators hold the queue. */
export type HoldDeps = Pick<ActDeps, 'audit'> & {
  readonly queueHolds?: Pick<QueueHolds, 'heartbeat' | 'list'>
  readonly heldStart?: HeldStart
  readonly windowClock: { readonly now: Clock }
}

/** What is held now: everything, or the queues of some workspaces. */
export type HeldNow = { readonly all: QueueHold | undefined; readonly workspaces: ReadonlySet<WorkspaceId> }

/**
 * Finds what is held, before a pass over the queue sends anything. It also notes that this installation sends the queue, and holds the queue if it
 * has not been sent for long, or if another installation has sent it. A pass must not send anything if this fails.
 */
export const checkHolds = async (deps: HoldDeps): Promise<E.Either<PortFailure, HeldNow>> =>
  E.map(heldNow)(await holdsInForce(deps))

/** For how long the result of a check of the holds may be used, in milliseconds of the wall clock. */
const CHECKED_MS = 5 * MINUTE_MS

/** What the last check of the holds allows. */
export type HoldGate = {
  /** Checks the holds. */
  readonly check: () => Promise<E.Either<PortFailure, HeldNow>>
  /** Whether the messages of a workspace must not be sent: they are held, the last check failed, or this process slept since the last check. */
  readonly isClosed: (workspace: WorkspaceId) => boolean
  /** The hold of the queue of every workspace. */
  readonly heldBy: () => QueueHold | undefined
}

/** Makes a gate, which is closed until the first check. */
export const makeHoldGate = (deps: HoldDeps): HoldGate => {
  const { now } = deps.windowClock
  let last: (HeldNow & { readonly at: Instant }) | undefined
  return {
    check: async () => {
      const at = now()
      const held = await checkHolds(deps)
      last = E.isLeft(held) ? undefined : { ...held.right, at }
      return held
    },
    isClosed: (workspace) =>
      last === undefined || last.all !== undefined || last.workspaces.has(workspace) || Math.abs(now() - last.at) > CHECKED_MS,
    heldBy: () => last?.all,
  }
}

const holdsInForce = async (
  { queueHolds, heldStart, windowClock, audit }: HoldDeps,
): Promise<E.Either<PortFailure, ReadonlyArray<QueueHold>>> => {
  if (queueHolds === undefined) return E.right([])
  if (heldStart === undefined) return queueHolds.list()
  const installation = await attempt(heldStart.installation, portFailure('QueueHolds'))
  if (E.isLeft(installation)) return installation
  const beat = { installation: installation.right, at: windowClock.now(), heldAfterMs: heldStart.afterMs }
  const beaten = await queueHolds.heartbeat(beat, ({ why, since }): ReadonlyArray<AuditEntry> => (audit === undefined
    ? []
    : [{ id: audit.newAuditId(), at: since, by: auditActorOf(SYSTEM), act: 'queue.hold', outcome: 'done', details: { why } }]))
  return E.map(({ holds }: { readonly holds: ReadonlyArray<QueueHold> }) => holds)(beaten)
}

const heldNow = (holds: ReadonlyArray<QueueHold>): HeldNow => ({
  all: holds.find(({ workspace }) => workspace === undefined), workspaces: new Set(holds.flatMap(({ workspace }) => workspace ?? [])),
})
