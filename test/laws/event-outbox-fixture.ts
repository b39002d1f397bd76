import type { NewEndpoint } from '../../core/events/endpoint.js'
import type { EventId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Event, EventOutbox, EventPosition, StoredEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { type EventEndpointsFixture, newEvent, NOON, progressOf } from './event-fixture.js'
import { done, holds, same } from './expect.js'

/** The events, and over the same storage the endpoints to which they are delivered. */
export type EventOutboxFixture = EventEndpointsFixture & {
  readonly eventOutbox: EventOutbox
  /** The same storage as another node sees it, if there are several nodes. */
  readonly elsewhere?: { readonly eventOutbox: EventOutbox }
}

/** The content of a customer's message, as an event stores it. */
export const CONTENT = { content: { body: 'Grüße 🙂' }, context: null } as const

/** An event that has content. */
export const withContent = (workspace: WorkspaceId, more: Partial<Event> = {}): Event =>
  newEvent(workspace, { type: 'message.received', data: { id: 'wamid.1', content: null, context: null }, content: CONTENT, ...more })

/** Stores events. */
export const append = (
  { eventOutbox }: Pick<EventOutboxFixture, 'eventOutbox'>, workspace: WorkspaceId, events: ReadonlyArray<Event>,
): Promise<void> =>
  done('events are stored', eventOutbox.append(workspace, events))

/** A workspace's events after a position. */
export const after = (
  { eventOutbox }: EventOutboxFixture, workspace: WorkspaceId, position: EventPosition = 0, limit = 1_000,
): Promise<ReadonlyArray<StoredEvent>> => done('the events of a workspace are read', eventOutbox.after(workspace, position, limit))

/** Whether an endpoint of a workspace gets the platform's notifications. */
export const relays = ({ eventOutbox }: EventOutboxFixture, workspace: WorkspaceId): Promise<boolean> =>
  done('whether notifications are passed on is read', eventOutbox.relays(workspace))

/** Whether anything listens to a workspace. */
export const listens = ({ eventOutbox }: EventOutboxFixture, workspace: WorkspaceId, at: Instant = NOON): Promise<boolean> =>
  done('whether anything listens is read', eventOutbox.listens(workspace, at))

/** An event without the data that only its storage knows: its position, and its key, which an adapter need not return. */
export const eventIn = ({ position: _position, key: _key, ...event }: StoredEvent): Event => event

/** Moves an endpoint from a position to another; `retry` is an event to retry, `tried` an event without a retry. */
export const moveEndpoint = async (
  { eventDeliveries }: EventOutboxFixture, endpoint: Pick<NewEndpoint, 'id'>, from: EventPosition, to: EventPosition,
  { retry, tried }: { readonly retry?: EventId; readonly tried?: EventId } = {},
): Promise<void> => {
  const progress = progressOf(endpoint, from, {
    to, done: tried === undefined ? [] : [tried],
    retry: retry === undefined ? [] : [{ event: retry, attempts: 1, firstAttemptAt: NOON, at: NOON + 1_000 }],
  })
  same('the endpoint is moved', await done('progress is noted', eventDeliveries.record(progress)), true)
}

/** Deletes old data until nothing more is deleted. Returns the total. */
export const removeAll = async ({ eventOutbox }: EventOutboxFixture, before: Instant, at: Instant = NOON): Promise<number> => {
  for (let removed = 0, calls = 0; ; calls += 1) {
    const some = await done('what is old is deleted', eventOutbox.removeOld(before, at))
    removed += some
    if (some === 0) return removed
    holds('deleting comes to an end', calls < 1_000, removed)
  }
}
