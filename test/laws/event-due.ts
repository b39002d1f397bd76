import { MAX_STORED_PAUSE_MS, type Retry, shardOf } from '../../core/events/delivery.js'
import type { NewEndpoint } from '../../core/events/endpoint.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { ids, record, retriesOf, retryOf, withEvents } from './delivery-fixture.js'
import {
  addedEndpoint, dueOf, type EventEndpointsFixture, everyShard, newEndpoint, NOON, openEndpoint, positionOf, progressOf, stored, withRetry,
} from './event-fixture.js'
import { done, holds, same } from './expect.js'
import { times } from './ids.js'
import type { Law } from './law.js'

/** The promises of every `EventDeliveries` about what is due. */
export const eventDueLaws: ReadonlyArray<Law<EventEndpointsFixture>> = [
  {
    name: 'an endpoint is due once its workspace has an event after its position, and no longer when the position has passed it',
    check: async (fixture) => {
      const endpoint = await openEndpoint(fixture)
      const other = await openEndpoint(fixture)
      same('before an event', await dueOf(fixture, [endpoint]), [])
      const [first, second] = (await stored(fixture, endpoint.workspace, {}, {})) as readonly [StoredEvent, StoredEvent]
      const [task] = await dueOf(fixture, [endpoint, other])
      const { secret, ...known } = endpoint
      holds('its position is before the event', task !== undefined && task.position < first.position, task)
      same('what is due', { ...task, position: 0 }, {
        endpoint: { ...known, status: 'enabled', failingSince: undefined, lastDelivery: undefined },
        secrets: { current: secret, previous: undefined }, position: 0, failures: 0,
      })
      same('the first is noted', await record(fixture, progressOf(endpoint, task?.position ?? 0, { to: first.position })), true)
      same('the position after the first', await positionOf(fixture, endpoint), first.position)
      same('the second is noted', await record(fixture, progressOf(endpoint, first.position, { to: second.position })), true)
      same('after the second', await dueOf(fixture, [endpoint]), [])
    },
  },
  {
    name: 'an endpoint is due once an attempt is due',
    check: async (fixture) => {
      const { endpoint } = await withRetry(fixture, NOON + MINUTE_MS)
      same('before the moment', await dueOf(fixture, [endpoint], { at: NOON + MINUTE_MS - 1 }), [])
      same('at the moment', ids(await dueOf(fixture, [endpoint], { at: NOON + MINUTE_MS })), [endpoint.id])
    },
  },
  {
    name: 'an endpoint is not due while it is disabled',
    check: async (fixture) => {
      const { endpoint, event } = await withRetry(fixture, NOON)
      await done('an endpoint is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      await stored(fixture, endpoint.workspace, {})
      await done('an event is asked for', fixture.eventDeliveries.redeliver(endpoint.id, event.id, NOON))
      same('what is due', await dueOf(fixture, [endpoint]), [])
    },
  },
  {
    name: 'an endpoint is not due before its pause is over',
    check: async (fixture) => {
      const { endpoint, from } = await withEvents(fixture, {})
      await record(fixture, progressOf(endpoint, from, { failures: 5, failingSince: NOON, pausedUntil: NOON + MINUTE_MS }))
      same('during the pause', await dueOf(fixture, [endpoint], { at: NOON + MINUTE_MS - 1 }), [])
      same('after it', ids(await dueOf(fixture, [endpoint], { at: NOON + MINUTE_MS })), [endpoint.id])
    },
  },
  {
    name: 'an endpoint is due in spite of a pause that ends later than any can, because a wrong clock has stored it, and comes when it would without the pause',
    check: async (fixture) => {
      const [wrong, other] = [await withEvents(fixture, { at: NOON - 2 }), await withEvents(fixture, { at: NOON - 1 })]
      const pausedUntil = NOON + MAX_STORED_PAUSE_MS
      await record(fixture, progressOf(wrong.endpoint, wrong.from, { failures: 9, failingSince: NOON, pausedUntil }))
      const mine = [wrong.endpoint, other.endpoint]
      same('the longest pause, of a clock that is a minute ahead', ids(await dueOf(fixture, mine)), [other.endpoint.id])
      same('a longer one', ids(await dueOf(fixture, mine, { at: NOON - 1 })), [wrong.endpoint.id, other.endpoint.id])
      same('the end of the pause', ids(await dueOf(fixture, mine, { at: pausedUntil })), [other.endpoint.id, wrong.endpoint.id])
    },
  },
  {
    name: 'only endpoints of the shards that are asked for are due, and none of those to be left out',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const endpoints = await Promise.all(times(12, () => addedEndpoint(fixture, workspace)))
      await stored(fixture, workspace, {})
      for (const shard of times(16, (index) => index)) {
        const expected = endpoints.filter(({ id }) => shardOf(id) === shard).map(({ id }) => id)
        same(`shard ${shard}`, ids(await dueOf(fixture, endpoints, { shards: [shard] })).toSorted(), expected.toSorted())
      }
      const [left, ...others] = endpoints.map(({ id }) => id).toSorted() as [NewEndpoint['id'], ...ReadonlyArray<NewEndpoint['id']>]
      same('all but one', ids(await dueOf(fixture, endpoints, { except: [left] })).toSorted(), others)
      same('all but all', await dueOf(fixture, endpoints, { except: [left, ...others] }), [])
      same('no shard', await dueOf(fixture, endpoints, { shards: [] }), [])
    },
  },
  {
    name: 'those that failed last and the others can be asked for apart',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [failing, healthy] = [await addedEndpoint(fixture, workspace), await addedEndpoint(fixture, workspace)]
      await stored(fixture, workspace, {})
      await record(fixture, progressOf(failing, (await positionOf(fixture, failing)) ?? 0, { failures: 1, failingSince: NOON }))
      same('the failing one', ids(await dueOf(fixture, [failing, healthy], { failing: true })), [failing.id])
      same('the healthy one', ids(await dueOf(fixture, [failing, healthy], { failing: false })), [healthy.id])
      same('both', ids(await dueOf(fixture, [failing, healthy])).length, 2)
    },
  },
  {
    name: 'the endpoints of workspaces that are left out are not due, however long they have waited, and take no place of others',
    check: async (fixture) => {
      const [busy, other] = [await withEvents(fixture, { at: NOON - 2 }), await withEvents(fixture, { at: NOON - 1 })]
      const second = await addedEndpoint(fixture, busy.endpoint.workspace)
      await stored(fixture, busy.endpoint.workspace, { at: NOON - 2 })
      const mine = [busy.endpoint, second, other.endpoint]
      const everything = await done('what is due is read', fixture.eventDeliveries.due(everyShard()))
      const except = everything.map(({ endpoint }) => endpoint.id).filter((id) => !mine.some((endpoint) => endpoint.id === id))
      const exceptWorkspaces = [busy.endpoint.workspace]
      same('one is asked for', ids(await dueOf(fixture, mine, { except, exceptWorkspaces, limit: 1 })), [other.endpoint.id])
      same('both are left out', await dueOf(fixture, mine, { exceptWorkspaces: [...exceptWorkspaces, other.endpoint.workspace] }), [])
      same('none is left out', ids(await dueOf(fixture, mine, { exceptWorkspaces: [] })).toSorted(), mine.map(({ id }) => id).toSorted())
    },
  },
  {
    name: 'of the endpoints that are due those that have waited longest come first, as many as are asked for',
    check: async (fixture) => {
      const [second, third] = [await withEvents(fixture, { at: NOON - 2 }, { at: NOON - 90 }), await withEvents(fixture, { at: NOON - 1 })]
      const first = await withRetry(fixture, NOON - 3)
      const paused = await withEvents(fixture, { at: NOON - 99 })
      await record(fixture, progressOf(paused.endpoint, paused.from, { failures: 9, failingSince: NOON - 99, pausedUntil: NOON }))
      const mine = [first.endpoint, second.endpoint, third.endpoint, paused.endpoint]
      const expected = mine.map(({ id }) => id)
      same('all', ids(await dueOf(fixture, mine)), expected)
      const everything = await done('what is due is read', fixture.eventDeliveries.due(everyShard()))
      const others = everything.map(({ endpoint }) => endpoint.id).filter((id) => !expected.includes(id))
      for (const limit of [1, 2, 3]) {
        same(`at most ${limit}`, ids(await dueOf(fixture, mine, { except: others, limit })), expected.slice(0, limit))
      }
    },
  },
  {
    name: 'events that are due come longest due first, then the oldest, each as it was stored',
    check: async (fixture) => {
      const content = { content: { body: 'é🔑\u2028"\'\\' }, context: null }
      const given = [{ at: NOON - 5, type: 'message.received', content }, { at: NOON - 3 }, { at: NOON - 4 }] as const
      const { endpoint, events: [first, second, third], from } = await withEvents(fixture, ...given)
      const retry = [retryOf(first, NOON, 3), retryOf(second, NOON - 1, 2), retryOf(third, NOON - 1)]
      await record(fixture, progressOf(endpoint, from, { to: third.position, retry }))
      const firstAttemptAt = NOON - MINUTE_MS
      const expected = [[third, 1], [second, 2], [first, 3]].map(([event, attempts]) => ({
        event, attempts, firstAttemptAt,
      })) as ReadonlyArray<Retry>
      same('all', await retriesOf(fixture, endpoint), expected)
      same('before the last is due', await retriesOf(fixture, endpoint, NOON - 1), expected.slice(0, 2))
      same('at most two', await retriesOf(fixture, endpoint, NOON, 2), expected.slice(0, 2))
      same('of another endpoint', await retriesOf(fixture, newEndpoint(endpoint.workspace)), [])
    },
  },
]
