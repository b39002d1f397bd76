import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { PortFailure } from '../../core/errors.js'
import type { Reconcile, Reconciled } from '../../core/reconcile.js'
import { causeOf } from './cause.js'

/** A job that reconciles from time to time; `stop` waits for a pass that is under way. */
export type ReconcileJob = { readonly stop: () => Promise<void> }

export type ReconcileJobDeps = {
  readonly reconcile: Reconcile
  readonly lease: KnexStorage['lease']
  readonly log: Log
  /** From the end of a pass to the beginning of the next, in milliseconds. */
  readonly everyMs: number
}

const LEASE = 'reconcile'

/** How many pauses long a gateway that died keeps the others, and the one started in its place, from going on. */
const LEASE_PAUSES = 4

/** The same in milliseconds at most, however long the pauses. */
const LONGEST_LEASE_MS = 5 * 60_000

/**
 * Reconciles from time to time, and at once at the start, since a start may follow a crash.
 *
 * Of all gateways on one database the one that holds the lease does the work. A pass is safe beside another one all the
 * same: the lease only spares the database.
 */
export const startReconcileJob = ({ reconcile, lease, log, everyMs }: ReconcileJobDeps): ReconcileJob => {
  const holder = randomUUID()
  const leaseMs = Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS)
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let pass = Promise.resolve()

  const run = async (): Promise<void> => {
    try {
      if (await lease(LEASE, holder, leaseMs)) tell(await reconcile()())
    } catch (error) {
      log('error', 'reconcile_failed', { cause: causeOf(error).message })
    }
    if (!stopped) timer = setTimeout(begin, everyMs)
  }

  const tell = (outcome: E.Either<PortFailure, Reconciled>): void => {
    if (E.isLeft(outcome)) log('error', 'reconcile_failed', { cause: causeOf(outcome.left.cause).message })
    else if (Object.values(outcome.right).some((count) => count > 0)) log('info', 'reconciled', outcome.right)
  }

  const begin = (): void => { pass = run() }

  begin()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await pass
      // Whoever is next need not wait; where the database is gone, they wait a little.
      await lease(LEASE, holder, 0).catch(() => undefined)
    },
  }
}
