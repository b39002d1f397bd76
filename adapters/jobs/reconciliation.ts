import * as E from 'fp-ts/lib/Either.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import type { Reconcile } from '../../core/sending/reconcile.js'
import type { Job, JobReports } from './job.js'

/** The duration of the lease of reconciliation, as a number of pauses, and its maximum in milliseconds. */
const LEASE_PAUSES = 4
const LONGEST_LEASE_MS = 5 * MINUTE_MS

/** The dependencies of the job. */
export type ReconciliationDeps = JobReports & {
  readonly reconcile: Reconcile
  /** Removes expired idempotency keys, after each pass. */
  readonly removeExpiredClaims?: () => Promise<unknown>
}

/** Reconciles once at the start, because the start may follow a crash, and then once after each pause. */
export const reconciliation = (
  { reconcile, removeExpiredClaims, log, onFailure }: ReconciliationDeps, everyMs: number, onPass: () => void,
): Job => ({
  name: 'reconcile', leaseMs: Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS), everyMs, failed: 'reconcile_failed',
  pass: async () => {
    const outcome = await reconcile()
    if (E.isLeft(outcome)) onFailure('reconcile_failed', outcome.left.cause)
    else {
      if (Object.values(outcome.right).some((count) => count > 0)) log?.('info', 'reconciled', outcome.right)
      onPass()
    }
    await removeExpiredClaims?.()
    return undefined
  },
})
