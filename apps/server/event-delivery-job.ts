import { uuidv7 } from 'uuidv7'
import { type EventDelivery, makeEventDelivery } from '../../adapters/event-delivery/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import { eventIdOf } from '../../core/kernel/ids.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { logAtIntervals } from './log-at-intervals.js'

/** The job that delivers events. */
export type EventDeliveryJob = Pick<EventDelivery, 'start' | 'stop'>

export type EventDeliveryJobDeps = {
  readonly storage: Pick<KnexStorage, 'eventDeliveries' | 'eventOutbox' | 'lease' | 'onEvents'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly broker: EventSink | undefined
  readonly countAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  readonly log: Log
}

/** Makes the job; it delivers nothing before it is started. */
export const makeEventDeliveryJob = ({ storage, sinkFor, broker, countAttempt, log }: EventDeliveryJobDeps): EventDeliveryJob => {
  const logFailure = logAtIntervals(log, Date.now, 'error', 'event_delivery_failed')
  const logBroker = logAtIntervals(log, Date.now, 'warn', 'event_broker_failed')
  const delivery = makeEventDelivery({
    deliveries: storage.eventDeliveries, outbox: storage.eventOutbox, leases: makeLeases(storage.lease), sinkFor, ...(broker && { broker }),
    now: Date.now, newAttemptId: () => uuidv7().replaceAll('-', ''), newEventId: () => eventIdOf(uuidv7()),
    onAttempt: (receiver, result) => {
      countAttempt(receiver, result)
      if (receiver === 'broker' && !result.delivered) logBroker({ error: result.error ?? 'no reason given' })
    },
    onDisabled: ({ id, workspace }, reason) => log('warn', 'event_endpoint_disabled', { endpoint: id, workspace, reason }),
    onFailure: (error) => { logFailure({ cause: causeOf(error) }) },
  })
  let unlisten = (): void => undefined
  return {
    start: () => {
      unlisten = storage.onEvents(delivery.wake)
      delivery.start()
    },
    stop: async (limitMs) => {
      unlisten()
      await delivery.stop(limitMs)
    },
  }
}
