import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HealthSection } from '../../adapters/console/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { portFailure } from '../../core/kernel/failure.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'
import { cardAt } from '../../core/money/rate-card.js'
import type { ReconcileByHand } from '../../core/sending/reconcile.js'
import type { CheckResult } from '../operator/check-result.js'
import type { Config } from './config.js'
import { HEARTBEAT_MS } from './heartbeat-job.js'
import type { WatchedRateCards } from './rate-card-file.js'

/** What the page of health reads. */
export type HealthDeps = {
  readonly storage: KnexStorage; readonly config: Config; readonly rateCards: WatchedRateCards; readonly reconcile: ReconcileByHand; readonly now: Clock
}

/** A process is taken for dead after it has missed two signs of life. */
const ALIVE_MS = 3 * HEARTBEAT_MS
const MOST_COUNTED = 1_000
const CHECKS_MS = 20 * SECOND_MS

/** What the console's page of health needs. */
export const healthSection = ({ storage, config, rateCards, reconcile, now }: HealthDeps): HealthSection => ({
  gateways: () =>
    pipe(
      TE.tryCatch(storage.gateways.list, portFailure('Gateways')),
      TE.map((gateways) => gateways.map((gateway) => ({ ...gateway, isAlive: now() - gateway.seenAt <= ALIVE_MS }))),
    ),
  backlog: storage.eventOutbox.backlog,
  unconfirmed: () =>
    pipe(
      storage.messageLog.stale({ state: 'unconfirmed', before: storage.windowClock.now() + 1, limit: MOST_COUNTED }),
      TE.map(({ length: count }) => ({ count, isMore: count === MOST_COUNTED })),
    ),
  reconcile,
  rateCard: () => {
    const cards = rateCards.cards()
    const { currency, effective } = cardAt(cards, now())
    return { currency, effective, cards: cards.length, readAt: rateCards.readAt() }
  },
  async *runChecks() {
    const { checksOf } = await import('../operator/doctor-checks.js')
    yield* within(CHECKS_MS, checksOf(config, E.right(rateCards.cards()), storage))
  },
})

/** The results until the deadline, each as soon as it is there, and a fault for what is left then. */
async function* within(ms: number, checks: AsyncGenerator<CheckResult>): AsyncGenerator<CheckResult> {
  const ended = new AbortController()
  const late = delay(ms, 'late' as const, { signal: ended.signal }).catch(() => 'late' as const)
  try {
    for (;;) {
      const next = await Promise.race([checks.next(), late])
      if (next === 'late') {
        yield LATE
        return
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    ended.abort()
    // Ends behind the check that is under way, and closes its connections.
    void checks.return(undefined).catch(() => undefined)
  }
}

const LATE: CheckResult = { check: 'the other checks', fault: `they took longer than ${CHECKS_MS / SECOND_MS} seconds`, remedy: 'Run `postern doctor` on the server.' }
