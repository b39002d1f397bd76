import { HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Forgotten, RunRetention } from '../../core/privacy.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** After a complete run its process keeps the lease for this long, so that a newly started process does not read every record again. */
const REST_MS = 23 * HOUR_MS

/** How often a long run reports its progress. */
const PROGRESS_MS = 30 * SECOND_MS

/** The dependencies of the job. */
export type RetentionDeps = JobReports & {
  readonly runRetention: RunRetention
  /** Gets what a run has forgotten since the last call. */
  readonly onForgotten?: (forgotten: Forgotten) => void
}

/** Forgets people in data older than the operator's limit. If a run fails, it tries again after an hour. The job's stop waits for the step in progress. */
export const retention = ({ runRetention, log, onForgotten }: RetentionDeps, retentionMs: number, everyMs = HOUR_MS): Job => ({
  name: 'retention', longestLeaseMs: REST_MS, everyMs, failed: 'retention_failed',
  pass: async ({ hasEnded, renew, keepFor }) => {
    let counted: Forgotten = { messages: 0, customers: 0, windows: 0 }
    let saidAt = Date.now()
    const note = (soFar: Forgotten): void => {
      const { messages, customers, windows } = soFar
      onForgotten?.({ messages: messages - counted.messages, customers: customers - counted.customers, windows: windows - counted.windows })
      counted = soFar
    }
    const { forgotten, finished } = orThrow(await runRetention({
      before: Date.now() - retentionMs,
      goOn: async (soFar) => {
        note(soFar)
        if (Date.now() - saidAt > PROGRESS_MS) {
          saidAt = Date.now()
          log?.('info', 'retention_progress', soFar)
        }
        return !hasEnded() && renew()
      },
    }))
    note(forgotten)
    log?.('info', finished ? 'retention_run' : 'retention_interrupted', forgotten)
    return finished && (await keepFor(REST_MS)) ? REST_MS : undefined
  },
})
