import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeRemovalJob, type RemovalJob } from './removal-job.js'

export type EventRetentionJobDeps = Pick<KnexStorage, 'eventOutbox' | 'lease'> & {
  readonly log: Log
  /** How long events are kept, in milliseconds. */
  readonly retentionMs: number
  /** The pause between two passes, in milliseconds; a minute by default. */
  readonly everyMs?: number
}

/** Makes the job that deletes old events, and what customers wrote once it is delivered everywhere. */
export const makeEventRetentionJob = ({ eventOutbox, lease, log, retentionMs, everyMs = MINUTE_MS }: EventRetentionJobDeps): RemovalJob =>
  makeRemovalJob({
    name: 'event-retention', lease, log, everyMs,
    removeSome: () => {
      const now = Date.now()
      return eventOutbox.removeOld(now - retentionMs, now)
    },
    events: { removed: 'old_events_removed', failed: 'event_retention_failed' },
  })
