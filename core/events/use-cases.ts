import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import type { PortFailure } from '../kernel/failure.js'
import { type EventId, isEventId, type WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import {
  ALL_EVENTS, type EventFilter, type EventNotFound, type EventOutbox, type EventPosition, type InvalidEventId, PLATFORM_NOTIFICATION,
  type StoredEvent, wantsEvent,
} from '../kernel/outbox.js'
import { type Clock, type Instant, iso } from '../kernel/time.js'
import {
  type DeliveryAttempt, type EventDeliveries, type FailedEvents, type FailedFilter, type FailedPass, MAX_REDELIVERED,
} from './delivery.js'
import {
  actOnEndpoint, type AddEndpoint, type AddEndpointDeps, type ChangeEndpoint, type ChangeEndpointDeps, type EndpointActCommand,
  type EndpointActDeps, type EndpointActError, type EndpointCommand, type FindEndpoint, type FindEndpointDeps, type FindEndpointError,
  type ListEndpoints, makeAddEndpoint, makeChangeEndpoint, makeFindEndpoint, makeListEndpoints, makeRemoveEndpoint, makeRotateSecret,
  makeTestEndpoint, type RemoveEndpoint, type RemoveEndpointDeps, type RotateSecret, type RotateSecretDeps, type TestEndpoint,
  type TestEndpointDeps,
} from './endpoint-use-cases.js'
import { type EndpointDisabled, type EventEndpoint, formatOf, type InvalidEventFilter, NO_TYPES, parseEventFilter } from './endpoint.js'

/**
 * Lists events of a workspace, oldest first, for an application that cannot receive calls. From then on events are kept for it, for a week.
 *
 * A reader that always continues after `next` gets each event once. If the event of the cursor was deleted, the list continues with the oldest stored event.
 */
export type ListEvents = (workspace: WorkspaceId, query: ListEventsQuery) => Promise<E.Either<ListEventsError, ListedEvents>>

/** The events to list: at most `limit`, after the event with a given id, of some types; all types if none are given. */
export type ListEventsQuery = { readonly after?: string | undefined; readonly types?: EventFilter | undefined; readonly limit: number }

/** `next` is the cursor for the next call: the last event that was looked at, whether or not it is listed; `after` if there was none. */
export type ListedEvents = { readonly events: ReadonlyArray<StoredEvent>; readonly next: EventId | undefined }

/** How listing events can fail. */
export type ListEventsError = InvalidEventId | InvalidEventFilter | PortFailure

/** The dependencies of listing events. */
export type ListEventsDeps = { readonly eventOutbox: Pick<EventOutbox, 'after' | 'find' | 'notePull'>; readonly now: Clock }

/** How many events one read returns, and how many reads there are: a filter that few events match must not read all stored events. */
const READ_AT_ONCE = 200
const MAX_READS = 20

export const makeListEvents =
  (deps: ListEventsDeps): ListEvents =>
  async (workspace, { after, types = ALL_EVENTS, limit }) => {
    const filter = parseEventFilter(types)
    if (E.isLeft(filter)) return filter
    if (after !== undefined && !isEventId(after)) return E.left({ _tag: 'InvalidEventId', id: after })
    const noted = await deps.eventOutbox.notePull(workspace, deps.now())
    if (E.isLeft(noted)) return noted
    const found = after === undefined ? E.right(O.none) : await deps.eventOutbox.find(workspace, after)
    if (E.isLeft(found)) return found
    const begin: Reading = { events: [], next: after, position: O.isSome(found.right) ? found.right.value.position : 0 }
    return readOn(deps, workspace, { filter: filter.right, limit }, begin)
  }

/** The events read so far, and the position of the last event that was looked at. */
type Reading = ListedEvents & { readonly position: EventPosition }
type Wanted = { readonly filter: EventFilter; readonly limit: number }

const readOn = async (
  { eventOutbox }: ListEventsDeps, workspace: WorkspaceId, wanted: Wanted, begin: Reading,
): Promise<E.Either<PortFailure, ListedEvents>> => {
  let reading = begin
  for (let reads = 0; reads < MAX_READS && reading.events.length < wanted.limit; reads += 1) {
    const count = wanted.filter.includes('*') ? Math.min(wanted.limit - reading.events.length, READ_AT_ONCE) : READ_AT_ONCE
    const read = await eventOutbox.after(workspace, reading.position, count)
    if (E.isLeft(read)) return read
    reading = read.right.reduce((before, event) => lookAt(before, event, wanted), reading)
    if (read.right.length < count) break
  }
  return E.right({ events: reading.events, next: reading.next })
}

/** Adds one more event to the reading, unless enough are already listed. */
const lookAt = (reading: Reading, event: StoredEvent, { filter, limit }: Wanted): Reading => {
  if (reading.events.length >= limit) return reading
  const events = wantsEvent(filter, event.type) ? [...reading.events, event] : reading.events
  return { events, next: event.id, position: event.position }
}

/** Lists the attempts to deliver to an endpoint, newest first. */
export type ListDeliveries = (command: EndpointCommand, query: PageQuery) => Promise<E.Either<FindEndpointError, Page<DeliveryAttempt>>>

/** The dependencies of listing attempts. */
export type ListDeliveriesDeps = FindEndpointDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'attempts'> }

export const makeListDeliveries = ({ eventEndpoints, eventDeliveries }: ListDeliveriesDeps): ListDeliveries => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return async (command, query) => {
    const endpoint = await findEndpoint(command)
    return E.isLeft(endpoint) ? endpoint : eventDeliveries.attempts(endpoint.right.id, query)
  }
}

/**
 * Redelivers one stored event to an endpoint, even if the endpoint does not ask for its type.
 *
 * Events and notifications of the platform cannot be converted into each other, so an endpoint of one format does not find items of the other format.
 */
export type RedeliverEvent = (command: RedeliverEventCommand) => Promise<E.Either<RedeliverEventError, void>>

/** The endpoint and the event, whose id may be any text. */
export type RedeliverEventCommand = EndpointActCommand & { readonly event: string }

/** How redelivering an event can fail. */
export type RedeliverEventError = EventNotFound | EndpointDisabled | EndpointActError

/** The dependencies of redelivering an event. */
export type RedeliverEventDeps = EndpointActDeps & {
  readonly eventDeliveries: Pick<EventDeliveries, 'redeliver'>
  readonly eventOutbox: Pick<EventOutbox, 'find'>
  readonly now: Clock
}

export const makeRedeliverEvent =
  ({ eventDeliveries, eventOutbox, now, ...deps }: RedeliverEventDeps): RedeliverEvent =>
  ({ event, ...command }) =>
    actOnEndpoint(
      deps, command, { act: 'event.redeliver', details: { event } },
      async (endpoint): Promise<E.Either<Exclude<RedeliverEventError, Forbidden>, void>> => {
        const { id, workspace, status } = endpoint
        if (!isEventId(event)) return E.left({ _tag: 'EventNotFound', id: event })
        if (status === 'disabled') return E.left({ _tag: 'EndpointDisabled', id })
        const stored = await eventOutbox.find(workspace, event)
        if (E.isLeft(stored)) return stored
        const isOther = O.isSome(stored.right)
          && (stored.right.value.type === PLATFORM_NOTIFICATION) !== (formatOf(endpoint) === 'platform')
        if (isOther) return E.left({ _tag: 'EventNotFound', id: event })
        const found = await eventDeliveries.redeliver(id, event, now())
        if (E.isLeft(found)) return found
        return found.right ? E.right(undefined) : E.left({ _tag: 'EventNotFound', id: event })
      })

/** Redelivers all stored events since a given time that an endpoint asks for. Right: how many, at most `MAX_REDELIVERED`. */
export type RedeliverSince = (command: RedeliverSinceCommand) => Promise<E.Either<RedeliverSinceError, number>>

/** The endpoint and the time. */
export type RedeliverSinceCommand = EndpointActCommand & { readonly since: Instant }

/** How redelivering events can fail. */
export type RedeliverSinceError = EndpointDisabled | EndpointActError

/** The dependencies of redelivering events. */
export type RedeliverSinceDeps = EndpointActDeps & {
  readonly eventDeliveries: Pick<EventDeliveries, 'redeliverSince'>
  readonly now: Clock
}

export const makeRedeliverSince =
  ({ eventDeliveries, now, ...deps }: RedeliverSinceDeps): RedeliverSince =>
  ({ since, ...command }) =>
    actOnEndpoint(
      deps, command, { act: 'event.redeliver', details: { since: new Date(since).toISOString() } },
      async ({ id, status }): Promise<E.Either<EndpointDisabled | PortFailure, number>> =>
        (status === 'disabled' ? E.left({ _tag: 'EndpointDisabled', id }) : eventDeliveries.redeliverSince(id, since, now())))

/**
 * Redelivers all failed events of an endpoint that match a filter, oldest first. Right: how many, at most `MAX_REDELIVERED`.
 *
 * It runs in passes of `FAILED_AT_ONCE` events, one transaction each. If one fails, the earlier passes stay, and a repeated request continues after
 * them: an event that already waits for its redelivery is not counted again.
 */
export type RedeliverFailed = (command: FailedCommand & EndpointActCommand) => Promise<E.Either<RedeliverFailedError, number>>

/** The endpoint and which of its failed events. */
export type FailedCommand = EndpointCommand & { readonly filter: FailedFilter }

/** How redelivering failed events can fail. */
export type RedeliverFailedError = InvalidEventFilter | RedeliverSinceError

/** The dependencies of redelivering failed events. */
export type RedeliverFailedDeps = EndpointActDeps & {
  readonly eventDeliveries: Pick<EventDeliveries, 'redeliverFailed'>
  readonly now: Clock
}

/** How many failed events one pass looks at. */
export const FAILED_AT_ONCE = 1_000

export const makeRedeliverFailed =
  ({ eventDeliveries, now, ...deps }: RedeliverFailedDeps): RedeliverFailed =>
  ({ filter, ...command }) =>
    actOnEndpoint(
      deps, command, { act: 'event.redeliver', details: { status: 'failed', ...detailsOf(filter) } },
      async (endpoint): Promise<E.Either<EndpointDisabled | InvalidEventFilter | PortFailure, number>> => {
        const { id, status } = endpoint
        const types = typesFor(endpoint, filter)
        if (E.isLeft(types)) return types
        if (status === 'disabled') return E.left({ _tag: 'EndpointDisabled', id })
        const at = now()
        let [count, after]: readonly [number, EventId | undefined] = [0, undefined]
        do {
          const limit = Math.min(FAILED_AT_ONCE, MAX_REDELIVERED - count)
          const pass: E.Either<PortFailure, FailedEvents> = await eventDeliveries.redeliverFailed(id, filter, { after, limit }, at)
          if (E.isLeft(pass)) return pass
          ;[count, after] = [count + pass.right.events.length, pass.right.next]
        } while (after !== undefined && count < MAX_REDELIVERED)
        return E.right(count)
      })

const typesFor = (endpoint: EventEndpoint, { types }: FailedFilter): E.Either<InvalidEventFilter, unknown> => {
  if (types === undefined) return E.right(types)
  return formatOf(endpoint) === 'platform' ? E.left(NO_TYPES) : parseEventFilter(types)
}

const detailsOf = ({ types, since, until, httpStatus }: FailedFilter) => ({
  ...(types && { types }), ...(since !== undefined && { since: iso(since) }), ...(until !== undefined && { until: iso(until) }),
  ...(httpStatus !== undefined && { http_status: httpStatus }),
})

/** Counts the failed events of an endpoint that match a filter. */
export type CountFailed = (command: FailedCommand) => Promise<E.Either<InvalidEventFilter | FindEndpointError, FailedCount>>

/** The number of failed events, and whether there may be more: the count stops after 20 passes of `FAILED_AT_ONCE` events. */
export type FailedCount = { readonly count: number; readonly isMore: boolean }

/** The dependencies of counting failed events. */
export type CountFailedDeps = FindEndpointDeps & { readonly eventDeliveries: Pick<EventDeliveries, 'failed'> }

export const makeCountFailed =
  ({ eventDeliveries, ...deps }: CountFailedDeps): CountFailed =>
  async ({ filter, ...command }) => {
    const endpoint = await makeFindEndpoint(deps)(command)
    if (E.isLeft(endpoint)) return endpoint
    const types = typesFor(endpoint.right, filter)
    if (E.isLeft(types)) return types
    let [count, after]: readonly [number, EventId | undefined] = [0, undefined]
    for (let passes = 0; passes < MAX_READS; passes += 1) {
      const query: FailedPass = { after, limit: FAILED_AT_ONCE }
      const pass: E.Either<PortFailure, FailedEvents> = await eventDeliveries.failed(endpoint.right.id, filter, query)
      if (E.isLeft(pass)) return pass
      ;[count, after] = [count + pass.right.events.length, pass.right.next]
      if (after === undefined) return E.right({ count, isMore: false })
    }
    return E.right({ count, isMore: true })
  }

/** The use cases of events and of the endpoints to which they are delivered. */
export type EventUseCases = {
  readonly addEndpoint: AddEndpoint
  readonly listEndpoints: ListEndpoints
  readonly findEndpoint: FindEndpoint
  readonly changeEndpoint: ChangeEndpoint
  readonly removeEndpoint: RemoveEndpoint
  readonly rotateSecret: RotateSecret
  readonly testEndpoint: TestEndpoint
  readonly listDeliveries: ListDeliveries
  readonly redeliverEvent: RedeliverEvent
  readonly redeliverSince: RedeliverSince
  readonly redeliverFailed: RedeliverFailed
  readonly countFailed: CountFailed
  readonly listEvents: ListEvents
  /** One event of a workspace. */
  readonly findEvent: EventOutbox['find']
  /** The deliveries that an endpoint still waits for. */
  readonly showPending: EventDeliveries['pending']
  /** The events that are not delivered yet, of all workspaces. */
  readonly showBacklog: EventOutbox['backlog']
}

/** What these use cases need together. */
export type EventUseCasesDeps =
  & AddEndpointDeps & ChangeEndpointDeps & RemoveEndpointDeps & RotateSecretDeps & TestEndpointDeps & ListDeliveriesDeps
  & RedeliverEventDeps & RedeliverSinceDeps & RedeliverFailedDeps & CountFailedDeps & ListEventsDeps
  & { readonly eventOutbox: Pick<EventOutbox, 'backlog' | 'find'>; readonly eventDeliveries: Pick<EventDeliveries, 'pending'> }

export const makeEventUseCases = (deps: EventUseCasesDeps): EventUseCases => ({
  addEndpoint: makeAddEndpoint(deps),
  listEndpoints: makeListEndpoints(deps),
  findEndpoint: makeFindEndpoint(deps),
  changeEndpoint: makeChangeEndpoint(deps),
  removeEndpoint: makeRemoveEndpoint(deps),
  rotateSecret: makeRotateSecret(deps),
  testEndpoint: makeTestEndpoint(deps),
  listDeliveries: makeListDeliveries(deps),
  redeliverEvent: makeRedeliverEvent(deps),
  redeliverSince: makeRedeliverSince(deps),
  redeliverFailed: makeRedeliverFailed(deps),
  countFailed: makeCountFailed(deps),
  listEvents: makeListEvents(deps),
  findEvent: deps.eventOutbox.find,
  showPending: deps.eventDeliveries.pending,
  showBacklog: deps.eventOutbox.backlog,
})
