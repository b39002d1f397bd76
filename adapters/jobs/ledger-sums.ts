import { MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Job } from './job.js'

/** Adds old movements to the stored sums of their days, as long as `goesOn` resolves to `true`; resolves to whether all of them are added. */
export type AddUpLedgers = (goesOn: () => Promise<boolean>) => Promise<boolean>

/** For how long a pass starts new additions. */
const PASS_MS = 2 * SECOND_MS

/** After a pass the storage rests for this many times the duration of the pass; less while much is left to add. */
const REST = 100
const SHORT_REST = 2

/** Adds up the movements of wallets by day, for their statements. */
export const ledgerSums = ({ addUpLedgers }: { readonly addUpLedgers: AddUpLedgers }, everyMs = MINUTE_MS): Job => ({
  name: 'ledger-sums', everyMs, failed: 'ledger_sums_failed',
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const isFinished = await addUpLedgers(async () => !hasEnded() && performance.now() - begunAt < PASS_MS)
    const tookMs = performance.now() - begunAt
    return isFinished ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  },
})
