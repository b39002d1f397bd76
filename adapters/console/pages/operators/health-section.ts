import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { EventOutbox } from '../../../../core/kernel/outbox.js'
import type { Instant } from '../../../../core/kernel/time.js'
import type { ReconcileByHand } from '../../../../core/sending/reconcile.js'

/** The dependencies of the health page. */
export type HealthSection = {
  /** The processes that serve the gateway. */
  readonly gateways: () => Promise<E.Either<PortFailure, ReadonlyArray<GatewayShown>>>
  readonly backlog: EventOutbox['backlog']
  /** How many messages have an unknown outcome. */
  readonly unconfirmed: () => Promise<E.Either<PortFailure, UnconfirmedMessages>>
  readonly reconcile: ReconcileByHand
  /** The rate card in force. */
  readonly rateCard: () => RateCardShown
  /** Runs the checks of `postern doctor` for a limited time, and yields each result as soon as it is available. */
  readonly runChecks: () => AsyncIterable<CheckShown>
}

/** A process that serves the gateway. */
export type GatewayShown = {
  readonly id: string; readonly version: string; readonly host: string; readonly pid: number
  readonly startedAt: Instant; readonly seenAt: Instant; readonly isAlive: boolean; readonly reconciledAt: Instant | undefined
}

/** The number of messages with an unknown outcome, counted up to a limit. */
export type UnconfirmedMessages = { readonly count: number; readonly isMore: boolean }

/** The rate card in force: its currency, the first day of its prices, and when its file was last read. */
export type RateCardShown = { readonly currency: string; readonly effective: string; readonly cards: number; readonly readAt: Instant }

/** The result of one check: no fault, or a fault and how to fix it. */
export type CheckShown = { readonly check: string; readonly fault: string | null; readonly remedy: string | null; readonly note?: string }
