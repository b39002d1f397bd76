import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { PortFailure } from '../../core/errors.js'
import type { Reconcile, Reconciled } from '../../core/use-cases/reconcile.js'
import { causeOf } from './cause.js'

/** A running reconciliation job; `stop` waits for the pass that is under way. */
export type ReconcileJob = { readonly stop: () => Promise<void> }

export type ReconcileJobDeps = {
  readonly reconcile: Reconcile
  readonly lease: KnexStorage['lease']
  readonly removeExpiredClaims: KnexStorage['removeExpiredClaims']
  readonly log: Log
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
}

const LEASE = 'reconcile'

/** For how many pauses a lease lasts. After a gateway dies, no other gateway reconciles until its lease ends. */
const LEASE_PAUSES = 4

/** The longest lease, in milliseconds. */
const LONGEST_LEASE_MS = 5 * 60_000

/**
 * Reconciles at the start, since the start may follow a crash, and then once after each pause.
 *
 * Of all gateways on one database, only the one that holds the lease reconciles. This saves work for the database; two passes at once
 * would be safe as well.
 */
export const startReconcileJob = ({ reconcile, lease, removeExpiredClaims, log, everyMs }: ReconcileJobDeps): ReconcileJob => {
  const holder = randomUUID()
  const leaseMs = Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS)
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let pass = Promise.resolve()

  const run = async (): Promise<void> => {
    try {
      if (await lease(LEASE, holder, leaseMs)) {
        report(await reconcile()())
        await removeExpiredClaims()
      }
    } catch (error) {
      log('error', 'reconcile_failed', { cause: causeOf(error) })
    }
    if (!stopped) timer = setTimeout(begin, everyMs)
  }

  const report = (outcome: E.Either<PortFailure, Reconciled>): void => {
    if (E.isLeft(outcome)) log('error', 'reconcile_failed', { cause: causeOf(outcome.left.cause) })
    else if (Object.values(outcome.right).some((count) => count > 0)) log('info', 'reconciled', outcome.right)
  }

  const begin = (): void => { pass = run() }

  begin()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await pass
      // Ends the lease, so that another gateway can take over at once. If this fails, the lease ends by itself.
      await lease(LEASE, holder, 0).catch(() => undefined)
    },
  }
}
