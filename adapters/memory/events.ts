import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type BrokerTask, type DeliveryAttempt, type DeliveryProgress, type DeliveryTask, type DueQuery, type EventDeliveries, type FailedEvents,
  type FailedFilter, type FailedPass, isFailedMatch, isPaused, MAX_PENDING, MAX_REDELIVERED, type Retry, shardOf,
} from '../../core/events/delivery.js'
import {
  type EndpointChange, type EndpointId, type EndpointSecrets, type EventEndpoint, type EventEndpoints, formatOf, type LastDelivery,
} from '../../core/events/endpoint.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import type { AuditId, EventId, WorkspaceId } from '../../core/kernel/ids.js'
import {
  type OutboxEntry, type EventOutbox, type EventPosition, isAuditEntry, PULL_LISTENS_MS, type StoredEvent, wantsEvent,
} from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { atomic, infallible, pageById } from './kernel.js'

/** The events of all workspaces, the progress of their deliveries, and the audit log: the outbox entries of writes are stored here. */
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
  /** The position of the latest event, even after it was deleted. */
  lastPosition: EventPosition
  /** When an application last polled the events. */
  pulledAt: Instant | undefined
  /** The last event that the broker has received. */
  brokerPosition: EventPosition
}

/** An endpoint with all its stored data. */
export type EndpointRecord = {
  endpoint: EventEndpoint
  secrets: EndpointSecrets
  position: EventPosition
  failures: number
  pausedUntil: Instant | undefined
  readonly retries: Map<EventId, RetryRecord>
  attempts: ReadonlyArray<DeliveryAttempt>
}

/** An event to be retried: when, and when the latest attempt failed or its owner requested it. */
export type RetryRecord = {
  readonly attempts: number
  readonly firstAttemptAt: Instant
  readonly notedAt: Instant
  readonly nextAt: Instant
}

/** Without an event and an endpoint. */
export const openEventState = (hasBroker = false): EventState => ({
  streams: new Map(), endpoints: new Map(), auditEntries: new Map(), hasBroker, listeners: new Set(),
})

/** The events of a workspace; none at first. */
export const streamOf = ({ streams }: EventState, workspace: WorkspaceId): EventStream => {
  const stream = streams.get(workspace) ?? { events: [], lastPosition: 0, pulledAt: undefined, brokerPosition: 0 }
  streams.set(workspace, stream)
  return stream
}

/** Stores events, each after all of its workspace, and audit entries. An event whose key is already stored is left out, and so is an entry whose id is. */
export const storeEvents = (state: EventState, entries: ReadonlyArray<OutboxEntry>): void => {
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

/** Adds a listener that is called after events were stored; the returned function removes it. */
export const addListener = ({ listeners }: EventState, listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The events of all workspaces in memory. */
export const makeMemoryEventOutbox = (state: EventState): EventOutbox => ({
  hasBroker: state.hasBroker,
  listens: (workspace, at) =>
    infallible(() =>
      state.hasBroker || isPulled(state.streams.get(workspace), at)
      || enabledOf(state, workspace).some(({ endpoint }) => formatOf(endpoint) === 'postern')),
  relays: (workspace) => infallible(() => enabledOf(state, workspace).some(({ endpoint }) => formatOf(endpoint) === 'platform')),
  append: (_workspace, events) => infallible(() => storeEvents(state, events)),
  after: (workspace, position, limit) =>
    infallible(() => eventsOf(state, workspace).filter((event) => event.position > position).slice(0, limit)),
  find: (workspace, id) => infallible(() => O.fromNullable(eventsOf(state, workspace).find((event) => event.id === id))),
  notePull: (workspace, at) =>
    infallible(() => {
      const stream = streamOf(state, workspace)
      stream.pulledAt = Math.max(at, stream.pulledAt ?? at)
    }),
  removeOld: (before, at) => infallible(() => removeEvents(state, before) + removeContents(state, at)),
  backlog: (limit) =>
    infallible(() => {
      const oldest = [...state.streams].flatMap(([workspace, stream]) => {
        const waiting = stream.events.find((event) => isAwaited(state, stream, event))
        return waiting === undefined ? [] : [{ workspace, at: waiting.at }]
      })
      const stored = [...state.streams.values()].reduce((count, { events }) => count + events.length, 0)
      return { stored, oldest: oldest.sort((a, b) => a.at - b.at).slice(0, limit) }
    }),
})

const eventsOf = ({ streams }: EventState, workspace: WorkspaceId): ReadonlyArray<StoredEvent> => streams.get(workspace)?.events ?? []

const isPulled = (stream: EventStream | undefined, at: Instant): boolean =>
  stream?.pulledAt !== undefined && at - stream.pulledAt < PULL_LISTENS_MS

const enabledOf = ({ endpoints }: EventState, workspace: WorkspaceId): ReadonlyArray<EndpointRecord> =>
  [...endpoints.values()].filter(({ endpoint }) => endpoint.workspace === workspace && endpoint.status === 'enabled')

/** Whether an endpoint or the broker has not received an event yet. */
const isAwaited = (state: EventState, { brokerPosition }: EventStream, { id, workspace, position }: StoredEvent): boolean =>
  (state.hasBroker && position > brokerPosition) ||
  enabledOf(state, workspace).some((record) => position > record.position || record.retries.has(id))

const removeEvents = (state: EventState, before: Instant): number => {
  let removed = 0
  for (const stream of state.streams.values()) {
    const [kept, old] = [stream.events.filter(({ at }) => at >= before), stream.events.filter(({ at }) => at < before)]
    for (const { id } of old) for (const { retries } of state.endpoints.values()) retries.delete(id)
    removed += old.length
    stream.events = kept
  }
  for (const record of state.endpoints.values()) record.attempts = record.attempts.filter(({ at }) => at >= before)
  return removed
}

const removeContents = (state: EventState, at: Instant): number => {
  let removed = 0
  for (const stream of state.streams.values()) {
    if (isPulled(stream, at)) continue
    stream.events = stream.events.map((event) => {
      if (event.content === undefined || isAwaited(state, stream, event)) return event
      removed += 1
      const { content: _content, ...rest } = event
      return rest
    })
  }
  return removed
}

/** The endpoints in memory, of the existing workspaces. Nothing is stored on disk here, so their secrets are not encrypted. */
export const makeMemoryEventEndpoints = (workspaces: ReadonlyMap<WorkspaceId, unknown>, state: EventState): EventEndpoints => {
  const { endpoints } = state
  return {
    add: ({ secret, ...added }, outboxEntries) =>
      atomic((): E.Either<UnknownWorkspace, void> => {
        if (!workspaces.has(added.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        endpoints.set(added.id, {
          endpoint: { ...added, status: 'enabled', failingSince: undefined, lastDelivery: undefined },
          secrets: { current: secret, previous: undefined },
          position: streamOf(state, added.workspace).lastPosition,
          failures: 0, pausedUntil: undefined, retries: new Map(), attempts: [],
        })
        if (outboxEntries !== undefined) storeEvents(state, outboxEntries(added.id))
        return E.right(undefined)
      }),
    find: (id) => infallible(() => O.fromNullable(endpoints.get(id)?.endpoint)),
    secretsOf: (id) => infallible(() => O.fromNullable(endpoints.get(id)?.secrets)),
    list: (workspace) =>
      infallible(() =>
        Array.from(endpoints.values(), ({ endpoint }) => endpoint)
          .filter((endpoint) => endpoint.workspace === workspace)
          .sort((a, b) => (a.id < b.id ? -1 : 1))),
    change: (id, change, _at, outboxEntries) =>
      infallible(() => {
        const record = endpoints.get(id)
        if (record === undefined) return O.none
        const from = record.endpoint.status
        applyChange(state, record, change)
        if (outboxEntries !== undefined) storeEvents(state, outboxEntries({ from, endpoint: record.endpoint }))
        return O.some(record.endpoint)
      }),
    rotateSecret: (id, secret, until, outboxEntries) =>
      infallible(() => {
        const record = endpoints.get(id)
        if (record === undefined) return false
        record.secrets = { current: secret, previous: { secret: record.secrets.current, until } }
        if (outboxEntries !== undefined) storeEvents(state, outboxEntries(id))
        return true
      }),
    remove: (id, outboxEntries) =>
      infallible(() => {
        const removed = endpoints.delete(id)
        if (removed && outboxEntries !== undefined) storeEvents(state, outboxEntries(id))
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

/** The progress of deliveries of the events in memory. */
export const makeMemoryEventDeliveries = (state: EventState): EventDeliveries => ({
  due: (query) => infallible(() => dueOf(state, query)),
  retries: (id, at, limit) => infallible(() => retriesOf(state, id, at).slice(0, limit)),
  record: (progress, outboxEntries) =>
    atomic(() => {
      const record = state.endpoints.get(progress.endpoint)
      if (record === undefined || record.position !== progress.from || record.endpoint.status !== 'enabled') return E.right(false)
      note(record, progress)
      if (progress.disabled === true && outboxEntries !== undefined) storeEvents(state, outboxEntries(record.endpoint))
      return E.right(true)
    }),
  log: (attempt) =>
    infallible(() => {
      const record = state.endpoints.get(attempt.endpoint)
      if (record !== undefined) addAttempts(record, [attempt])
    }),
  pending: (id) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined || record.endpoint.status === 'disabled') return { fresh: 0, retries: 0 }
      const fresh = streamOf(state, record.endpoint.workspace).events.filter(({ position }) => position > record.position).length
      return { fresh: Math.min(fresh, MAX_PENDING), retries: Math.min(record.retries.size, MAX_PENDING) }
    }),
  attempts: (id, query) => infallible(() => pageById(state.endpoints.get(id)?.attempts ?? [], query, (attempt) => attempt.id)),
  redeliver: (id, event, at) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined || eventOf(state, record, event) === undefined) return false
      record.retries.set(event, askedFor(at))
      return true
    }),
  redeliverSince: (id, since, at) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined) return 0
      const { endpoint: { workspace, types }, position } = record
      const again = streamOf(state, workspace).events
        .filter((event) => event.at >= since && event.position <= position && wantsEvent(types, event.type))
        .slice(0, MAX_REDELIVERED)
      for (const event of again) record.retries.set(event.id, askedFor(at))
      return again.length
    }),
  failed: (id, filter, pass) => infallible(() => failedOf(state, state.endpoints.get(id), filter, pass)),
  redeliverFailed: (id, filter, pass, at) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record?.endpoint.status !== 'enabled') return { events: [], next: undefined }
      const found = failedOf(state, record, filter, pass)
      for (const event of found.events) record.retries.set(event, askedFor(at))
      return found
    }),
  brokerDue: (limit) => infallible(() => brokerDueOf(state).slice(0, limit)),
  recordBroker: ({ workspace, from, to }) =>
    infallible(() => {
      const stream = streamOf(state, workspace)
      if (stream.brokerPosition !== from) return false
      stream.brokerPosition = to
      return true
    }),
})

const failedOf = (
  state: EventState, record: EndpointRecord | undefined, filter: FailedFilter, { after, limit }: FailedPass,
): FailedEvents => {
  if (record === undefined) return { events: [], next: undefined }
  const latest = new Map(record.attempts.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((attempt) => [attempt.event, attempt]))
  const tried = new Set(record.attempts.flatMap(({ event, delivered }) => (delivered || event <= (after ?? '') ? [] : [event])))
  const looked = [...tried].toSorted().slice(0, limit)
  const events = looked.filter((id) => {
    const [event, attempt] = [eventOf(state, record, id), latest.get(id)]
    return event !== undefined && attempt?.delivered === false && record.retries.get(id)?.attempts !== 0
      && isFailedMatch(filter, event, attempt)
  })
  return { events, next: looked.length < limit ? undefined : looked.at(-1) }
}

const askedFor = (at: Instant) => ({ attempts: 0, firstAttemptAt: at, notedAt: at, nextAt: at })

const dueOf = (state: EventState, { shards, at, limit, except, exceptWorkspaces = [], failing }: DueQuery): ReadonlyArray<DeliveryTask> =>
  [...state.endpoints.values()]
    .filter(({ endpoint: { id, status } }) => status === 'enabled' && shards.includes(shardOf(id)) && !except.includes(id))
    .filter(({ endpoint: { workspace } }) => !exceptWorkspaces.includes(workspace))
    .filter(({ failures }) => failing === undefined || failing === failures > 0)
    .flatMap((record) => {
      const since = waitsSince(state, record, at)
      const { pausedUntil = -Infinity } = record
      return since === undefined || isPaused(pausedUntil, at)
        ? []
        : [{ record, since: pausedUntil <= at ? Math.max(since, pausedUntil) : since }]
    })
    .sort((a, b) => a.since - b.since || (a.record.endpoint.id < b.record.endpoint.id ? -1 : 1))
    .slice(0, limit)
    .map(({ record: { endpoint, secrets, position, failures } }) => ({ endpoint, secrets, position, failures }))

/** The time of the oldest event after the endpoint's position, or since when an attempt is due; `undefined` if nothing waits. */
const waitsSince = (state: EventState, record: EndpointRecord, at: Instant): Instant | undefined => {
  const next = streamOf(state, record.endpoint.workspace).events.find(({ position }) => position > record.position)
  const moments = [
    ...(next === undefined ? [] : [next.at]), ...[...record.retries.values()].flatMap(({ nextAt }) => (nextAt <= at ? [nextAt] : [])),
  ]
  return moments.length === 0 ? undefined : Math.min(...moments)
}

const retriesOf = (state: EventState, id: EndpointId, at: Instant): ReadonlyArray<Retry> => {
  const record = state.endpoints.get(id)
  if (record === undefined) return []
  return [...record.retries]
    .filter(([, { nextAt }]) => nextAt <= at)
    .sort(([a, one], [b, other]) => one.nextAt - other.nextAt || (a < b ? -1 : 1))
    .flatMap(([eventId, { attempts, firstAttemptAt }]) => {
      const event = eventOf(state, record, eventId)
      return event === undefined ? [] : [{ event, attempts, firstAttemptAt }]
    })
}

const eventOf = (state: EventState, { endpoint: { workspace } }: EndpointRecord, id: EventId): StoredEvent | undefined =>
  streamOf(state, workspace).events.find((event) => event.id === id)

const note = (
  record: EndpointRecord, { to, attempts, retry, done, failures, failingSince, pausedUntil, retryAtOnceSince, disabled }: DeliveryProgress,
): void => {
  record.position = to
  record.failures = failures
  record.pausedUntil = pausedUntil
  record.endpoint = { ...record.endpoint, failingSince, status: disabled === true ? 'disabled' : 'enabled' }
  addAttempts(record, attempts)
  if (retryAtOnceSince !== undefined) hasten(record, retryAtOnceSince)
  for (const { event, at, ...more } of retry) record.retries.set(event, { ...more, notedAt: notedAt(attempts, event, at), nextAt: at })
  for (const event of done) record.retries.delete(event)
  if (disabled === true) record.retries.clear()
}

const hasten = ({ retries }: EndpointRecord, since: Instant): void => {
  for (const [event, waiting] of retries) {
    if (waiting.notedAt >= since) retries.set(event, { ...waiting, nextAt: Math.min(waiting.nextAt, waiting.notedAt) })
  }
}

/** The time of the latest attempt of an event; the given time if there is none. */
const notedAt = (attempts: ReadonlyArray<DeliveryAttempt>, event: EventId, otherwise: Instant): Instant =>
  attempts.filter((attempt) => attempt.event === event).reduce<Instant | undefined>(
    (latest, { at }) => Math.max(latest ?? at, at), undefined,
  )
  ?? otherwise

const addAttempts = (record: EndpointRecord, attempts: ReadonlyArray<DeliveryAttempt>): void => {
  record.attempts = [...record.attempts, ...attempts]
  const latest = attempts.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).at(-1)
  if (latest === undefined || latest.at < (record.endpoint.lastDelivery?.at ?? latest.at)) return
  const lastDelivery: LastDelivery = { at: latest.at, delivered: latest.delivered, httpStatus: latest.httpStatus }
  record.endpoint = { ...record.endpoint, lastDelivery }
}

const brokerDueOf = ({ streams }: EventState): ReadonlyArray<BrokerTask> =>
  [...streams]
    .flatMap(([workspace, { events, brokerPosition }]) => {
      const next = events.find(({ position }) => position > brokerPosition)
      return next === undefined ? [] : [{ workspace, position: brokerPosition, since: next.at }]
    })
    .sort((a, b) => a.since - b.since || (a.workspace < b.workspace ? -1 : 1))
    .map(({ workspace, position }) => ({ workspace, position }))
