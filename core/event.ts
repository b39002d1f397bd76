import type { AuditEntry } from './audit-entry.js'
import type { JsonObject } from './json.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** An event's id, unique across workspaces: `evt_` and 32 lowercase hexadecimal digits of a UUIDv7. A receiver recognises a repetition by it. */
export type EventId = string & { readonly EventId: unique symbol }

/** The types of events, each named after what happened. */
export const EVENT_TYPES = [
  'message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.refused', 'message.unconfirmed', 'message.released',
  'message.received', 'window.opened', 'customer.changed', 'wallet.topped_up', 'wallet.low', 'wallet.exhausted', 'template.changed',
  'sender.failing', 'sender.recovered', 'key.minted', 'key.revoked', 'endpoint.disabled', 'endpoint.test',
] as const

/** What happened. */
export type EventType = (typeof EVENT_TYPES)[number]

/** Something that happened to a workspace, for its application. */
export type Event = {
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
export type Along<Outcome> = (outcome: Outcome) => ReadonlyArray<AlongEntry>

/** What a write takes along: an event for the workspace's application, or an entry of the audit log. */
export type AlongEntry = Event | AuditEntry

/** Whether an entry is one of the audit log. */
export const isAuditEntry = (entry: AlongEntry): entry is AuditEntry => 'act' in entry

/** The events among what a write takes along. */
export const eventsIn = (entries: ReadonlyArray<AlongEntry>): ReadonlyArray<Event> => entries.filter((entry): entry is Event => !isAuditEntry(entry))

/** An event's place in the order of its workspace's events: a whole number above zero that grows with each, perhaps by more than one. */
export type EventPosition = number

/** An event as it was stored. */
export type StoredEvent = Event & { readonly position: EventPosition }

/** The form of an event's id. */
export const EVENT_ID_FORM = /^evt_[0-9a-f]{32}$/

/** Whether a text has the form of an event's id. */
export const isEventId = (text: string): text is EventId => EVENT_ID_FORM.test(text)

/** The event id made of a UUIDv7; its dashes are dropped. */
export const eventIdOf = (uuid: string): EventId => `evt_${uuid.replaceAll('-', '')}` as EventId
