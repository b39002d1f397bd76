import { randomBytes } from 'node:crypto'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import {
  makeAddEndpoint, makeChangeEndpoint, makeFindEndpoint, makeListEndpoints, makeRemoveEndpoint, makeRotateSecret, makeTestEndpoint,
} from '../../../core/events/endpoint-use-cases.js'
import { type EndpointId, endpointIdOf, endpointSecretOf } from '../../../core/events/endpoint.js'
import {
  makeCountFailed, makeListDeliveries, makeListEvents, makeRedeliverEvent, makeRedeliverFailed, makeRedeliverSince,
} from '../../../core/events/use-cases.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { done, rightOf } from '../../support/right-of.js'
import { scriptedReceiver } from '../../support/scripted-receiver.js'
import { gateway, NOON } from '../gateway.js'
import { bySystem } from './by-system.js'

export const ADDRESS = 'https://app.example/events'

/** A workspace, another one, and every use case of endpoints and events over memory, with a receiver whose answers a test sets. */
export const openEndpointWorld = async () => {
  const { workspace, addWorkspace, now, passes, storage } = await gateway()
  const { workspace: stranger } = await addWorkspace()
  const { eventEndpoints, eventDeliveries, eventOutbox } = storage
  const { webhooks, tried, attemptsWillEnd } = scriptedReceiver()
  const deps = {
    eventEndpoints, eventDeliveries, eventOutbox, now,
    newEndpointId: () => endpointIdOf(uuidv7()),
    newSecret: () => endpointSecretOf(randomBytes(24).toString('base64')),
    newEventId: () => eventIdOf(uuidv7()),
    newAttemptId: () => uuidv7().replaceAll('-', ''),
    faultOfUrl: (url: string) => (url.includes('//10.') ? 'url is private' : undefined),
    ...webhooks,
  }
  const addEndpoint = bySystem(makeAddEndpoint(deps))
  return {
    ...deps, workspace, stranger, passes, storage, tried, attemptsWillEnd,
    addEndpoint,
    changeEndpoint: bySystem(makeChangeEndpoint(deps)),
    findEndpoint: makeFindEndpoint(deps),
    listDeliveries: makeListDeliveries(deps),
    listEndpoints: makeListEndpoints(deps),
    listEvents: makeListEvents(deps),
    redeliverEvent: bySystem(makeRedeliverEvent(deps)),
    redeliverSince: bySystem(makeRedeliverSince(deps)),
    redeliverFailed: bySystem(makeRedeliverFailed(deps)),
    countFailed: makeCountFailed(deps),
    removeEndpoint: bySystem(makeRemoveEndpoint(deps)),
    rotateSecret: bySystem(makeRotateSecret(deps)),
    testEndpoint: bySystem(makeTestEndpoint(deps)),
    /** Adds an endpoint to the workspace. */
    added: async () => rightOf(await addEndpoint({ workspace, url: ADDRESS })),
    /** Stores events of the workspace and gives their ids. */
    happens: async (...events: ReadonlyArray<Partial<Event>>) => {
      const stored = events.map((event): Event => ({
        id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: NOON, subject: 'a message', data: {}, ...event,
      }))
      await done(eventOutbox.append(workspace, stored))
      return stored.map(({ id }) => id)
    },
    secretsOf: async (id: EndpointId) => O.toUndefined(await done(eventEndpoints.secretsOf(id))),
  }
}
