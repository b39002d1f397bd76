import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { uuidv7 } from 'uuidv7'
import { type EventDelivery, makeEventDelivery } from '../../adapters/event-delivery/event-delivery.js'
import { makeUpkeep, type Upkeep, type UpkeepSettings } from '../../adapters/event-delivery/upkeep.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import { eventIdOf } from '../../core/kernel/ids.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import type { Postern } from '../../core/postern.js'
import type { Forgotten } from '../../core/privacy.js'
import { causeOf, version } from './package.js'
import { logAtIntervals } from './log-throttle.js'

/** What the upkeep of a gateway is made of. */
export type GatewayUpkeepDeps = {
  readonly postern: Pick<Postern, 'upkeep'>
  readonly storage: Pick<KnexStorage, 'auditLog' | 'eventOutbox' | 'gateways' | 'leases' | 'removeExpiredClaims' | 'requestLog' | 'sessions'>
  readonly log: Log
  readonly countForgotten: (forgotten: Forgotten) => void
}

/** Makes the upkeep of a gateway. Pages alone show what is counted, so without them nothing is. */
export const makeGatewayUpkeep = (
  { postern: { upkeep }, storage, log, countForgotten }: GatewayUpkeepDeps, { countsMessages, ...settings }: UpkeepSettings & { readonly countsMessages: boolean },
): Upkeep => {
  const { gateways, ...stored } = storage
  const process = { id: randomUUID(), version: version(), host: hostname(), pid: globalThis.process.pid, startedAt: Date.now() }
  return makeUpkeep({
    ...stored, reconcile: upkeep.reconcile, runRetention: upkeep.runRetention,
    ...(countsMessages && { rollUpMessages: upkeep.rollUpMessages }),
    presence: { note: (reconciledAt) => gateways.note({ ...process, reconciledAt }), remove: () => gateways.remove(process.id) },
    log, onFailure: (event, error) => log('error', event, { cause: causeOf(error) }), onForgotten: countForgotten,
  }, settings)
}

/** The job that delivers events. */
export type EventDeliveryJob = Pick<EventDelivery, 'start' | 'stop'>

export type EventDeliveryJobDeps = TracingDeps & {
  readonly storage: Pick<KnexStorage, 'eventDeliveries' | 'eventOutbox' | 'leases' | 'onEvents'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly broker: EventSink | undefined
  readonly countAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  readonly log: Log
}

/** Makes the job; it delivers nothing before it is started. */
export const makeEventDeliveryJob = ({ storage, sinkFor, broker, countAttempt, log, tracer }: EventDeliveryJobDeps): EventDeliveryJob => {
  const logFailure = logAtIntervals(log, Date.now, 'error', 'event_delivery_failed')
  const logBroker = logAtIntervals(log, Date.now, 'warn', 'event_broker_failed')
  return makeEventDelivery({
    deliveries: storage.eventDeliveries, outbox: storage.eventOutbox, leases: storage.leases, onEvents: storage.onEvents, sinkFor, ...(broker && { broker }), tracer,
    now: Date.now, newAttemptId: () => uuidv7().replaceAll('-', ''), newEventId: () => eventIdOf(uuidv7()),
    onAttempt: (receiver, result) => {
      countAttempt(receiver, result)
      if (receiver === 'broker' && !result.delivered) logBroker({ error: result.error ?? 'no reason given' })
    },
    onDisabled: ({ id, workspace }, reason) => log('warn', 'event_endpoint_disabled', { endpoint: id, workspace, reason }),
    onFailure: (error) => { logFailure({ cause: causeOf(error) }) },
  })
}
