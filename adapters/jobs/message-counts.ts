import { SECOND_MS } from '../../core/kernel/time.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** How long a pass begins new buckets. */
const PASS_MS = 2 * SECOND_MS

/**
 * After a pass the storage rests for so many times as long as the pass took; less while much is left to count. On SQLite a pass takes the processor
 * from the sends, and at thousands of sends a second it counts hundreds of thousands of messages: so it costs them a hundredth.
 */
const REST = 100
const SHORT_REST = 2

/** Counts messages for overviews; the job's stop begins no more buckets, and waits for the one that is under way. */
export const messageCounts = ({ rollUpMessages, log }: JobReports & { readonly rollUpMessages: RollUpMessages }, everyMs = 15 * SECOND_MS): Job => ({
  name: 'message-counts', everyMs, failed: 'message_counts_failed',
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const { messages, finished } = orThrow(await rollUpMessages(async () => !hasEnded() && performance.now() - begunAt < PASS_MS))
    const tookMs = performance.now() - begunAt
    if (messages > 0) log?.('debug', 'messages_counted', { count: messages, duration_ms: Math.round(tookMs) })
    return finished ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  },
})
