import type { RunBatches } from '../../core/batches/run.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** After a process crashes, no other process queues lines until the lease expires; what is queued already is sent meanwhile. */
const LEASE_MS = 15 * SECOND_MS

/** Queues the lines of batches, a part of each in a pass. The lines that wait in the queue last for longer than a second, so it rests for a second once there are enough. */
export const batches = (
  { runBatches, log, onFailure }: JobReports & { readonly runBatches: RunBatches }, everyMs = SECOND_MS,
): Job => ({
  name: 'batches', leaseMs: LEASE_MS, everyMs, failed: 'batches_failed',
  pass: async ({ hasEnded }) => {
    const { queued, failures, isMoreDue } = orThrow(await runBatches(hasEnded))
    if (queued > 0) log?.('debug', 'batch_lines_queued', { count: queued })
    for (const failure of failures) onFailure('batch_failed', failure.cause)
    return isMoreDue ? 0 : undefined
  },
})
