import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { STRANGERS_KEPT_MS } from '../../core/access/audit.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeRemovalJob, type RemovalJob } from './removal-job.js'

export type AccessCleanupJobDeps = Pick<KnexStorage, 'sessions' | 'auditLog' | 'lease'> & {
  readonly log: Log
  /** The pause between two passes, in milliseconds; ten minutes by default. */
  readonly everyMs?: number
}

/** How many of each kind one step deletes. */
const BATCH = 500

/** Makes the job that deletes sessions, links and attempts to sign in that have ended, and old entries of people who could not sign in. */
export const makeAccessCleanupJob = ({ sessions, auditLog, lease, log, everyMs = 10 * MINUTE_MS }: AccessCleanupJobDeps): RemovalJob =>
  makeRemovalJob({
    name: 'access-cleanup', lease, log, everyMs,
    removeSome: () => pipe(
      sessions.removeOld(Date.now(), BATCH),
      TE.flatMap((ended) => TE.map((strangers: number) => ended + strangers)(auditLog.removeStrangers(Date.now() - STRANGERS_KEPT_MS, BATCH))),
    ),
    events: { removed: 'ended_access_removed', failed: 'access_cleanup_failed' },
  })
