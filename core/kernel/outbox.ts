import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { AuditEntry } from './actor.js'
import type { PortFailure } from './failure.js'
import type { EventId, WorkspaceId } from './ids.js'
import type { JsonObject } from './json.js'
import { type Clock, type Instant, iso } from './time.js'
import { contextToKeep, type Traced, type TracingDeps } from './tracing.js'

/** The workspace has no event with this id, or no longer; `id` is what was given. */
export type EventNotFound = { readonly _tag: 'EventNotFound'; readonly id: string }

/** A text that names no type of event and no group of types; `type` is what was given. */
export type UnknownEventType = { readonly _tag: 'UnknownEventType'; readonly type: string }

/** A text that has not the form of an event's id; `id` is what was given. */
export type InvalidEventId = { readonly _tag: 'InvalidEventId'; readonly id: string }

/** An event as JSON: as an application pulls it, and as endpoints and brokers get it. */
export type EventView = {
  readonly id: string
  readonly type: EventType
  readonly workspace: string
  readonly created_at: string
  readonly data: JsonObject
}

/** Shows an event. What a customer wrote is a part of `data`, as long as it is kept; its fields are null from then on. */
export const eventView = ({ id, type, workspace, at, data, content }: Event): EventView => ({
  id, type, workspace, created_at: iso(at), data: content === undefined ? data : { ...data, ...content },
})

/** The types of events, each named after what happened. */
export const EVENT_TYPES = [
  'message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.played', 'message.failed', 'message.refused', 'message.unconfirmed', 'message.released',
  'message.received', 'window.opened', 'customer.changed', 'wallet.topped_up', 'wallet.low', 'wallet.exhausted', 'template.changed',
  'sender.failing', 'sender.recovered', 'key.minted', 'key.revoked', 'endpoint.disabled', 'endpoint.test',
] as const

/** The type under which a notification of the platform is stored as it came. It is no event of ours: only endpoints of the format `platform` get it, and nothing else does. */
export const PLATFORM_NOTIFICATION = 'platform.notification'

/** What happened. */
export type EventType = (typeof EVENT_TYPES)[number] | typeof PLATFORM_NOTIFICATION

/** Something that happened to a workspace, for its application. */
export type Event = Traced & {
  readonly id: EventId
  readonly type: EventType
  readonly workspace: WorkspaceId
  /** When it was written down. */
  readonly at: Instant
  /** What it is about, such as a message's id. Events of one subject are delivered in their order even where others are delivered side by side. */
  readonly subject: string
  /** What the application gets to know, as JSON. */
  readonly data: JsonObject
  /** What a customer wrote: the `content` and the `context` of `data`, kept apart because they are deleted once they are delivered. */
  readonly content?: JsonObject
  /** A text that names what happened, where the same may be reported twice: of events of a workspace with one key only the first is stored. */
  readonly key?: string
}

/** An event that has no id and no moment yet. */
export type NewEvent = Omit<Event, 'id' | 'at'>

/**
 * What becomes durable together with a write: made by core from the write's outcome, stored by the adapter in the same transaction.
 *
 * An adapter may call it again when it runs a transaction again; only what the last call returned is stored.
 */
export type EntriesOf<Outcome> = (outcome: Outcome) => ReadonlyArray<OutboxEntry>

/** What a write takes along: an event for the workspace's application, or an entry of the audit log. */
export type OutboxEntry = Event | AuditEntry

/** Whether an entry is one of the audit log. */
export const isAuditEntry = (entry: OutboxEntry): entry is AuditEntry => 'act' in entry

/** The events among what a write takes along. */
export const eventsIn = (entries: ReadonlyArray<OutboxEntry>): ReadonlyArray<Event> => entries.filter((entry): entry is Event => !isAuditEntry(entry))

/** An event's place in the order of its workspace's events: a whole number above zero that grows with each, perhaps by more than one. */
export type EventPosition = number

/** An event as it was stored. */
export type StoredEvent = Event & { readonly position: EventPosition }

/** Which types a listener wants: types, groups such as `message.*`, or `*` for all. */
export type EventFilter = ReadonlyArray<string>

/** Every type of event. */
export const ALL_EVENTS: EventFilter = ['*']

/** The groups of types, such as `message.*`. */
const GROUPS: ReadonlySet<string> = new Set(EVENT_TYPES.map((type) => groupOf(type)))

/** Whether a text names a type, a group of types, or all types. */
export const isEventPattern = (text: string): boolean => text === '*' || GROUPS.has(text) || EVENT_TYPES.some((type) => type === text)

/** Whether a listener wants a type. A test is always wanted, because it was asked for; a notification of the platform only by its own name. */
export const wantsEvent = (filter: EventFilter, type: EventType): boolean =>
  type === PLATFORM_NOTIFICATION ? filter.includes(type) : type === 'endpoint.test' || filter.some((pattern) => pattern === '*' || pattern === type || pattern === groupOf(type))

function groupOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}

/**
 * The events of all workspaces, in the order in which they became durable.
 *
 * Most events are written by the other ports, together with the write that they describe (`EntriesOf`).
 */
export interface EventOutbox {
  /** Whether the events of every workspace are stored for a broker. Without it, events are stored only for endpoints and for applications that ask for them. */
  readonly hasBroker: boolean
  /**
   * Whether anything listens to a workspace: an enabled endpoint, a broker, or an application that asked for events within `PULL_LISTENS_MS`.
   *
   * An endpoint that gets notifications of the platform alone does not count. A use case makes events only where something listens. A change through this adapter counts at once, one by another process within two seconds.
   */
  readonly listens: (workspace: WorkspaceId, at: Instant) => Promise<E.Either<PortFailure, boolean>>
  /** Whether an enabled endpoint of a workspace gets the platform's notifications (`PLATFORM_NOTIFICATION`). A change counts as soon as for `listens`. */
  readonly relays: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, boolean>>
  /** Stores events of one workspace that belong to no other write: all of them or none. One with a `key` that is stored already is left out. */
  readonly append: (workspace: WorkspaceId, events: ReadonlyArray<Event>) => Promise<E.Either<PortFailure, void>>
  /**
   * A workspace's events after a position, at most `limit`, in order; from the oldest with 0.
   *
   * Once an event was listed, none ever appears before it: positions are in the order of the commits, also where several gateways write at once.
   */
  readonly after: (workspace: WorkspaceId, position: EventPosition, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<StoredEvent>>>
  /** One event of a workspace; none if the workspace has no such event, or no longer. */
  readonly find: (workspace: WorkspaceId, id: EventId) => Promise<E.Either<PortFailure, Option<StoredEvent>>>
  /** Notes that the workspace's application asks for events, so that they are kept for it. Exact to an hour. */
  readonly notePull: (workspace: WorkspaceId, at: Instant) => Promise<E.Either<PortFailure, void>>
  /**
   * Deletes the content of events that every endpoint and the broker have got, unless an application asks for events, and whole events and attempts
   * that are older than `before`. Right: how many of them it deleted; it deletes at most some thousands at a time.
   */
  readonly removeOld: (before: Instant, at: Instant) => Promise<E.Either<PortFailure, number>>
  /** How many events wait for an endpoint or the broker, and the workspaces with the oldest of them, oldest first. */
  readonly backlog: (limit: number) => Promise<E.Either<PortFailure, EventBacklog>>
}

/** How long after an application asked for events they are kept for it: a week. */
export const PULL_LISTENS_MS = 7 * 24 * 3_600_000

/** What waits to be delivered. */
export type EventBacklog = {
  /** How many events are stored, delivered or not. */
  readonly stored: number
  readonly oldest: ReadonlyArray<{ readonly workspace: WorkspaceId; readonly at: Instant }>
}

/** What a use case needs to make events. Without `events` it makes none and does what it does otherwise. */
export type EventDeps = { readonly events?: OutboxWriter }

/** Who knows whether anything listens, and what every event gets. */
export type OutboxWriter = TracingDeps & {
  readonly outbox: Pick<EventOutbox, 'listens' | 'append'>
  /** A new event id. */
  readonly newEventId: () => EventId
  readonly now: Clock
}

/**
 * What makes the events of a write in a workspace; `undefined` where nothing listens to the workspace.
 *
 * If it is unknown whether anything listens, the events are made: one too many does no harm, and one too few is lost.
 */
export const entriesFor = async <Outcome>(
  events: OutboxWriter | undefined, workspace: WorkspaceId, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): Promise<EntriesOf<Outcome> | undefined> => (events !== undefined && (await hasListener(events, workspace)) ? entriesAlways(events, eventsOf) : undefined)

/** What makes the events of a write whose workspace is known only from its outcome, so whether anything listens to it cannot be asked before. */
export const entriesAlways = <Outcome>(
  { newEventId, now, tracer }: Pick<OutboxWriter, 'newEventId' | 'now' | 'tracer'>, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): ((outcome: Outcome) => ReadonlyArray<Event>) => {
  const at = now()
  const trace = contextToKeep(tracer)
  return (outcome) => eventsOf(outcome).map((event) => ({ id: newEventId(), at, ...(trace && { trace }), ...event }))
}

/** Whether events are made for a workspace: where something listens, and where that could not be found out. */
export const hasListener = async ({ outbox, now }: OutboxWriter, workspace: WorkspaceId): Promise<boolean> => {
  const listens = await outbox.listens(workspace, now())
  return E.isLeft(listens) || listens.right
}
