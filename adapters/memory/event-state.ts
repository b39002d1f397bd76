import type { DeliveryAttempt } from '../../core/events/delivery.js'
import type { EndpointId, EndpointSecrets, EventEndpoint } from '../../core/events/endpoint.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import type { AuditId, EventId, WorkspaceId } from '../../core/kernel/ids.js'
import { type AlongEntry, type EventPosition, isAuditEntry, type StoredEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'

/** The events of all workspaces, how far they were delivered, and the audit log: what writes take along is stored here. */
export type EventState = {
  readonly streams: Map<WorkspaceId, EventStream>
  readonly endpoints: Map<EndpointId, EndpointRecord>
  readonly auditEntries: Map<AuditId, AuditEntry>
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
export const openEventState = (hasBroker = false): EventState => ({ streams: new Map(), endpoints: new Map(), auditEntries: new Map(), hasBroker, listeners: new Set() })

/** The events of a workspace; none at first. */
export const streamOf = ({ streams }: EventState, workspace: WorkspaceId): EventStream => {
  const stream = streams.get(workspace) ?? { events: [], lastPosition: 0, pulledAt: undefined, brokerPosition: 0 }
  streams.set(workspace, stream)
  return stream
}

/** Stores events, each after all of its workspace, and audit entries. An event with a key that is stored already is left out, and so is an entry whose id is. */
export const storeEvents = (state: EventState, entries: ReadonlyArray<AlongEntry>): void => {
  for (const event of entries) {
    if (isAuditEntry(event)) {
      if (!state.auditEntries.has(event.id)) state.auditEntries.set(event.id, event)
      continue
    }
    const stream = streamOf(state, event.workspace)
    if (event.key !== undefined && stream.events.some(({ key }) => key === event.key)) continue
    stream.lastPosition += 1
    stream.events = [...stream.events, { ...event, position: stream.lastPosition }]
  }
  // The step that stores is finished first, and a fault of a listener is not a fault of the write.
  if (entries.some((entry) => !isAuditEntry(entry))) for (const listener of state.listeners) queueMicrotask(listener)
}

/** Adds a listener that is called after events were stored; the answer removes it. */
export const addListener = ({ listeners }: EventState, listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
