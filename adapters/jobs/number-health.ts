import { MINUTE_MS } from '../../core/kernel/time.js'
import type { RefreshNumbers } from '../../core/senders/number-health.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** For how long a pass starts new readings; the lease lasts longer. */
const PASS_MS = 2 * MINUTE_MS

/** Reads the quality and the limits of the senders' numbers that are due. Each number is due every six hours, and soon after the platform has reported a change. */
export const numberHealth = (
  { refreshNumbers, log }: JobReports & { readonly refreshNumbers: RefreshNumbers }, everyMs = MINUTE_MS,
): Job => ({
  name: 'number-health', everyMs, failed: 'number_health_failed',
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const { read, failed } = orThrow(await refreshNumbers(() => !hasEnded() && performance.now() - begunAt < PASS_MS))
    if (read + failed > 0) log?.(failed > 0 ? 'info' : 'debug', 'numbers_read', { read, failed })
    return undefined
  },
})
