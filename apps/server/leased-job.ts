import type { KnexStorage } from '../../adapters/knex/index.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob, type RepeatedJob, type RepeatedJobOptions } from './repeated-job.js'

/** A repeated job that one gateway at a time does, of all those on one database. */
export type LeasedJob = Pick<RepeatedJob, 'start' | 'hasten'> & {
  /** Begins no more passes, waits for the one that is under way, and ends the lease. */
  readonly stop: () => Promise<void>
}

/** What a pass may ask for while it has the lease. */
export type Turn = {
  /** Whether the job was stopped, so that the pass should end soon. */
  readonly hasEnded: () => boolean
  /** Renews the lease; `false` if another gateway has it by now. */
  readonly renew: () => Promise<boolean>
  /** Keeps the lease for so many milliseconds, also if this gateway is stopped; `false` if another gateway has it by now. */
  readonly keepFor: (ms: number) => Promise<boolean>
}

export type LeasedJobOptions = Pick<RepeatedJobOptions, 'everyMs' | 'onFailure'> & {
  /** The name of the lease. */
  readonly name: string
  readonly lease: KnexStorage['lease']
  /** How long a lease lasts, in milliseconds; five minutes by default. After a gateway dies, no other one does the job until it ends. */
  readonly leaseMs?: number
  /** Whether a pass is due; without it one always is. */
  readonly isDue?: () => boolean
  readonly pass: (turn: Turn) => Promise<void>
}

/** Makes the job. The lease saves work for the database: two passes at once must be safe as well. */
export const makeLeasedJob = ({ name, lease, leaseMs = 5 * MINUTE_MS, isDue = () => true, pass, everyMs, onFailure }: LeasedJobOptions): LeasedJob => {
  const leases = makeLeases(lease)
  let hasEnded = false
  let releases = false
  const take = async (ms: number): Promise<boolean> => (releases = await leases.take(name, ms))
  const turn: Turn = {
    hasEnded: () => hasEnded,
    renew: () => take(leaseMs),
    keepFor: async (ms) => {
      const isKept = await take(ms)
      releases = false
      return isKept
    },
  }
  const job = makeRepeatedJob({
    pass: async () => { if (isDue() && (await take(leaseMs))) await pass(turn) },
    everyMs, onFailure,
  })
  return {
    start: job.start,
    hasten: job.hasten,
    stop: async () => {
      hasEnded = true
      await job.stop()
      if (releases) await leases.release(name)
    },
  }
}
