import * as O from 'fp-ts/lib/Option.js'
import type {
  ChangedEndpoint, EndpointChange, EndpointId, EndpointSecrets, EventEndpoint, NewEndpoint,
} from '../../core/events/endpoint.js'
import type { Event } from '../../core/kernel/outbox.js'
import { DAY_MS, MINUTE_MS } from '../../core/kernel/time.js'
import type { AtRest } from './at-rest.js'
import {
  addedEndpoint, allEvents, dueOf, type EventEndpointsFixture, newAttempt, newEndpoint, newEndpointSecret, newEvent, NOON, openEndpoint,
  positionOf, progressOf, stored, withRetry,
} from './event-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

export type { EventEndpointsFixture } from './event-fixture.js'

const find = ({ eventEndpoints }: EventEndpointsFixture, id: EndpointId): Promise<O.Option<EventEndpoint>> =>
  done('an endpoint is read', eventEndpoints.find(id))

const secretsOf = ({ eventEndpoints }: EventEndpointsFixture, id: EndpointId): Promise<O.Option<EndpointSecrets>> =>
  done('the secrets of an endpoint are read', eventEndpoints.secretsOf(id))

const changed = (
  { eventEndpoints }: EventEndpointsFixture, id: EndpointId, change: EndpointChange,
  outboxEntries?: (changed: ChangedEndpoint) => ReadonlyArray<Event>,
) =>
  done('an endpoint is changed', eventEndpoints.change(id, change, NOON, outboxEntries))

/** An added endpoint as it is read back. */
const shown = ({ secret: _secret, ...endpoint }: NewEndpoint): EventEndpoint => ({
  ...endpoint, status: 'enabled', failingSince: undefined, lastDelivery: undefined,
})

const disabledEvents = ({ from, endpoint: { id, workspace, status } }: ChangedEndpoint): ReadonlyArray<Event> =>
  (from === status ? [] : [newEvent(workspace, { type: 'endpoint.disabled', subject: id, data: { id, status } })])

/** The promises of every `EventEndpoints` over the same storage as an `EventDeliveries` and an `EventOutbox`. */
export const eventEndpointsLaws: ReadonlyArray<Law<EventEndpointsFixture>> = [
  {
    name: 'an endpoint comes back as it was added, enabled, healthy and without an attempt',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const kinds: ReadonlyArray<Partial<NewEndpoint>> = [
        {},
        {
          url: `http://127.0.0.1:8080/${'x'.repeat(2_026)}`, types: ['message.*', 'wallet.low'],
          description: 'é🔑"\'\\ %s ?'.padEnd(255, 'x'),
        },
        { types: times(20, (index) => `message.type${index}`), createdAt: NOON + 1 },
      ]
      for (const kind of kinds) {
        const added = await addedEndpoint(fixture, workspace, kind)
        same('the endpoint', await find(fixture, added.id), O.some(shown(added)))
        same('its secrets', await secretsOf(fixture, added.id), O.some({ current: added.secret, previous: undefined }))
      }
    },
  },
  {
    name: 'an endpoint that was never added is not there',
    check: async (fixture) => {
      const { workspace } = await openEndpoint(fixture)
      const { id } = newEndpoint(workspace)
      same('the endpoint', await find(fixture, id), O.none)
      same('its secrets', await secretsOf(fixture, id), O.none)
      same('the endpoint after a change', await changed(fixture, id, { description: 'new' }), O.none)
      same('a rotation', await done('a secret is rotated', fixture.eventEndpoints.rotateSecret(id, newEndpointSecret(), NOON)), false)
      same('a removal', await done('an endpoint is removed', fixture.eventEndpoints.remove(id)), false)
      same('the endpoint after all that', await find(fixture, id), O.none)
    },
  },
  {
    name: 'an endpoint cannot be added to a workspace that does not exist',
    check: async (fixture) => {
      const endpoint = newEndpoint(newWorkspaceId())
      await refused('a workspace that does not exist', 'UnknownWorkspace', fixture.eventEndpoints.add(endpoint))
      same('the endpoint', await find(fixture, endpoint.id), O.none)
    },
  },
  {
    name: 'an endpoint gets the events from the moment when it was added',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await stored(fixture, workspace, {}, {})
      const endpoint = await addedEndpoint(fixture, workspace)
      same('before an event', await dueOf(fixture, [endpoint]), [])
      const events = await stored(fixture, workspace, {}, {})
      const position = (await positionOf(fixture, endpoint)) ?? 0
      same('what it gets', await done('events are read', fixture.eventOutbox.after(workspace, position, 10)), events)
    },
  },
  {
    name: 'a workspace lists its own endpoints, oldest first by their ids',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      same('before one is added', await done('endpoints are listed', fixture.eventEndpoints.list(ours.workspace)), [])
      const added: Array<NewEndpoint> = []
      for (const offset of [3, 1, 2]) added.push(await addedEndpoint(fixture, ours.workspace, { createdAt: NOON + offset * DAY_MS }))
      await addedEndpoint(fixture, theirs.workspace)
      const expected = added.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(shown)
      same('ours', await done('endpoints are listed', fixture.eventEndpoints.list(ours.workspace)), expected)
      same('of no workspace', await done('endpoints are listed', fixture.eventEndpoints.list(newWorkspaceId())), [])
    },
  },
  {
    name: 'a change changes what is given and nothing else',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [added, other] = [await addedEndpoint(fixture, workspace, { description: 'old' }), await addedEndpoint(fixture, workspace)]
      const changes: ReadonlyArray<EndpointChange> = [
        { description: 'new' }, { url: 'https://other.example/' }, { types: ['window.opened'] }, {},
        { status: 'disabled' }, { status: 'enabled', description: '' },
      ]
      let expected = shown(added)
      for (const change of changes) {
        expected = { ...expected, ...change }
        same('the answer', await changed(fixture, added.id, change), O.some(expected))
        same('the endpoint afterwards', await find(fixture, added.id), O.some(expected))
      }
      same('its secrets', await secretsOf(fixture, added.id), O.some({ current: added.secret, previous: undefined }))
      same('the other one', await find(fixture, other.id), O.some(shown(other)))
    },
  },
  {
    name: 'a change leaves the position and the health of an endpoint as they are, unless it enables the endpoint',
    check: async (fixture) => {
      const { endpoint, position } = await withRetry(fixture, NOON)
      const failing = progressOf(endpoint, position, { failures: 3, failingSince: NOON - 7 })
      await done('failures are noted', fixture.eventDeliveries.record(failing))
      await changed(fixture, endpoint.id, { url: 'https://other.example/', status: 'enabled' })
      const [task] = await dueOf(fixture, [endpoint])
      same('its position', task?.position, position)
      same('its failures', [task?.failures, task?.endpoint.failingSince], [3, NOON - 7])
    },
  },
  {
    name: 'an endpoint that is enabled again begins with the events from then on, healthy',
    check: async (fixture) => {
      const { endpoint, position } = await withRetry(fixture, NOON)
      const failing = progressOf(endpoint, position, { failures: 9, failingSince: NOON - 1, pausedUntil: NOON + MINUTE_MS })
      await done('failures are noted', fixture.eventDeliveries.record(failing))
      await changed(fixture, endpoint.id, { status: 'disabled' })
      await stored(fixture, endpoint.workspace, {})
      same('while it is disabled', await dueOf(fixture, [endpoint]), [])
      const healthy = await changed(fixture, endpoint.id, { status: 'enabled' })
      same('since when it fails', O.toUndefined(healthy)?.failingSince, undefined)
      same('once it is enabled', await dueOf(fixture, [endpoint]), [])
      const events = await stored(fixture, endpoint.workspace, {})
      const [task] = await dueOf(fixture, [endpoint])
      same('its failures', task?.failures, 0)
      same('what it gets', await done('events are read', fixture.eventOutbox.after(endpoint.workspace, task?.position ?? 0, 10)), events)
    },
  },
  {
    name: 'waiting attempts of an endpoint that is disabled are dropped',
    check: async (fixture) => {
      const [{ endpoint }, other] = [await withRetry(fixture, NOON), await withRetry(fixture, NOON)]
      await changed(fixture, endpoint.id, { status: 'disabled' })
      same('what waits', await done('retries are read', fixture.eventDeliveries.retries(endpoint.id, NOON, 10)), [])
      await changed(fixture, endpoint.id, { status: 'enabled' })
      same('what waits once it is enabled', await done('retries are read', fixture.eventDeliveries.retries(endpoint.id, NOON, 10)), [])
      const theirs = await done('retries are read', fixture.eventDeliveries.retries(other.endpoint.id, NOON, 10))
      same('what waits of another', theirs.map(({ event }) => event.id), [other.event.id])
    },
  },
  {
    name: 'a change gives its events the status before it, so that they can say whether it has changed',
    check: async (fixture) => {
      const { id, workspace } = await openEndpoint(fixture)
      await changed(fixture, id, { status: 'enabled' }, disabledEvents)
      await changed(fixture, id, { description: 'new' }, disabledEvents)
      same('before the status has changed', await allEvents(fixture, workspace), [])
      await changed(fixture, id, { status: 'disabled' }, disabledEvents)
      await changed(fixture, id, { status: 'disabled' }, disabledEvents)
      const seen = (await allEvents(fixture, workspace)).map(({ type, data }) => [type, data])
      same('once it has changed', seen, [['endpoint.disabled', { id, status: 'disabled' }]])
    },
  },
  {
    name: 'of concurrent changes that disable an endpoint one has changed its status',
    check: async (fixture) => {
      const { id, workspace } = await openEndpoint(fixture)
      await Promise.all(times(4, () => changed(fixture, id, { status: 'disabled' }, disabledEvents)))
      same('the events', (await allEvents(fixture, workspace)).map(({ type }) => type), ['endpoint.disabled'])
    },
  },
  {
    name: 'a rotation replaces the secret, and the one before counts until its moment',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [added, other] = [await addedEndpoint(fixture, workspace), await addedEndpoint(fixture, workspace)]
      const secret = newEndpointSecret()
      same('the rotation', await done('a secret is rotated', fixture.eventEndpoints.rotateSecret(added.id, secret, NOON + DAY_MS)), true)
      const expected = { current: secret, previous: { secret: added.secret, until: NOON + DAY_MS } }
      same('the secrets', await secretsOf(fixture, added.id), O.some(expected))
      same('those of the other', await secretsOf(fixture, other.id), O.some({ current: other.secret, previous: undefined }))
      await stored(fixture, workspace, {})
      same('those that deliveries are signed with', (await dueOf(fixture, [added]))[0]?.secrets, expected)
    },
  },
  {
    name: 'a second rotation forgets the oldest secret',
    check: async (fixture) => {
      const { id } = await openEndpoint(fixture)
      const [second, third] = [newEndpointSecret(), newEndpointSecret()]
      await done('a secret is rotated', fixture.eventEndpoints.rotateSecret(id, second, NOON + 1))
      await done('a secret is rotated', fixture.eventEndpoints.rotateSecret(id, third, NOON + 2))
      same('the secrets', await secretsOf(fixture, id), O.some({ current: third, previous: { secret: second, until: NOON + 2 } }))
    },
  },
  {
    name: 'a removed endpoint is gone with its waiting attempts and its delivery log',
    check: async (fixture) => {
      const { endpoint } = await withRetry(fixture, NOON)
      const other = await addedEndpoint(fixture, endpoint.workspace)
      const [event] = await stored(fixture, endpoint.workspace, {})
      await done('an attempt is logged', fixture.eventDeliveries.log(newAttempt(other, event ?? newEvent(endpoint.workspace))))
      same('the removal', await done('an endpoint is removed', fixture.eventEndpoints.remove(endpoint.id)), true)
      same('the endpoint', await find(fixture, endpoint.id), O.none)
      same('its secrets', await secretsOf(fixture, endpoint.id), O.none)
      same(
        'those of its workspace', (await done('endpoints are listed', fixture.eventEndpoints.list(endpoint.workspace))).map(({ id }) => id),
        [other.id],
      )
      same('what is due', (await dueOf(fixture, [endpoint, other])).map((task) => task.endpoint.id), [other.id])
      await done('the endpoint is added again', fixture.eventEndpoints.add(endpoint))
      same('what waits', await done('retries are read', fixture.eventDeliveries.retries(endpoint.id, NOON, 10)), [])
      same('its log', (await done('the log is read', fixture.eventDeliveries.attempts(endpoint.id, { limit: 10 }))).items, [])
      same(
        'the log of the other', (await done('the log is read', fixture.eventDeliveries.attempts(other.id, { limit: 10 }))).items.length, 1,
      )
      same('a second removal', await done('an endpoint is removed', fixture.eventEndpoints.remove(endpoint.id)), true)
      same('a third one', await done('an endpoint is removed', fixture.eventEndpoints.remove(endpoint.id)), false)
    },
  },
]

/** The promises of every `EventEndpoints` that stores its endpoints on disk about its stored data. */
export const eventEndpointsAtRestLaws: ReadonlyArray<Law<EventEndpointsFixture & AtRest>> = [
  {
    name: 'secrets of endpoints are encrypted at rest',
    check: async (fixture) => {
      const description = newName()
      const { id, secret } = await openEndpoint(fixture, { description })
      const rotated = newEndpointSecret()
      await done('a secret is rotated', fixture.eventEndpoints.rotateSecret(id, rotated, NOON))
      const text = await fixture.atRest()
      holds('what is kept can be seen at all', text.includes(description), 'nothing of the endpoint')
      for (const one of [secret, rotated]) {
        const bytes = one.slice('whsec_'.length)
        for (const spelling of [one, bytes, atob(bytes)]) holds('a secret is not stored as it is', !text.includes(spelling), 'it at rest')
      }
    },
  },
]
