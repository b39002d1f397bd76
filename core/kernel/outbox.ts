import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { AuditEntry } from './actor.js'
import type { PortFailure } from './failure.js'
import type { EventId, WorkspaceId } from './ids.js'
import type { JsonObject } from './json.js'
import { type Clock, type Instant, iso } from './time.js'
import { contextToKeep, type Traced, type TracingDeps } from './tracing.js'

/** The workspace does not have an event with this id, or no longer has it; `id` is the given text. */
export type EventNotFound = { readonly _tag: 'EventNotFound'; readonly id: string }

/** A text that names neither a type of event nor a group of types; `type` is the given text. */
export type UnknownEventType = { readonly _tag: 'UnknownEventType'; readonly type: string }

/** A text that does not have the form of an event's id; `id` is the given text. */
export type InvalidEventId = { readonly _tag: 'InvalidEventId'; readonly id: string }

/** An event as JSON: as an application pulls it, and as endpoints and brokers receive it. */
export type EventView = {
  readonly id: string
  readonly type: EventType
  readonly workspace: string
  readonly created_at: string
  readonly data: JsonObject
}

/** Shows an event. `data` contains the customer's text as long as the text is kept; afterwards its fields are null. */
export const eventView = ({ id, type, workspace, at, data, content }: Event): EventView => ({
  id, type, workspace, created_at: iso(at), data: content === undefined ? data : { ...data, ...content },
})

/** The types of events, each named after what happened. */
export const EVENT_TYPES = [
  'message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.played', 'message.failed', 'message.refused',
  'message.unconfirmed', 'message.released', 'message.queued', 'message.canceled', 'message.overdue', 'message.received', 'window.opened',
  'customer.changed', 'customer.opted_out', 'customer.opted_in',
  'wallet.topped_up', 'wallet.low', 'wallet.exhausted', 'template.changed', 'sender.failing', 'sender.recovered',
  'sender.quality', 'batch.confirmed', 'batch.paused', 'batch.canceled', 'batch.done', 'key.minted', 'key.revoked',
  'endpoint.disabled', 'endpoint.test',
] as const

/** The type of a stored raw notification of the platform. It is not one of our events: only endpoints of the format `platform` receive it. */
export const PLATFORM_NOTIFICATION = 'platform.notification'

/** The type of an event. */
export type EventType = (typeof EVENT_TYPES)[number] | typeof PLATFORM_NOTIFICATION

/** Something that happened to a workspace, for its application. */
export type Event = Traced & {
  readonly id: EventId
  readonly type: EventType
  readonly workspace: WorkspaceId
  /** When it was stored. */
  readonly at: Instant
  /** The subject of the event, such as a message's id. Events of one subject are delivered in order, even if other events are delivered in parallel. */
  readonly subject: string
  /** The data for the application, as JSON. */
  readonly data: JsonObject
  /** A customer's text: the `content` and the `context` of `data`, stored separately because they are deleted once they are delivered. */
  readonly content?: JsonObject
  /** Identifies an occurrence that may be reported twice: of a workspace's events with the same key only the first is stored. */
  readonly key?: string
}

/** An event that has no id and no timestamp yet. */
export type NewEvent = Omit<Event, 'id' | 'at'>

/**
 * Makes the entries that are stored with a write: core makes them from the write's outcome, and the adapter stores them in the same transaction.
 *
 * An adapter may call it again when it repeats a transaction; only the entries of the last call are stored.
 */
export type MakeOutboxEntries<Outcome> = (outcome: Outcome) => ReadonlyArray<OutboxEntry>

/** An entry stored in the same transaction as a write: an event for the workspace's application, or an audit log entry. */
export type OutboxEntry = Event | AuditEntry

/** Whether an entry belongs to the audit log. */
export const isAuditEntry = (entry: OutboxEntry): entry is AuditEntry => 'act' in entry

/** The events among the entries of a write. */
export const eventsIn = (entries: ReadonlyArray<OutboxEntry>): ReadonlyArray<Event> =>
  entries.filter((entry): entry is Event => !isAuditEntry(entry))

/** An event's position in the order of its workspace's events: a whole number above zero that grows with each event, sometimes by more than one. */
export type EventPosition = number

/** An event as it was stored. */
export type StoredEvent = Event & { readonly position: EventPosition }

/** The types that a listener wants: types, groups such as `message.*`, or `*` for all. */
export type EventFilter = ReadonlyArray<string>

/** Every type of event. */
export const ALL_EVENTS: EventFilter = ['*']

/** The groups of types, such as `message.*`. */
const GROUPS: ReadonlySet<string> = new Set(EVENT_TYPES.map((type) => groupOf(type)))

/** Whether a text names a type, a group of types, or all types. */
export const isEventPattern = (text: string): boolean => text === '*' || GROUPS.has(text) || EVENT_TYPES.some((type) => type === text)

/** Whether a listener wants a type. A test event is always wanted, because the listener's owner requested it; a notification of the platform only by its own name. */
export const wantsEvent = (filter: EventFilter, type: EventType): boolean =>
  type === PLATFORM_NOTIFICATION
    ? filter.includes(type)
    : type === 'endpoint.test' || filter.some((pattern) => pattern === '*' || pattern === type || pattern === groupOf(type))

function groupOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}

/**
 * The events of all workspaces, in the order in which they were committed.
 *
 * Most events are written by the other ports, together with the write that they describe (`MakeOutboxEntries`).
 */
export interface EventOutbox {
  /** Whether the events of every workspace are stored for a broker. Without it, events are stored only for endpoints and for applications that ask for them. */
  readonly hasBroker: boolean
  /**
   * Whether anything listens to a workspace: an enabled endpoint, a broker, or an application that requested events within `PULL_LISTENS_MS`.
   *
   * An endpoint that receives only notifications of the platform does not count. A use case makes events only if something listens. A change through this
   * adapter counts immediately, a change by another process within two seconds.
   */
  readonly listens: (workspace: WorkspaceId, at: Instant) => Promise<E.Either<PortFailure, boolean>>
  /** Whether an enabled endpoint of a workspace receives the platform's notifications (`PLATFORM_NOTIFICATION`). A change takes effect as soon as for `listens`. */
  readonly relays: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, boolean>>
  /** Stores events of one workspace that belong to no other write: all of them or none. An event whose `key` is already stored is left out. */
  readonly append: (workspace: WorkspaceId, events: ReadonlyArray<Event>) => Promise<E.Either<PortFailure, void>>
  /**
   * A workspace's events after a position, at most `limit`, in order; position 0 starts with the oldest event.
   *
   * Once an event was listed, no event ever appears before it: positions are in the order of the commits, even if several gateways write simultaneously.
   */
  readonly after: (
    workspace: WorkspaceId, position: EventPosition, limit: number,
  ) => Promise<E.Either<PortFailure, ReadonlyArray<StoredEvent>>>
  /** One event of a workspace; none if the workspace has no such event, or no longer has it. */
  readonly find: (workspace: WorkspaceId, id: EventId) => Promise<E.Either<PortFailure, Option<StoredEvent>>>
  /** Notes that the workspace's application requests events, so that they are kept for it. Exact to an hour. */
  readonly notePull: (workspace: WorkspaceId, at: Instant) => Promise<E.Either<PortFailure, void>>
  /**
   * Deletes the content of events that every endpoint and the broker have received, unless an application requests events. Also deletes whole events and attempts
   * that are older than `before`. Right: the number of deletions, at most some thousands per call.
   */
  readonly removeOld: (before: Instant, at: Instant) => Promise<E.Either<PortFailure, number>>
  /** How many events wait for an endpoint or the broker, and the workspaces with the oldest of them, oldest first. */
  readonly backlog: (limit: number) => Promise<E.Either<PortFailure, EventBacklog>>
}

/** How long events are kept for an application after it last requested events: a week. */
export const PULL_LISTENS_MS = 7 * 24 * 3_600_000

/** The events that wait to be delivered. */
export type EventBacklog = {
  /** The number of stored events, delivered or not. */
  readonly stored: number
  readonly oldest: ReadonlyArray<{ readonly workspace: WorkspaceId; readonly at: Instant }>
}

/** What a use case needs to make events. Without `events` it makes none; everything else stays the same. */
export type EventDeps = { readonly events?: OutboxWriter }

/** Knows whether anything listens, and the fields that every event gets. */
export type OutboxWriter = TracingDeps & {
  readonly outbox: Pick<EventOutbox, 'listens' | 'append'>
  /** A new event id. */
  readonly newEventId: () => EventId
  readonly now: Clock
}

/**
 * Makes the events of a write in a workspace; `undefined` if nothing listens to the workspace.
 *
 * If it is unknown whether anything listens, the events are made: a surplus event does no harm, a missing one is lost.
 */
export const entriesFor = async <Outcome>(
  events: OutboxWriter | undefined, workspace: WorkspaceId, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): Promise<MakeOutboxEntries<Outcome> | undefined> =>
  events !== undefined && (await hasListener(events, workspace)) ? entriesAlways(events, eventsOf) : undefined

/** Makes the events of a write whose workspace is known only from its outcome, so it is impossible to check first whether anything listens to it. */
export const entriesAlways = <Outcome>(
  { newEventId, now, tracer }: Pick<OutboxWriter, 'newEventId' | 'now' | 'tracer'>, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): ((outcome: Outcome) => ReadonlyArray<Event>) => {
  const at = now()
  const trace = contextToKeep(tracer)
  return (outcome) => eventsOf(outcome).map((event) => ({ id: newEventId(), at, ...(trace && { trace }), ...event }))
}

/** Whether events are made for a workspace: if something listens, or if that is unknown. */
export const hasListener = async ({ outbox, now }: OutboxWriter, workspace: WorkspaceId): Promise<boolean> => {
  const listens = await outbox.listens(workspace, now())
  return E.isLeft(listens) || listens.right
}
