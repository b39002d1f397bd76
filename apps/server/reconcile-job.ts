import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import type { Reconcile, Reconciled } from '../../core/sending/reconcile.js'
import { causeOf } from './cause.js'
import { type LeasedJob, makeLeasedJob } from './leased-job.js'

/** A running reconciliation job; `stop` waits for the pass that is under way. */
export type ReconcileJob = Pick<LeasedJob, 'stop'>

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

/** For how many pauses a lease lasts. */
const LEASE_PAUSES = 4

/** The longest lease, in milliseconds. */
const LONGEST_LEASE_MS = 5 * MINUTE_MS

/** Reconciles at the start, since the start may follow a crash, and then once after each pause. */
export const startReconcileJob = ({ reconcile, lease, removeExpiredClaims, log, onPass, everyMs }: ReconcileJobDeps): ReconcileJob => {
  const pass = async (): Promise<void> => {
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

  const job = makeLeasedJob({ name: 'reconcile', lease, leaseMs: Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS), pass, everyMs, onFailure })
  job.start()
  return job
}
