import { SECOND_MS } from '../../core/kernel/time.js'
import type { NoteOverdue } from '../../core/messages/deadlines.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** The duration of the lease. It is short, so that another process continues soon after a crash: an application waits for the event. */
const LEASE_MS = 20 * SECOND_MS

/** The pause after a failed pass. */
const EVERY_MS = 2 * SECOND_MS

/** Makes the events of messages that are not delivered at their deadlines. After a pass it pauses until the next deadline. */
export const deliveryDeadlines = ({ noteOverdue, log }: JobReports & { readonly noteOverdue: NoteOverdue }): Job => ({
  name: 'delivery-deadlines', leaseMs: LEASE_MS, everyMs: EVERY_MS, failed: 'delivery_deadlines_failed',
  pass: async () => {
    const { overdue, nextInMs } = orThrow(await noteOverdue())
    if (overdue > 0) log?.('debug', 'messages_overdue', { overdue })
    return nextInMs
  },
})
