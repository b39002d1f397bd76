import type { DeliveryAttempt, Retry } from '../../core/events/delivery.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { DAY_MS } from '../../core/kernel/time.js'
import { ids, logOf, record, retriesOf, retryOf, waiting, withEvents } from './delivery-fixture.js'
import { brokerLaws } from './event-broker.js'
import { eventDueLaws } from './event-due.js'
import { eventFailedLaws } from './event-failed.js'
import {
  addedEndpoint, allEvents, dueOf, type EventEndpointsFixture, newAttempt, newEndpoint, newEvent, NOON, openEndpoint, positionOf,
  progressOf, stored, withRetry,
} from './event-fixture.js'
import { allPages, done, same } from './expect.js'
import { GARBAGE_CURSORS, times } from './ids.js'
import type { Law } from './law.js'

/** The fixture for the laws of deliveries. */
export type EventDeliveriesFixture = EventEndpointsFixture

/** The promises of every `EventDeliveries` over the same storage as an `EventEndpoints` and an `EventOutbox`. */
export const eventDeliveriesLaws: ReadonlyArray<Law<EventDeliveriesFixture>> = [
  ...eventDueLaws,
  ...eventFailedLaws,
  ...brokerLaws,
  {
    name: 'what came of deliveries is noted whole',
    check: async (fixture) => {
      const { endpoint, events: [first, second], from } = await withEvents(fixture, {}, {})
      const attempts = [
        newAttempt(endpoint, first, { at: NOON + 1, delivered: true, httpStatus: 204, answer: undefined }),
        newAttempt(endpoint, second, {
          at: NOON + 2, delivered: false, httpStatus: 503, error: 'It answered 503.', nextAttemptAt: NOON + 9,
        }),
      ]
      const progress = {
        to: second.position, attempts, retry: [retryOf(second, NOON + 9)], failures: 4, failingSince: NOON + 2, pausedUntil: NOON + 8,
      }
      same('the answer', await record(fixture, progressOf(endpoint, from, progress)), true)
      const [task] = await dueOf(fixture, [endpoint], { at: NOON + 9 })
      same('the position and the failures', [task?.position, task?.failures], [second.position, 4])
      same('since when it fails', task?.endpoint.failingSince, NOON + 2)
      same('the latest attempt', task?.endpoint.lastDelivery, { at: NOON + 2, delivered: false, httpStatus: 503 })
      same('the log', await logOf(fixture, endpoint), attempts.toReversed())
      same('what waits', await waiting(fixture, endpoint, NOON + 9), [second.id])
      await record(fixture, progressOf(endpoint, second.position, { done: [second.id] }))
      const [healthy] = await done('endpoints are listed', fixture.eventEndpoints.list(endpoint.workspace))
      same('since when it fails, once it is healthy', healthy?.failingSince, undefined)
      same('the latest attempt, after a note without one', healthy?.lastDelivery, { at: NOON + 2, delivered: false, httpStatus: 503 })
    },
  },
  {
    name: 'nothing is noted of an endpoint that is at another position, disabled or gone',
    check: async (fixture) => {
      const { endpoint, events: [event], from } = await withEvents(fixture, {})
      const all = {
        to: event.position, attempts: [newAttempt(endpoint, event)], retry: [retryOf(event, NOON)], failures: 1, failingSince: NOON,
      }
      const before = await dueOf(fixture, [endpoint])
      for (const other of [from + 1, event.position + 1]) {
        same('another position', await record(fixture, progressOf(endpoint, other, all)), false)
      }
      same('what is due', await dueOf(fixture, [endpoint]), before)
      same('what waits', await retriesOf(fixture, endpoint), [])
      await done('an endpoint is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      same('a disabled one', await record(fixture, progressOf(endpoint, from, all)), false)
      same('the log', await logOf(fixture, endpoint), [])
      same('one that is gone', await record(fixture, progressOf(newEndpoint(endpoint.workspace), from, all)), false)
    },
  },
  {
    name: 'of concurrent notes that move an endpoint from one position one is noted',
    check: async (fixture) => {
      const { endpoint, events: [event], from } = await withEvents(fixture, {})
      const outcomes = await Promise.all(
        times(5, () => record(fixture, progressOf(endpoint, from, { to: event.position, attempts: [newAttempt(endpoint, event)] }))),
      )
      same('how many were noted', outcomes.filter((noted) => noted).length, 1)
      same('the log', (await logOf(fixture, endpoint)).length, 1)
    },
  },
  {
    name: 'a retry replaces an earlier one of its event, and one that is done is dropped',
    check: async (fixture) => {
      const { endpoint, events: [first, second], from } = await withEvents(fixture, {}, {})
      const at = second.position
      await record(fixture, progressOf(endpoint, from, { to: at, retry: [retryOf(first, NOON), retryOf(second, NOON)] }))
      await record(fixture, progressOf(endpoint, at, { retry: [retryOf(first, NOON + 5, 2)], done: [second.id] }))
      same('what waits', await waiting(fixture, endpoint, NOON + 4), [])
      same(
        'how often it was tried', (await retriesOf(fixture, endpoint, NOON + 5)).map(({ event, attempts }) => [event.id, attempts]),
        [[first.id, 2]],
      )
    },
  },
  {
    name: 'events that failed since a moment are due at once, those that failed before and those noted with it are not',
    check: async (fixture) => {
      const { endpoint, events: [first, second, third], from } = await withEvents(fixture, {}, {}, {})
      const failed = (event: StoredEvent, at: number) => newAttempt(endpoint, event, { at, delivered: false })
      const later = NOON + DAY_MS
      await record(
        fixture, progressOf(endpoint, from, { to: first.position, attempts: [failed(first, NOON - 9)], retry: [retryOf(first, later)] }),
      )
      const second1 = { to: second.position, attempts: [failed(second, NOON - 5)], retry: [retryOf(second, later)] }
      await record(fixture, progressOf(endpoint, first.position, second1))
      const third1 = { to: third.position, attempts: [failed(third, NOON - 3)], retry: [retryOf(third, later)] }
      await record(fixture, progressOf(endpoint, second.position, { ...third1, retryAtOnceSince: NOON - 5 }))
      same('what is due', await waiting(fixture, endpoint), [second.id])
      same('what is due later', (await waiting(fixture, endpoint, later)).length, 3)
    },
  },
  {
    name: 'a note that disables an endpoint drops what waits, and stores its events with it',
    check: async (fixture) => {
      const { endpoint, event, position } = await withRetry(fixture, NOON)
      const outboxEntries = (disabled: { readonly id: string; readonly status: string }) =>
        [newEvent(endpoint.workspace, { type: 'endpoint.disabled', subject: disabled.id, data: { status: disabled.status } })]
      const failed = newAttempt(endpoint, event, { at: NOON + 1, delivered: false, httpStatus: 410 })
      const events = async () => (await allEvents(fixture, endpoint.workspace)).slice(1).map(({ type, data }) => [type, data])
      await done('progress is noted', fixture.eventDeliveries.record(progressOf(endpoint, position), outboxEntries))
      same('the events of a note that disables nothing', await events(), [])
      const disabling = progressOf(endpoint, position, { attempts: [failed], disabled: true, failures: 2, failingSince: NOON })
      same(
        'another position',
        await done('progress is noted', fixture.eventDeliveries.record({ ...disabling, from: position + 5 }, outboxEntries)), false,
      )
      same('the events of a note that was not noted', await events(), [])
      same('the answer', await done('progress is noted', fixture.eventDeliveries.record(disabling, outboxEntries)), true)
      same('the events', await events(), [['endpoint.disabled', { status: 'disabled' }]])
      const [after] = await done('endpoints are listed', fixture.eventEndpoints.list(endpoint.workspace))
      same('the endpoint', [after?.status, after?.failingSince, after?.lastDelivery?.httpStatus], ['disabled', NOON, 410])
      same('what waits', await retriesOf(fixture, endpoint), [])
    },
  },
  {
    name: 'an attempt can be logged by itself, and changes nothing else',
    check: async (fixture) => {
      const { endpoint, failed, position } = await withRetry(fixture, NOON)
      const test = newAttempt(endpoint, newEvent(endpoint.workspace, { type: 'endpoint.test' }), {
        at: NOON + 1, delivered: false, httpStatus: 404,
      })
      await done('an attempt is logged', fixture.eventDeliveries.log(test))
      same('the log', await logOf(fixture, endpoint), [test, failed])
      const [task] = await dueOf(fixture, [endpoint])
      same('the position and the failures', [task?.position, task?.failures, task?.endpoint.failingSince], [position, 0, undefined])
      same('the latest attempt', task?.endpoint.lastDelivery, { at: NOON + 1, delivered: false, httpStatus: 404 })
      const gone = newEndpoint(endpoint.workspace)
      await done(
        'an attempt of an endpoint that is gone is logged', fixture.eventDeliveries.log(newAttempt(gone, newEvent(endpoint.workspace))),
      )
      same('the log of one that is gone', await logOf(fixture, gone), [])
    },
  },
  {
    name: 'events after the position of an endpoint and those to be tried again wait, but none for one that is disabled or gone',
    check: async (fixture) => {
      const { endpoint, events: [first], from } = await withEvents(fixture, {}, {}, {})
      await withEvents(fixture, {})
      const pending = (id = endpoint.id) => done('waiting events are counted', fixture.eventDeliveries.pending(id))
      same('before the first attempt', await pending(), { fresh: 3, retries: 0 })
      await record(fixture, progressOf(endpoint, from, { to: first.position, retry: [retryOf(first, NOON + DAY_MS)] }))
      same('after it', await pending(), { fresh: 2, retries: 1 })
      same('one that is gone', await pending(newEndpoint(endpoint.workspace).id), { fresh: 0, retries: 0 })
      await done('an endpoint is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      same('a disabled one', await pending(), { fresh: 0, retries: 0 })
    },
  },
  {
    name: 'attempts come back as they were noted, newest first, page by page',
    check: async (fixture) => {
      const { endpoint, events: [event], from } = await withEvents(fixture, {})
      const kinds: ReadonlyArray<Partial<DeliveryAttempt>> = [
        { answer: 'é🔑"\'\\ %s ?'.padEnd(8_192, 'x') },
        { httpStatus: undefined, error: 'x'.repeat(1_000), answer: undefined, delivered: false, nextAttemptAt: NOON + DAY_MS },
        { type: 'window.opened', durationMs: 20_000 }, { answer: '' }, {},
      ]
      const attempts = kinds.map((kind, index) => newAttempt(endpoint, event, { at: NOON + index, ...kind }))
      await record(fixture, progressOf(endpoint, from, { attempts: attempts.slice(0, 3) }))
      await record(fixture, progressOf(endpoint, from, { attempts: attempts.slice(3) }))
      const other = await openEndpoint(fixture)
      same('of another endpoint', await logOf(fixture, other), [])
      for (const limit of [1, 2, 5, 6]) {
        const pages = await allPages('the log is read', (query) => fixture.eventDeliveries.attempts(endpoint.id, query), limit)
        same(`pages of ${limit}`, pages, attempts.toReversed())
      }
    },
  },
  {
    name: 'an unknown cursor never fails',
    check: async (fixture) => {
      const { endpoint } = await withRetry(fixture, NOON)
      const after = (cursor: string) => fixture.eventDeliveries.attempts(endpoint.id, { limit: 2, cursor })
      for (const cursor of GARBAGE_CURSORS) await done('the log is read after an unknown cursor', after(cursor))
    },
  },
  {
    name: 'one stored event is delivered again where the event and the endpoint belong together',
    check: async (fixture) => {
      const { endpoint, events: [first, second], from } = await withEvents(fixture, {}, {})
      await record(fixture, progressOf(endpoint, from, { to: second.position, retry: [retryOf(second, NOON + DAY_MS, 7)] }))
      const { redeliver } = fixture.eventDeliveries
      for (const { id } of [first, second]) {
        same('a stored event', await done('an event is asked for', redeliver(endpoint.id, id, NOON)), true)
      }
      const asked = { attempts: 0, firstAttemptAt: NOON }
      const sorted = [first, second].toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((event) => ({ event, ...asked }))
      same('what waits', await retriesOf(fixture, endpoint), sorted)
      same('what is due', ids(await dueOf(fixture, [endpoint])), [endpoint.id])
      const theirs = await withEvents(fixture, {})
      same('an event of another workspace', await done('an event is asked for', redeliver(endpoint.id, theirs.events[0].id, NOON)), false)
      same(
        'an event that is not stored', await done('an event is asked for', redeliver(endpoint.id, newEvent(endpoint.workspace).id, NOON)),
        false,
      )
      same(
        'an endpoint that is gone', await done('an event is asked for', redeliver(newEndpoint(endpoint.workspace).id, first.id, NOON)),
        false,
      )
      same('what waits after that', (await retriesOf(fixture, endpoint)).length, 2)
    },
  },
  {
    name: 'all events since a moment that an endpoint wants and has had are delivered again',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const endpoint = await addedEndpoint(fixture, workspace, { types: ['message.*', 'window.opened'] })
      await addedEndpoint(fixture, workspace)
      const events = await stored(
        fixture, workspace, { at: NOON - 9 }, { at: NOON - 5 }, { at: NOON - 4, type: 'wallet.low' },
        { at: NOON - 3, type: 'window.opened' }, { at: NOON - 2 },
      )
      const passed = events[3]?.position ?? 0
      const retry = events.slice(1, 2).map((event) => retryOf(event, NOON + DAY_MS))
      await record(fixture, progressOf(endpoint, (await positionOf(fixture, endpoint)) ?? 0, { to: passed, retry }))
      same('how many', await done('events are asked for', fixture.eventDeliveries.redeliverSince(endpoint.id, NOON - 5, NOON)), 2)
      const asked = { attempts: 0, firstAttemptAt: NOON }
      same(
        'which', await retriesOf(fixture, endpoint), [events[1], events[3]].map((event) => ({ event, ...asked })) as ReadonlyArray<Retry>,
      )
      same(
        'since a moment without events',
        await done('events are asked for', fixture.eventDeliveries.redeliverSince(endpoint.id, NOON, NOON)), 0,
      )
      same(
        'of one that is gone',
        await done('events are asked for', fixture.eventDeliveries.redeliverSince(newEndpoint(workspace).id, 0, NOON)), 0,
      )
    },
  },
]
