import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { EndpointId, EndpointSecret, EndpointSecrets, EventEndpoints } from '../../core/events/endpoint.js'
import { eventsIn } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import type { AtRest } from '../laws/at-rest.js'
import { eventEndpointsAtRestLaws, type EventEndpointsFixture, eventEndpointsLaws } from '../laws/event-endpoints.js'
import { andThen, brokenMemory, followedBy, ignoring, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

/** Later than every moment of these laws. */
const LATER = Date.UTC(2030, 0, 1)

describeMutations('endpoints of events', eventEndpointsLaws, [
  {
    defect: 'adds no endpoint',
    open: brokenMemory('eventEndpoints', () => ({ add: async () => E.right(undefined) })),
    breaks: ['an endpoint comes back as it was added, enabled, healthy and without an attempt'],
  },
  {
    defect: 'cuts descriptions to plain ASCII',
    open: brokenMemory('eventEndpoints', ({ add }) => ({
      add: ({ description, ...more }) => add({ ...more, description: description.replace(/[^ -~]/g, '') }),
    })),
    breaks: ['an endpoint comes back as it was added, enabled, healthy and without an attempt'],
  },
  {
    defect: 'rotates the secret of an endpoint that is not there',
    open: brokenMemory('eventEndpoints', ({ rotateSecret }) => ({
      rotateSecret: (...given) => withResult(rotateSecret(...given), () => true),
    })),
    breaks: ['an endpoint that was never added is not there'],
  },
  {
    defect: 'answers an unknown workspace with success',
    open: brokenMemory('eventEndpoints', ({ add }) => ({ add: (endpoint) => ignoring(add(endpoint), 'UnknownWorkspace') })),
    breaks: ['an endpoint cannot be added to a workspace that does not exist'],
  },
  {
    defect: 'begins with the oldest event that is stored',
    open: brokenMemory('eventDeliveries', ({ due }) => ({
      due: (query) => withResult(due(query), (tasks) => tasks.map((task) => ({ ...task, position: 0 }))),
    })),
    breaks: ['an endpoint gets the events from the moment when it was added', 'an endpoint that is enabled again begins with the events from then on, healthy'],
  },
  {
    defect: 'lists the newest endpoint first',
    open: brokenMemory('eventEndpoints', ({ list }) => ({ list: (workspace) => withResult(list(workspace), (all) => all.toReversed()) })),
    breaks: ['a workspace lists its own endpoints, oldest first by their ids'],
  },
  {
    defect: 'forgets the description with each change',
    open: brokenMemory('eventEndpoints', ({ change }) => ({
      change: (id, change_, ...more) => change(id, { description: '', ...change_ }, ...more),
    })),
    breaks: ['a change changes what is given and nothing else'],
  },
  {
    defect: 'starts again after each change',
    open: brokenMemory('eventEndpoints', ({ change }) => ({
      change: (id, { status = 'enabled', ...rest }, at, outboxEntries) =>
        andThen(change(id, { status: 'disabled' }, at), () => change(id, { ...rest, status }, at, outboxEntries)),
    })),
    breaks: ['a change leaves the position and the health of an endpoint as they are, unless it enables the endpoint'],
  },
  {
    defect: 'keeps what waits of an endpoint that is disabled',
    open: brokenMemory('eventEndpoints', ({ change }, { eventDeliveries }) => ({
      change: (id, ...given) =>
        andThen(eventDeliveries.retries(id, LATER, 100), (waiting) =>
          followedBy(change(id, ...given), () =>
            Promise.all(waiting.map(({ event }: (typeof waiting)[number]) => eventDeliveries.redeliver(id, event.id, 0)))
              .then(E.sequenceArray))),
    })),
    breaks: ['waiting attempts of an endpoint that is disabled are dropped'],
  },
  {
    defect: 'stores no events of a change',
    open: brokenMemory('eventEndpoints', ({ change }) => ({ change: (id, given, at) => change(id, given, at) })),
    breaks: ['a change gives its events the status before it, so that they can say whether it has changed'],
  },
  {
    defect: 'takes each change for one of the status',
    open: brokenMemory('eventEndpoints', ({ change }, { eventOutbox }) => ({
      change: (id, given, at, outboxEntries) =>
        followedBy(change(id, given, at), async (after) =>
          O.isSome(after)
            ? eventOutbox.append(
                after.value.workspace,
                eventsIn(outboxEntries?.({ from: after.value.status === 'enabled' ? 'disabled' : 'enabled', endpoint: after.value }) ?? []),
              )
            : E.right(undefined)),
    })),
    breaks: [
      'a change gives its events the status before it, so that they can say whether it has changed',
      'of concurrent changes that disable an endpoint one has changed its status',
    ],
  },
  {
    defect: 'ends the secret before a rotation at once',
    open: brokenMemory('eventEndpoints', ({ rotateSecret }) => ({ rotateSecret: (id, secret) => rotateSecret(id, secret, 0) })),
    breaks: ['a rotation replaces the secret, and the one before counts until its moment'],
  },
  {
    defect: 'keeps the first secret of an endpoint as the one before',
    open: brokenMemory('eventEndpoints', ({ add, secretsOf }) => {
      const first = new Map<EndpointId, EndpointSecret>()
      const withFirst = (id: EndpointId, { current, previous }: EndpointSecrets): EndpointSecrets =>
        ({ current, previous: previous && { ...previous, secret: first.get(id) ?? previous.secret } })
      return {
        add: (endpoint) => noting(add(endpoint), () => { first.set(endpoint.id, endpoint.secret) }),
        secretsOf: (id) => withResult(secretsOf(id), O.map((secrets) => withFirst(id, secrets))),
      }
    }),
    breaks: ['a second rotation forgets the oldest secret'],
  },
  {
    defect: 'removes no endpoint',
    open: brokenMemory('eventEndpoints', () => ({ remove: async () => E.right(true) })),
    breaks: ['a removed endpoint is gone with its waiting attempts and its delivery log'],
  },
])

/** Memory that writes secrets to its storage as `encode` says. */
const atRest = (encode: (secret: string) => string) => async (): Promise<EventEndpointsFixture & AtRest> => {
  const stored: Array<string> = []
  const fixture = await openMemoryFixture()
  const { eventEndpoints } = fixture
  const add: EventEndpoints['add'] = (endpoint) => {
    stored.push(JSON.stringify({ ...endpoint, secret: encode(endpoint.secret) }))
    return eventEndpoints.add(endpoint)
  }
  return { ...fixture, eventEndpoints: { ...eventEndpoints, add }, atRest: async () => stored.join('\n') }
}

const HIDDEN = 'secrets of endpoints are encrypted at rest'

describeMutations('endpoints of events at rest', eventEndpointsAtRestLaws, [
  { defect: 'stores secrets as they are', open: atRest((secret) => secret), breaks: [HIDDEN] },
  { defect: 'stores the bytes of secrets', open: atRest((secret) => atob(secret.slice('whsec_'.length))), breaks: [HIDDEN] },
  { defect: 'cannot show what it stores', open: async () => ({ ...(await atRest(() => '')()), atRest: async () => '' }), breaks: [HIDDEN] },
])
