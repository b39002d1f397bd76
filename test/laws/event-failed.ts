import type { FailedEvents, FailedFilter, FailedPass } from '../../core/events/delivery.js'
import type { NewEndpoint } from '../../core/events/endpoint.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { DAY_MS } from '../../core/kernel/time.js'
import { record, retriesOf, retryOf, withEvents } from './delivery-fixture.js'
import { addedEndpoint, type EventEndpointsFixture, newAttempt, newEndpoint, NOON, progressOf } from './event-fixture.js'
import { done, same } from './expect.js'
import type { Law } from './law.js'

/** The promises of every `EventDeliveries` about failed events, and about delivering them again. */
export const eventFailedLaws: ReadonlyArray<Law<EventEndpointsFixture>> = [
  {
    name: 'an event has failed if its latest attempt failed, unless it waits for a redelivery that was requested',
    check: async (fixture) => {
      const { endpoint, events } = await withFailed(fixture)
      const [givenUp, waits, , again] = events
      same('what failed', await failedOf(fixture, endpoint), { events: [givenUp, waits, again], next: undefined })
      same('of an endpoint that is gone', await failedOf(fixture, newEndpoint(endpoint.workspace)), { events: [], next: undefined })
      const other = await addedEndpoint(fixture, endpoint.workspace)
      same('of another endpoint', await failedOf(fixture, other), { events: [], next: undefined })
      await done('an event is asked for', fixture.eventDeliveries.redeliver(endpoint.id, givenUp, NOON))
      same('what failed and was not asked for', (await failedOf(fixture, endpoint)).events, [waits, again])
    },
  },
  {
    name: 'failed events are those of a filter: by type, by when they were created, and by the status of the latest attempt',
    check: async (fixture) => {
      const { endpoint, events } = await withFailed(fixture)
      const [givenUp, waits, , again] = events
      const matching = async (filter: FailedFilter) => (await failedOf(fixture, endpoint, filter)).events
      same('of a group', await matching({ types: ['message.*'] }), [givenUp, waits])
      same('of a type', await matching({ types: ['wallet.low'] }), [again])
      same('from a time on', await matching({ since: NOON - 80 }), [waits, again])
      same('before a time', await matching({ until: NOON - 80 }), [givenUp])
      same('with a status', await matching({ httpStatus: 503 }), [waits])
      same('with all of them', await matching({ types: ['*'], since: NOON - 90, until: NOON - 80, httpStatus: 500 }), [givenUp])
    },
  },
  {
    name: 'a pass over failed events looks at no more than its limit, and the next one continues after it',
    check: async (fixture) => {
      const { endpoint, events: [givenUp, waits, delivered, again] } = await withFailed(fixture)
      same('the first', await failedOf(fixture, endpoint, {}, { limit: 2 }), { events: [givenUp, waits], next: waits })
      // The third event has failed once, and was delivered then: it is looked at, and is not among those that failed.
      same('the second', await failedOf(fixture, endpoint, {}, { after: waits, limit: 1 }), { events: [], next: delivered })
      same('the last', await failedOf(fixture, endpoint, {}, { after: delivered, limit: 2 }), { events: [again], next: undefined })
    },
  },
  {
    name: 'the failed events of a pass are delivered again in their order, and repeating it changes nothing',
    check: async (fixture) => {
      const { endpoint, events: [givenUp, waits, , again] } = await withFailed(fixture)
      const pass = (at: number, limit = 10) =>
        done('failed events are asked for', fixture.eventDeliveries.redeliverFailed(endpoint.id, { types: ['message.*'] }, { limit }, at))
      same('the first pass', (await pass(NOON - 1, 1)).events, [givenUp])
      same('all', (await pass(NOON - 1)).events, [waits])
      const asked = [givenUp, waits].map((id) => [id, 0])
      const retries = async () => (await retriesOf(fixture, endpoint)).map(({ event, attempts }) => [event.id, attempts])
      same('what waits', await retries(), asked)
      same('again', (await pass(NOON)).events, [])
      same('when the first one was asked for', (await retriesOf(fixture, endpoint))[0]?.firstAttemptAt, NOON - 1)
      same('what else failed', (await failedOf(fixture, endpoint)).events, [again])
      await done('an endpoint is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      same('of an endpoint that is disabled', await pass(NOON), { events: [], next: undefined })
      same('what waits after that', await retries(), [])
    },
  },
]

const failedOf = (
  { eventDeliveries }: EventEndpointsFixture, { id }: Pick<NewEndpoint, 'id'>, filter: FailedFilter = {}, pass: FailedPass = { limit: 10 },
): Promise<FailedEvents> =>
  done('failed events are read', eventDeliveries.failed(id, filter, pass))

/** An endpoint with events: given up, waiting for a retry, delivered after a failure, failed after a delivery, and delivered. */
const withFailed = async (fixture: EventEndpointsFixture) => {
  const { endpoint, events, from } = await withEvents(
    fixture, { at: NOON - 90 }, { at: NOON - 80 }, { at: NOON - 70 }, { at: NOON - 60, type: 'wallet.low' }, { at: NOON - 50 },
  )
  const attempt = (index: number, at: number, httpStatus: number) => newAttempt(
    endpoint, events[index] as StoredEvent, { at, delivered: httpStatus < 300, httpStatus },
  )
  const attempts = [
    attempt(0, NOON - 40, 503), attempt(0, NOON - 39, 500), attempt(1, NOON - 38, 503), attempt(2, NOON - 37, 500),
    attempt(2, NOON - 36, 200), attempt(3, NOON - 35, 200), attempt(3, NOON - 34, 500), attempt(4, NOON - 33, 200),
  ]
  const retry = [retryOf(events[1], NOON + DAY_MS, 3)]
  await record(fixture, progressOf(endpoint, from, { to: events.at(-1)?.position ?? 0, attempts, retry }))
  const [givenUp, waits, delivered, again = waits]: readonly [StoredEvent, StoredEvent, StoredEvent, StoredEvent?] = events
  return { endpoint, events: [givenUp.id, waits.id, delivered.id, again.id] as const }
}
