import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { type EndpointId, endpointIdOf } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventFilter } from '../../core/kernel/outbox.js'
import type { EventReceiver } from './event-receiver.js'
import { eventually } from './eventually.js'
import { rightOf } from './right-of.js'

/** Helpers for the events of a gateway. */
export type EventTools = {
  /** Adds an endpoint that delivers to the receiver. */
  readonly addEndpoint: (workspace: WorkspaceId, types?: EventFilter) => Promise<EndpointId>
  /** Repeats a write until the running gateway has noticed a new endpoint. */
  readonly untilHeard: (write: () => Promise<unknown>, id: WorkspaceId) => Promise<true>
  /** The types of the events of a message, in order of arrival. */
  readonly typesOf: (messageId: string | null) => ReadonlyArray<string>
}

/** The maximum time until a gateway notices a new endpoint, in milliseconds. */
const HEARD_MS = 20_000

/** Makes the helpers for a storage and a receiver, which may both change between tests. */
export const makeEventTools = (storage: () => KnexStorage, receiver: () => EventReceiver): EventTools => ({
  addEndpoint: async (workspace, types = ['*']) => {
    const id = endpointIdOf(uuidv7())
    const { url, secret } = receiver()
    rightOf(await storage().eventEndpoints.add({ id, workspace, url, types, description: '', createdAt: Date.now(), secret }))
    return id
  },
  untilHeard: (write, id) =>
    eventually('the first event', async () => {
      await write()
      return receiver().received.some(({ workspace }) => workspace === id) || undefined
    }, HEARD_MS),
  typesOf: (messageId) => receiver().received.filter(({ data }) => data['id'] === messageId).map(({ type }) => type),
})
