import type { DeliveryAttempt } from '../../core/delivery.js'
import type { EndpointId, EndpointSecrets, EventEndpoint } from '../../core/event-endpoint.js'
import type { Event, EventId, EventPosition, StoredEvent } from '../../core/event.js'
import type { Instant } from '../../core/time.js'
import type { WorkspaceId } from '../../core/workspace.js'

/** The events of all workspaces and how far they were delivered: what the ports of events write in. */
export type EventState = {
  readonly streams: Map<WorkspaceId, EventStream>
  readonly endpoints: Map<EndpointId, EndpointRecord>
  /** Whether a broker gets the events of every workspace. */
  readonly hasBroker: boolean
  /** Called after events were stored. */
  readonly listeners: Set<() => void>
}

/** The events of a workspace. */
export type EventStream = {
  /** In the order of their positions. */
  events: ReadonlyArray<StoredEvent>
  /** The position of the latest event, also after it was deleted. */
  lastPosition: EventPosition
  /** When an application last asked for the events. */
  pulledAt: Instant | undefined
  /** The last event that the broker has got. */
  brokerPosition: EventPosition
}

/** An endpoint with all that is kept of it. */
export type EndpointRecord = {
  endpoint: EventEndpoint
  secrets: EndpointSecrets
  position: EventPosition
  failures: number
  pausedUntil: Instant | undefined
  readonly retries: Map<EventId, RetryRecord>
  attempts: ReadonlyArray<DeliveryAttempt>
}

/** An event that is to be tried again: when, and when the latest attempt failed or its owner asked for it. */
export type RetryRecord = { readonly attempts: number; readonly firstAttemptAt: Instant; readonly notedAt: Instant; readonly nextAt: Instant }

/** Without an event and an endpoint. */
export const openEventState = (hasBroker = false): EventState => ({ streams: new Map(), endpoints: new Map(), hasBroker, listeners: new Set() })

/** The events of a workspace; none at first. */
export const streamOf = ({ streams }: EventState, workspace: WorkspaceId): EventStream => {
  const stream = streams.get(workspace) ?? { events: [], lastPosition: 0, pulledAt: undefined, brokerPosition: 0 }
  streams.set(workspace, stream)
  return stream
}

/** Stores events, each after all of its workspace. One with a key that is stored already is left out. */
export const storeEvents = (state: EventState, events: ReadonlyArray<Event>): void => {
  for (const event of events) {
    const stream = streamOf(state, event.workspace)
    if (event.key !== undefined && stream.events.some(({ key }) => key === event.key)) continue
    stream.lastPosition += 1
    stream.events = [...stream.events, { ...event, position: stream.lastPosition }]
  }
  // The step that stores is finished first, and a fault of a listener is not a fault of the write.
  if (events.length > 0) for (const listener of state.listeners) queueMicrotask(listener)
}

/** Adds a listener that is called after events were stored; the answer removes it. */
export const addListener = ({ listeners }: EventState, listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
