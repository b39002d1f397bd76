import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { MINUTE_MS } from '../../core/time.js'
import { makeRemovalJob, type RemovalJob } from './removal-job.js'

export type AccessCleanupJobDeps = Pick<KnexStorage, 'sessions' | 'lease'> & {
  readonly log: Log
  /** The pause between two passes, in milliseconds; ten minutes by default. */
  readonly everyMs?: number
}

/** How many of each kind one step deletes. */
const BATCH = 500

/** Makes the job that deletes sessions, links and attempts to sign in that have ended. */
export const makeAccessCleanupJob = ({ sessions, lease, log, everyMs = 10 * MINUTE_MS }: AccessCleanupJobDeps): RemovalJob =>
  makeRemovalJob({
    name: 'access-cleanup', lease, log, everyMs,
    removeSome: () => sessions.removeOld(Date.now(), BATCH),
    events: { removed: 'ended_access_removed', failed: 'access_cleanup_failed' },
  })
