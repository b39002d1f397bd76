import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { AuditActor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { DAY_MS, type Instant, SECOND_MS } from '../kernel/time.js'

/**
 * Why queued messages are held: an operator holds them (`operator`), no gateway has sent the queue for a long time (`asleep`), or another installation has sent it since
 * this one last did (`other_installation`), as in a copy or a restored backup of a database.
 */
export type HoldReason = 'operator' | 'asleep' | 'other_installation'

/** A hold of the queue. It lasts until an operator resumes the queue. Requests that send immediately are not held. */
export type QueueHold = {
  /** The workspace whose queue is held; absent if the queue of every workspace is held. */
  readonly workspace?: WorkspaceId
  readonly since: Instant
  readonly why: HoldReason
  readonly by: AuditActor
  /** What the operator noted, for operators. */
  readonly note?: string
}

/** The holds of the queue, and when each installation last sent it. */
export interface QueueHolds {
  /** The holds in force: that of every workspace first, then those of one workspace, in the order of their ids. */
  readonly list: () => Promise<Either<PortFailure, ReadonlyArray<QueueHold>>>
  /**
   * Adds a hold. A hold of the same workspace, or of every workspace, that is in force already stays as it is. Of concurrent holds one is added. Right: the hold in
   * force, and whether it was added.
   *
   * If it was added, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly hold: (
    hold: QueueHold, outboxEntries?: MakeOutboxEntries<QueueHold>,
  ) => Promise<Either<PortFailure, { readonly hold: QueueHold; readonly isNew: boolean }>>
  /**
   * Removes the hold of a workspace, or that of every workspace; the others stay. Right: the removed hold, if there was one.
   *
   * If it was removed, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly resume: (
    workspace: WorkspaceId | undefined, outboxEntries?: MakeOutboxEntries<QueueHold>,
  ) => Promise<Either<PortFailure, Option<QueueHold>>>
  /**
   * Notes that an installation sends the queue from now on. If `heldStartOf` returns a reason and a message is queued, the queue of every workspace is held in the same
   * step, unless it is held already. Of concurrent heartbeats one holds it. Right: the holds in force, as `list` returns them, and whether this call has added one.
   *
   * If it was added, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly heartbeat: (
    beat: Heartbeat, outboxEntries?: MakeOutboxEntries<QueueHold>,
  ) => Promise<Either<PortFailure, { readonly holds: ReadonlyArray<QueueHold>; readonly isNew: boolean }>>
}

/** When an installation last sent the queue. An installation is identified by a digest of its database: where it is, and which one it is. */
export type SeenInstallation = { readonly installation: string; readonly seenAt: Instant }

/** An installation that is about to send the queue. */
export type Heartbeat = {
  readonly installation: string
  readonly at: Instant
  /** After how long a sleep the queue is held, in milliseconds; if it is undefined, it is not held. */
  readonly heldAfterMs: number | undefined
}

/** The maximum age of a stored heartbeat, in milliseconds. A younger one is not stored again. */
const BEAT_MS = 10 * SECOND_MS

/** A heartbeat of another installation that is older than this is removed. */
export const INSTALLATION_KEPT_MS = 366 * DAY_MS

/**
 * Why the queue is to be held before it is sent; `undefined` if it may be sent. It may be sent by the installation that has sent it within `heldAfterMs`, and by
 * the first one. A clock that was set back by more than that counts as a sleep.
 */
export const heldStartOf = (
  seen: ReadonlyArray<SeenInstallation>, { installation, at, heldAfterMs = Infinity }: Heartbeat,
): Exclude<HoldReason, 'operator'> | undefined => {
  const own = seen.find((one) => one.installation === installation)
  if (seen.length === 0 || heldAfterMs === Infinity) return undefined
  if (own !== undefined && Math.abs(at - own.seenAt) <= heldAfterMs) return undefined
  return seen.every(({ seenAt }) => own !== undefined && seenAt <= own.seenAt) ? 'asleep' : 'other_installation'
}

/** Whether a heartbeat must be stored, because the stored one of its installation is absent or old. */
export const isBeatDue = (seen: ReadonlyArray<SeenInstallation>, { installation, at, heldAfterMs = Infinity }: Heartbeat): boolean => {
  const own = seen.find((one) => one.installation === installation)
  return own === undefined || Math.abs(at - own.seenAt) >= Math.min(BEAT_MS, heldAfterMs / 2)
}

/** The hold of a start after a sleep, or in another installation. */
export const heldStart = (why: Exclude<HoldReason, 'operator'>, since: Instant): QueueHold => ({ since, why, by: { type: 'system' } })
