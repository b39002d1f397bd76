import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { MINUTE_MS } from '../../core/time.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob } from './repeated-job.js'

/** Deletes old events, and what customers wrote once it is delivered everywhere. */
export type EventRetentionJob = {
  readonly start: () => void
  /** Begins no more passes, and waits for the step that is under way. */
  readonly stop: () => Promise<void>
}

export type EventRetentionJobDeps = Pick<KnexStorage, 'eventOutbox' | 'lease'> & {
  readonly log: Log
  /** How long events are kept, in milliseconds. */
  readonly retentionMs: number
  /** The pause between two passes, in milliseconds; a minute by default. */
  readonly everyMs?: number
}

const LEASE = 'event-retention'
const LEASE_MS = 5 * MINUTE_MS

/** One pass deletes no more than this many times, so that a large backlog does not keep the database busy for long. */
const MOST_STEPS = 50

/** Makes the job. Of all gateways on one database, only the one that holds the lease deletes; two at once would be safe as well. */
export const makeEventRetentionJob = ({ eventOutbox, lease, log, retentionMs, everyMs = MINUTE_MS }: EventRetentionJobDeps): EventRetentionJob => {
  const leases = makeLeases(lease)
  let hasEnded = false

  const pass = async (): Promise<void> => {
    if (!(await leases.take(LEASE, LEASE_MS))) return
    let removed = 0
    for (let step = 0; step < MOST_STEPS && !hasEnded; step += 1) {
      const now = Date.now()
      const result = await eventOutbox.removeOld(now - retentionMs, now)()
      if (E.isLeft(result)) throw result.left.cause
      removed += result.right
      if (result.right === 0) break
    }
    if (removed > 0) log('debug', 'old_events_removed', { count: removed })
  }

  const job = makeRepeatedJob({ pass, everyMs, onFailure: (error) => log('error', 'event_retention_failed', { cause: causeOf(error) }) })
  return {
    start: job.start,
    stop: async () => {
      hasEnded = true
      await job.stop()
      await leases.release(LEASE)
    },
  }
}
