import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { MINUTE_MS } from '../../core/time.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob } from './repeated-job.js'

/** Deletes sessions, links and attempts to sign in that have ended. */
export type AccessCleanupJob = {
  readonly start: () => void
  /** Begins no more passes, and waits for the step that is under way. */
  readonly stop: () => Promise<void>
}

export type AccessCleanupJobDeps = Pick<KnexStorage, 'sessions' | 'lease'> & {
  readonly log: Log
  /** The pause between two passes, in milliseconds; ten minutes by default. */
  readonly everyMs?: number
}

const LEASE = 'access-cleanup'
const LEASE_MS = 5 * MINUTE_MS

/** How many of each kind one step deletes, and how many steps a pass has. */
const BATCH = 500
const MOST_STEPS = 50

/** Makes the job. Of all gateways on one database, only the one that holds the lease deletes; two at once would be safe as well. */
export const makeAccessCleanupJob = ({ sessions, lease, log, everyMs = 10 * MINUTE_MS }: AccessCleanupJobDeps): AccessCleanupJob => {
  const leases = makeLeases(lease)
  let hasEnded = false

  const pass = async (): Promise<void> => {
    if (!(await leases.take(LEASE, LEASE_MS))) return
    let removed = 0
    for (let step = 0; step < MOST_STEPS && !hasEnded; step += 1) {
      const result = await sessions.removeOld(Date.now(), BATCH)()
      if (E.isLeft(result)) throw result.left.cause
      removed += result.right
      if (result.right === 0) break
    }
    if (removed > 0) log('debug', 'ended_access_removed', { count: removed })
  }

  const job = makeRepeatedJob({ pass, everyMs, onFailure: (error) => log('error', 'access_cleanup_failed', { cause: causeOf(error) }) })
  return {
    start: job.start,
    stop: async () => {
      hasEnded = true
      await job.stop()
      await leases.release(LEASE)
    },
  }
}
