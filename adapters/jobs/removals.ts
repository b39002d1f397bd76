import type { AuditLog } from '../../core/access/acting.js'
import { ANONYMOUS_RETENTION_MS } from '../../core/access/audit.js'
import type { Sessions } from '../../core/access/members.js'
import type { Batches } from '../../core/batches/batch.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import { MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { MessageContents } from '../../core/messages/kept-content.js'
import type { RequestLog } from '../../core/requests/request-log.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** One pass deletes at most this many times, so that a large backlog does not keep the storage busy for long. */
const MAX_STEPS = 50

/**
 * If a pass left something to delete, the next pass starts after a rest as long as that pass, and at least this many milliseconds. Otherwise a flood would fill
 * the storage faster than this job empties it.
 */
const SHORTEST_REST_MS = SECOND_MS

/** Deletes data that is no longer needed. `removeSome` returns how many items it deleted, and 0 if none is left; the job's stop waits for it. */
const removal = (job: Omit<Job, 'pass'>, removed: string, { log }: JobReports, removeSome: () => Promise<number>): Job => ({
  ...job,
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    let [count, isMore] = [0, true]
    for (let step = 0; step < MAX_STEPS && isMore && !hasEnded(); step += 1) {
      const some = await removeSome()
      count += some
      isMore = some > 0
    }
    if (count > 0) log?.('debug', removed, { count })
    return isMore ? Math.min(job.everyMs, Math.max(SHORTEST_REST_MS, performance.now() - begunAt)) : undefined
  },
})

/** Deletes old events, and customers' messages once they are delivered everywhere. */
export const eventRetention = (
  { eventOutbox, ...reports }: JobReports & { readonly eventOutbox: Pick<EventOutbox, 'removeOld'> }, retentionMs: number,
  everyMs = MINUTE_MS,
): Job =>
  removal({ name: 'event-retention', everyMs, failed: 'event_retention_failed' }, 'old_events_removed', reports, async () => {
    const now = Date.now()
    return orThrow(await eventOutbox.removeOld(now - retentionMs, now))
  })

/** Deletes the content of old messages. */
export const contentRetention = (
  { messageContents, ...reports }: JobReports & { readonly messageContents: Pick<MessageContents, 'removeOld'> }, retentionMs: number,
  everyMs = 10 * MINUTE_MS,
): Job =>
  removal({ name: 'content-retention', everyMs, failed: 'content_retention_failed' }, 'old_contents_removed', reports, async () =>
    orThrow(await messageContents.removeOld(Date.now() - retentionMs)))

/** Deletes what the lines of batches said that ended some time ago. */
export const batchContentRetention = (
  { batches, ...reports }: JobReports & { readonly batches: Pick<Batches, 'forgetContents'> }, retentionMs: number,
  everyMs = 10 * MINUTE_MS,
): Job =>
  removal({ name: 'batch-contents', everyMs, failed: 'batch_contents_failed' }, 'batch_contents_removed', reports, async () =>
    orThrow(await batches.forgetContents(Date.now() - retentionMs, BATCH)))

/** How many items of each kind one step deletes. */
const BATCH = 500

/** Deletes old calls of the API. */
export const requestRetention = (
  { requestLog, ...reports }: JobReports & { readonly requestLog: Pick<RequestLog, 'removeOld'> }, retentionMs: number, everyMs = MINUTE_MS,
): Job =>
  removal({ name: 'request-retention', everyMs, failed: 'request_retention_failed' }, 'old_requests_removed', reports, async () =>
    orThrow(await requestLog.removeOld(Date.now() - retentionMs, BATCH)))

/** The dependencies of the cleanup of accesses. */
export type AccessCleanupDeps = JobReports & {
  readonly sessions: Pick<Sessions, 'removeOld'>
  readonly auditLog: Pick<AuditLog, 'removeAnonymous'>
}

/** Deletes expired sessions, links and sign-in attempts, and old entries of people who could not sign in. */
export const accessCleanup = ({ sessions, auditLog, ...reports }: AccessCleanupDeps, everyMs = 10 * MINUTE_MS): Job =>
  removal({ name: 'access-cleanup', everyMs, failed: 'access_cleanup_failed' }, 'ended_access_removed', reports, async () =>
    orThrow(await sessions.removeOld(Date.now(), BATCH))
    + orThrow(await auditLog.removeAnonymous(Date.now() - ANONYMOUS_RETENTION_MS, BATCH)))
