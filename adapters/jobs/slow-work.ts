import { MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Job } from './job.js'

/** Works through all rows of a table, as long as `goesOn` resolves to `true`; resolves to whether all of them are done. */
export type WorkThrough = (goesOn: () => Promise<boolean>) => Promise<boolean>

/** For how long a pass starts new work. */
const PASS_MS = 2 * SECOND_MS

/** After a pass the storage rests for this many times the duration of the pass; less while much is left. */
const REST = 100
const SHORT_REST = 2

const workingThrough = (job: Pick<Job, 'name' | 'failed'>, work: WorkThrough, everyMs: number): Job => ({
  ...job, everyMs,
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const isDone = await work(async () => !hasEnded() && performance.now() - begunAt < PASS_MS)
    const tookMs = performance.now() - begunAt
    return isDone ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  },
})

/** Adds up the movements of wallets by day, for their statements. */
export const ledgerSums = (addUpLedgers: WorkThrough, everyMs = MINUTE_MS): Job =>
  workingThrough({ name: 'ledger-sums', failed: 'ledger_sums_failed' }, addUpLedgers, everyMs)

/** Corrects what customers are found by, for the search by name. */
export const customerNames = (compareNames: WorkThrough, everyMs = MINUTE_MS): Job =>
  workingThrough({ name: 'customer-names', failed: 'customer_names_failed' }, compareNames, everyMs)
