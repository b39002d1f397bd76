import * as E from 'fp-ts/lib/Either.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { Leases } from '../../core/kernel/leases.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeLoop } from './loop.js'

/** What runs beside the sends. */
export type RunningJob = {
  /** Begins the first pass. */
  readonly start: () => void
  /** Begins no more passes, waits for the step that is under way, and releases the lease. */
  readonly stop: () => Promise<void>
  /** Waits for the calls to the platform that `stop` left under way; they end once its transport is closed. */
  readonly idle?: () => Promise<void>
}

/** What jobs report. The events are named in snake case, as in a log. */
export type JobReports = {
  /** Gets what a pass has done, in counts; and `…_waits_for_lease`, once, when another holder begins to do the job. */
  readonly log?: (level: 'debug' | 'info', event: string, counts: Readonly<Record<string, number>>) => void
  /** Gets what a pass failed with; the next one begins all the same. */
  readonly onFailure: (event: string, error: unknown) => void
}

/** What a pass may ask for while it has the lease. */
export type LeasedPass = {
  /** Whether the job was stopped, so that the pass should end soon. */
  readonly hasEnded: () => boolean
  /** Renews the lease; `false` if another holder has it by now. */
  readonly renew: () => Promise<boolean>
  /** Keeps the lease for so many milliseconds, also if this process is stopped; `false` if another holder has it by now. */
  readonly keepFor: (ms: number) => Promise<boolean>
}

/** A job, as the table of jobs has it. */
export type Job = {
  /** The name of its lease. */
  readonly name: string
  /** How long a lease lasts, in milliseconds; five minutes by default. After a process dies, no other one does the job until it ends. */
  readonly leaseMs?: number
  /** The longest for which a pass keeps the lease, in milliseconds, if that is longer than any lease otherwise. */
  readonly longestLeaseMs?: number
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
  /** The event of a pass that failed. */
  readonly failed: string
  /** One pass. Its answer is the pause after it, where that is not the usual one. */
  readonly pass: (leased: LeasedPass) => Promise<number | undefined>
}

/** What a port or a use case answered. Its failure is thrown, since the loop reports what a pass throws. */
export const orThrow = <Value>(answer: E.Either<PortFailure, Value>): Value => {
  if (E.isLeft(answer)) throw answer.left.cause
  return answer.right
}

/** Runs a job. The lease saves work for the storage: two passes at once must be safe as well. */
export const runJob = ({ name, leaseMs = 5 * MINUTE_MS, longestLeaseMs, everyMs, failed, pass }: Job, { leases: given, log, onFailure }: JobReports & { readonly leases: Leases }): RunningJob => {
  const leases = guardPort(given, portFailure('Leases'))
  let hasEnded = false
  let releases = false
  let isWaiting = false
  const take = async (ms: number): Promise<boolean> => {
    releases = orThrow(await leases.take(name, ms, longestLeaseMs))
    if (!releases && !isWaiting) log?.('info', `${name.replaceAll('-', '_')}_waits_for_lease`, {})
    isWaiting = !releases
    return releases
  }
  const leased: LeasedPass = {
    hasEnded: () => hasEnded,
    renew: () => take(leaseMs),
    keepFor: async (ms) => {
      const isKept = await take(ms)
      releases = false
      return isKept
    },
  }
  const loop = makeLoop({
    pass: async () => ((await take(leaseMs)) ? pass(leased) : undefined),
    everyMs,
    onFailure: (error) => { onFailure(failed, error) },
  })
  return {
    start: loop.start,
    stop: async () => {
      hasEnded = true
      await loop.stop()
      if (releases) await leases.release(name)
    },
  }
}
