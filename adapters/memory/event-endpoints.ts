import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { EndpointChange, EventEndpoint, EventEndpoints } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { type EndpointRecord, type EventState, storeEvents, streamOf } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The endpoints in memory, of the workspaces there are. Nothing is at rest here, so their secrets are kept as they are. */
export const makeMemoryEventEndpoints = (workspaces: ReadonlyMap<WorkspaceId, unknown>, state: EventState): EventEndpoints => {
  const { endpoints } = state
  return {
    add: ({ secret, ...added }, along) =>
      atomic((): E.Either<UnknownWorkspace, void> => {
        if (!workspaces.has(added.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        endpoints.set(added.id, {
          endpoint: { ...added, status: 'enabled', failingSince: undefined, lastDelivery: undefined },
          secrets: { current: secret, previous: undefined },
          position: streamOf(state, added.workspace).lastPosition,
          failures: 0, pausedUntil: undefined, retries: new Map(), attempts: [],
        })
        if (along !== undefined) storeEvents(state, along(added.id))
        return E.right(undefined)
      }),
    find: (id) => infallible(() => O.fromNullable(endpoints.get(id)?.endpoint)),
    secretsOf: (id) => infallible(() => O.fromNullable(endpoints.get(id)?.secrets)),
    list: (workspace) =>
      infallible(() =>
        Array.from(endpoints.values(), ({ endpoint }) => endpoint)
          .filter((endpoint) => endpoint.workspace === workspace)
          .sort((a, b) => (a.id < b.id ? -1 : 1))),
    change: (id, change, _at, along) =>
      infallible(() => {
        const record = endpoints.get(id)
        if (record === undefined) return O.none
        const from = record.endpoint.status
        applyChange(state, record, change)
        if (along !== undefined) storeEvents(state, along({ from, endpoint: record.endpoint }))
        return O.some(record.endpoint)
      }),
    rotateSecret: (id, secret, until, along) =>
      infallible(() => {
        const record = endpoints.get(id)
        if (record === undefined) return false
        record.secrets = { current: secret, previous: { secret: record.secrets.current, until } }
        if (along !== undefined) storeEvents(state, along(id))
        return true
      }),
    remove: (id, along) =>
      infallible(() => {
        const removed = endpoints.delete(id)
        if (removed && along !== undefined) storeEvents(state, along(id))
        return removed
      }),
  }
}

const applyChange = (state: EventState, record: EndpointRecord, change: EndpointChange): void => {
  const { status } = record.endpoint
  const after: EventEndpoint = { ...record.endpoint, ...change }
  record.endpoint = after
  if (after.status === status) return
  record.retries.clear()
  if (after.status === 'enabled') heal(record, streamOf(state, after.workspace).lastPosition)
}

const heal = (record: EndpointRecord, position: number): void => {
  record.endpoint = { ...record.endpoint, failingSince: undefined }
  record.position = position
  record.failures = 0
  record.pausedUntil = undefined
}
