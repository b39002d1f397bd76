import { SECOND_MS } from '../../core/kernel/time.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** For how long a pass starts new buckets. */
const PASS_MS = 2 * SECOND_MS

/**
 * After a pass the storage rests for this many times the duration of the pass; less while much is left to count. On SQLite a pass takes processor time from the sends.
 * At thousands of sends a second it counts hundreds of thousands of messages, so counting costs the sends a hundredth.
 */
const REST = 100
const SHORT_REST = 2

/** Counts messages for overviews. After the job is stopped, it starts no more buckets and waits for the bucket in progress. */
export const messageCounts = (
  { rollUpMessages, log }: JobReports & { readonly rollUpMessages: RollUpMessages }, everyMs = 15 * SECOND_MS,
): Job => ({
  name: 'message-counts', everyMs, failed: 'message_counts_failed',
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const { messages, finished } = orThrow(await rollUpMessages(async () => !hasEnded() && performance.now() - begunAt < PASS_MS))
    const tookMs = performance.now() - begunAt
    if (messages > 0) log?.('debug', 'messages_counted', { count: messages, duration_ms: Math.round(tookMs) })
    return finished ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  },
})
