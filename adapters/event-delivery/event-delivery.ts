import type { AttemptResult, DisabledReason, EventDeliveries, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import type { EventEndpoint } from '../../core/events/endpoint.js'
import { portFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { EventId } from '../../core/kernel/ids.js'
import type { Leases } from '../../core/kernel/leases.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import { makeHeldLeases, RENEW_EVERY_MS } from '../jobs/held-leases.js'
import { endOrLimit, makeLoop } from '../jobs/loop.js'
import { makeRunControl } from '../jobs/run-control.js'
import { makeAttemptRate } from './attempt-rate.js'
import { makeBrokerDelivery } from './broker-delivery.js'
import { makeEndpointDelivery } from './endpoint-delivery.js'

/** Delivers stored events to the endpoints of all workspaces, and to a broker. */
export type EventDelivery = {
  /** Starts to look for events to deliver. */
  readonly start: () => void
  /** Delivers newly stored events immediately; without this call, they are found a quarter of a second later. */
  readonly wake: () => void
  /**
   * Starts no more attempts, and waits a limited time until the attempts in progress have ended and are recorded. Then it releases the leases.
   *
   * An attempt that takes longer is not recorded, so its event is delivered again.
   */
  readonly stop: (limitMs?: number) => Promise<void>
}

/** What deliveries need, and the callbacks to report to. */
export type EventDeliveryDeps = TracingDeps & {
  readonly deliveries: Pick<EventDeliveries, 'due' | 'record' | 'retries' | 'brokerDue' | 'recordBroker'>
  readonly outbox: Pick<EventOutbox, 'after' | 'hasBroker'>
  /** Creates the sink that delivers to an endpoint; without it, only the broker gets events. */
  readonly sinkFor?: (address: SinkAddress) => EventSink
  /** Gets the events of all workspaces; the storage must be opened with `broker: true`. */
  readonly broker?: EventSink
  readonly leases: Leases
  /** Calls a listener after each write that stored events, as storages do, so that `wake` need not be called. */
  readonly onEvents?: (listener: () => void) => () => void
  /** The clock that decides when attempts are due. */
  readonly now: () => Instant
  /** The clock that decides when an attempt in progress counts as slow, in milliseconds; it never goes back. `performance.now` by default. */
  readonly monotonic?: () => number
  /** A new id of an attempt: 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly newAttemptId: () => string
  /** A new id of an event, for the event that reports a disabled endpoint. */
  readonly newEventId: () => EventId
  /** The maximum number of attempts a second for an endpoint; 2,000 by default. */
  readonly attemptsPerSecond?: number
  /** Called after each attempt. */
  readonly onAttempt?: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  /** Called after an endpoint was disabled because of its answers. */
  readonly onDisabled?: (endpoint: EventEndpoint, reason: DisabledReason) => void
  /** Called with the failure of a storage or of the leases; deliveries continue. */
  readonly onFailure?: (error: unknown) => void
}

const ATTEMPTS_PER_SECOND = 2_000
const STOP_MS = 20_000
const NO_EVENTS_FOR_BROKER = 'The storage keeps no events for a broker, so this one would get none. Open the storage with `broker: true`.'

/** Creates the deliveries of a process; they begin with `start`. Throws an `Error` if there is a `broker` and the storage stores no events for one. */
export const makeEventDelivery = (deps: EventDeliveryDeps): EventDelivery => {
  const [deliveries, outbox] = [
    guardPort(deps.deliveries, portFailure('EventDeliveries')), guardPort(deps.outbox, portFailure('EventOutbox')),
  ]
  const { broker, tracer, onAttempt = () => undefined, onDisabled = () => undefined, onFailure = () => undefined } = deps
  if (broker !== undefined && !outbox.hasBroker) throw new Error(NO_EVENTS_FOR_BROKER)
  const monotonic = (): number => performance.now()
  const control = makeRunControl()
  const leases = makeHeldLeases(guardPort(deps.leases, portFailure('Leases')), monotonic, onFailure)
  const { sinkFor } = deps
  let unlisten = (): void => undefined
  const endpoints = sinkFor && makeEndpointDelivery({
    deliveries, outbox, leases, control, onDisabled, onFailure, tracer, monotonic: deps.monotonic ?? monotonic,
    sinkFor, now: deps.now, newAttemptId: deps.newAttemptId, newEventId: deps.newEventId, random: Math.random,
    rate: makeAttemptRate(deps.attemptsPerSecond ?? ATTEMPTS_PER_SECOND, monotonic),
    onAttempt: (result) => onAttempt('endpoint', result),
  })
  const toBroker = broker && makeBrokerDelivery({
    broker, deliveries, outbox, leases, control, onFailure, tracer, onAttempt: (result) => onAttempt('broker', result),
  })
  const renewal = makeLoop({ pass: async () => { await leases.renew() }, everyMs: RENEW_EVERY_MS, onFailure })

  const wake = (): void => {
    for (const part of [endpoints, toBroker]) part?.wake()
  }

  return {
    start: () => {
      unlisten()
      unlisten = deps.onEvents?.(wake) ?? unlisten
      for (const part of [renewal, endpoints, toBroker]) part?.start()
    },
    wake,
    stop: async (limitMs = STOP_MS) => {
      unlisten()
      control.stop()
      await endOrLimit(Promise.all([endpoints?.stop(), toBroker?.stop()]), limitMs)
      control.abandon()
      await renewal.stop()
      await leases.releaseAll()
    },
  }
}
