import { hash } from 'node:crypto'
import { portFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { Leases } from '../../core/kernel/leases.js'
import { type Instant, iso, SECOND_MS } from '../../core/kernel/time.js'
import type { QueueHold } from '../../core/messages/queue-holds.js'
import type { DueSender } from '../../core/messages/queue.js'
import type { Draining } from '../../core/sending/drain.js'
import { makeHeldLeases, RENEW_EVERY_MS } from './held-leases.js'
import { type JobReports, orThrow, type RunningJob } from './job.js'
import { makeLoop } from './loop.js'

/** How many senders have their turns in this process at the same time, and how many are read. */
const TURNS = 32
const SENDERS = 1_000

/** How long a turn lasts if other senders wait for one, in milliseconds, and the pause of a sender after a turn in which messages were left, because something failed. */
const TURN_MS = SECOND_MS
const AFTER_FAILURE_MS = 5 * SECOND_MS

/** Finding the senders takes the longer, the more messages have just left the queue, so it takes at most one part in `FIND_SHARE` of the time. */
const FIND_SHARE = 20

/** The longest pause between two searches, in milliseconds: a search also finds the holds of the queue. */
const MAX_PAUSE_MS = 5 * SECOND_MS

/** The maximum number of senders whose last turns are remembered. */
const MAX_REMEMBERED = 10_000

/** What the queue works on, and its clock, in milliseconds, which never goes back and never stands still. */
export type QueueJobDeps = JobReports & { readonly leases: Leases; readonly draining: Draining; readonly now?: () => number }

/**
 * Sends the queued messages that are due. Each second it looks for senders with such messages, and gives each a turn under a lease of the sender.
 *
 * So the gateways share the senders, and a sender whose messages wait for its slots, or for the platform, holds up no other. If more senders have messages than may have turns, they
 * take turns of a second. After a crash, no process sends the messages of a sender until its lease expires.
 */
export const queue = (
  { leases: given, draining, log, onFailure, now = () => performance.now() }: QueueJobDeps, everyMs = SECOND_MS,
): RunningJob => {
  const fail = (error: unknown): void => { onFailure('queue_failed', error) }
  const leases = makeHeldLeases(guardPort(given, portFailure('Leases')), now, fail)
  const turns = new Map<string, Promise<void>>()
  /** When the last turn of a sender ended, and when its next one may begin. */
  const last = new Map<string, { readonly endedAt: number; readonly nextAt: number }>()
  let hasEnded = false
  let waiting = 0
  let heldSince: Instant | undefined

  const noteHold = (hold: QueueHold | undefined): void => {
    if (hold?.since === heldSince) return
    heldSince = hold?.since
    if (hold === undefined) log?.('info', 'queue_resumed', {})
    else log?.('warn', 'queue_held', { since: iso(hold.since), why: hold.why, run: 'postern queue resume' })
  }

  const turnOf = async (lease: string, { workspace, sender }: DueSender): Promise<void> => {
    const endsAt = now() + TURN_MS
    let areLeft = true
    try {
      const isHeld = (): boolean => leases.isHeld(lease)
      const drained = orThrow(await draining.drainSender(
        { workspace, sender }, { isHeld, hasEnded: () => hasEnded || !isHeld() || (waiting > 0 && now() >= endsAt) },
      ))
      const { sent, refused, postponed, left } = drained
      if (sent + refused + postponed + left > 0) log?.('debug', 'queue_drained', { sent, refused, postponed, left })
      areLeft = left > 0
    } catch (error) {
      fail(error)
    }
    if (last.size >= MAX_REMEMBERED) last.clear()
    last.set(lease, { endedAt: now(), nextAt: areLeft ? now() + AFTER_FAILURE_MS : now() })
    await leases.release(lease)
  }

  /** Begins the turns of the senders that are found. Returns how long it took to find them. */
  const begin = async (): Promise<number> => {
    const at = now()
    const due = orThrow(await draining.sendersDue(SENDERS))
    noteHold(draining.heldBy?.())
    const foundMs = now() - at
    const ready = due.map((of) => ({ of, lease: leaseOf(of) }))
      .filter(({ lease }) => !turns.has(lease) && !leases.isRefused(lease) && (last.get(lease)?.nextAt ?? 0) <= at)
      .sort((a, b) => (last.get(a.lease)?.endedAt ?? 0) - (last.get(b.lease)?.endedAt ?? 0))
    waiting = ready.length
    for (const { of, lease } of ready) {
      if (hasEnded || turns.size >= TURNS) break
      waiting -= 1
      if (!await leases.hold(lease)) continue
      turns.set(lease, turnOf(lease, of).finally(() => {
        turns.delete(lease)
        if (waiting > 0) finding.wake()
      }))
    }
    return foundMs
  }

  const finding = makeLoop({
    pass: async () => Math.max(everyMs, Math.min(MAX_PAUSE_MS, FIND_SHARE * await begin())), everyMs, onFailure: fail,
  })
  const renewing = makeLoop({
    pass: async () => {
      // A turn may last for longer than an unused lease is renewed.
      for (const lease of turns.keys()) if (leases.isHeld(lease)) await leases.hold(lease)
      await leases.renew()
      return undefined
    },
    everyMs: RENEW_EVERY_MS, onFailure: fail,
  })
  return {
    start: () => {
      finding.start()
      renewing.start()
    },
    stop: async () => {
      hasEnded = true
      await Promise.all([finding.stop(), renewing.stop()])
      await Promise.all(turns.values())
      await leases.releaseAll()
    },
  }
}

/** The name of a lease is shorter than the names of a workspace and a sender together. */
const leaseOf = ({ workspace, sender }: DueSender): string => `queue-${hash('sha256', `${workspace} ${sender}`, 'hex').slice(0, 32)}`
