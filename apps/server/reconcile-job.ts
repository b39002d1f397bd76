import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { PortFailure } from '../../core/errors.js'
import type { Reconcile, Reconciled } from '../../core/use-cases/reconcile.js'
import { MINUTE_MS } from '../../core/time.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob } from './repeated-job.js'

/** A running reconciliation job; `stop` waits for the pass that is under way. */
export type ReconcileJob = { readonly stop: () => Promise<void> }

export type ReconcileJobDeps = {
  readonly reconcile: Reconcile
  readonly lease: KnexStorage['lease']
  readonly removeExpiredClaims: KnexStorage['removeExpiredClaims']
  readonly log: Log
  /** Called after a pass that did not fail. */
  readonly onPass: () => void
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
}

const LEASE = 'reconcile'

/** For how many pauses a lease lasts. After a gateway dies, no other gateway reconciles until its lease ends. */
const LEASE_PAUSES = 4

/** The longest lease, in milliseconds. */
const LONGEST_LEASE_MS = 5 * MINUTE_MS

/**
 * Reconciles at the start, since the start may follow a crash, and then once after each pause.
 *
 * Of all gateways on one database, only the one that holds the lease reconciles. This saves work for the database; two passes at once
 * would be safe as well.
 */
export const startReconcileJob = ({ reconcile, lease, removeExpiredClaims, log, onPass, everyMs }: ReconcileJobDeps): ReconcileJob => {
  const leases = makeLeases(lease)
  const leaseMs = Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS)

  const pass = async (): Promise<void> => {
    if (!(await leases.take(LEASE, leaseMs))) return
    const outcome = await reconcile()()
    report(outcome)
    if (E.isRight(outcome)) onPass()
    await removeExpiredClaims()
  }

  const report = (outcome: E.Either<PortFailure, Reconciled>): void => {
    if (E.isLeft(outcome)) onFailure(outcome.left.cause)
    else if (Object.values(outcome.right).some((count) => count > 0)) log('info', 'reconciled', outcome.right)
  }

  const onFailure = (cause: unknown): void => log('error', 'reconcile_failed', { cause: causeOf(cause) })

  const job = makeRepeatedJob({ pass, everyMs, onFailure })
  job.start()
  return {
    stop: async () => {
      await job.stop()
      await leases.release(LEASE)
    },
  }
}
