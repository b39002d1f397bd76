import { SECOND_MS } from '../../core/kernel/time.js'
import type { DrainQueue } from '../../core/sending/drain.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** How long the lease lasts. It is short: after a crash no process sends the queue until it expires. */
const LEASE_MS = 15 * SECOND_MS

/** The pause after a pass in which messages were left, because something failed. */
const AFTER_FAILURE_MS = 5 * SECOND_MS

/** Sends the queued messages that are due, every second, and without a pause while more are due. */
export const queue = ({ drainQueue, log }: JobReports & { readonly drainQueue: DrainQueue }, everyMs = SECOND_MS): Job => ({
  name: 'queue', leaseMs: LEASE_MS, everyMs, failed: 'queue_failed',
  pass: async ({ hasEnded, renew }) => {
    let areLeft = false
    for (;;) {
      const { sent, refused, postponed, left, isMoreDue } = orThrow(await drainQueue(hasEnded))
      if (sent + refused + postponed + left > 0) log?.('debug', 'queue_drained', { sent, refused, postponed, left })
      areLeft ||= left > 0
      if (!isMoreDue || hasEnded() || !(await renew())) break
    }
    return areLeft ? AFTER_FAILURE_MS : undefined
  },
})
