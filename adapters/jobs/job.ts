import * as E from 'fp-ts/lib/Either.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { Leases } from '../../core/kernel/leases.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeLoop } from './loop.js'

/** Work that runs in the background, next to the sends. */
export type RunningJob = {
  /** Starts the first pass. */
  readonly start: () => void
  /** Starts no more passes, waits for the step in progress, and releases the lease. */
  readonly stop: () => Promise<void>
  /** Waits for the calls to the platform that were still in progress after `stop`; they end once its transport is closed. */
  readonly idle?: () => Promise<void>
}

/** What jobs report. The names of events are in snake case, as in a log. */
export type JobReports = {
  /** Gets the counts of what a pass has done; and `…_waits_for_lease`, once, when another holder starts to do the job. */
  readonly log?: (level: 'debug' | 'info' | 'warn', event: string, counts: Readonly<Record<string, number | string>>) => void
  /** Gets the error of a failed pass; the next pass starts anyway. */
  readonly onFailure: (event: string, error: unknown) => void
}

/** What a pass may call while it has the lease. */
export type LeasedPass = {
  /** Whether the job was stopped, so that the pass should end soon. */
  readonly hasEnded: () => boolean
  /** Renews the lease; `false` if another holder has it now. */
  readonly renew: () => Promise<boolean>
  /** Keeps the lease for this many milliseconds, even if this process is stopped; `false` if another holder has it now. */
  readonly keepFor: (ms: number) => Promise<boolean>
}

/** A job, as listed in the table of jobs. */
export type Job = {
  /** The name of its lease. */
  readonly name: string
  /** How long a lease lasts, in milliseconds; five minutes by default. After a process crashes, no other process does the job until the lease expires. */
  readonly leaseMs?: number
  /** The longest time for which a pass keeps the lease, in milliseconds, if it is longer than the usual duration of a lease. */
  readonly longestLeaseMs?: number
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
  /** The event of a failed pass. */
  readonly failed: string
  /** One pass. It resolves to the pause after it, if that differs from the usual pause. */
  readonly pass: (leased: LeasedPass) => Promise<number | undefined>
}

/** Unwraps the result of a port or a use case. A failure is thrown, because the loop reports what a pass throws. */
export const orThrow = <Value>(answer: E.Either<PortFailure, Value>): Value => {
  if (E.isLeft(answer)) throw answer.left.cause
  return answer.right
}

/** Runs a job. The lease only saves work for the storage: two simultaneous passes must be safe as well. */
export const runJob = (
  { name, leaseMs = 5 * MINUTE_MS, longestLeaseMs, everyMs, failed, pass }: Job,
  { leases: given, log, onFailure }: JobReports & { readonly leases: Leases },
): RunningJob => {
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
