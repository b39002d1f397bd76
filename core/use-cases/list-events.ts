import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type InvalidEventFilter, parseEventFilter } from '../endpoint-settings.js'
import type { InvalidEventId, PortFailure } from '../errors.js'
import { ALL_EVENTS, type EventFilter, wantsEvent } from '../event-filter.js'
import { type EventId, type EventPosition, isEventId, type StoredEvent } from '../event.js'
import type { EventOutbox } from '../ports/event-outbox.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/**
 * Lists events of a workspace, oldest first, for an application that cannot be called. From then on events are kept for it, for a week.
 *
 * A reader that asks after `next` each time gets each event once. After an event that was deleted, it continues with the oldest that is kept.
 */
export type ListEvents = (workspace: WorkspaceId, query: ListEventsQuery) => TE.TaskEither<ListEventsError, ListedEvents>

/** Which events to list: at most `limit`, after the event with an id, of some types; all types where none are given. */
export type ListEventsQuery = { readonly after?: string | undefined; readonly types?: EventFilter | undefined; readonly limit: number }

/** `next` is what to ask after: the last event that was looked at, whether or not it is listed; `after` where there was none. */
export type ListedEvents = { readonly events: ReadonlyArray<StoredEvent>; readonly next: EventId | undefined }

/** How listing events can fail. */
export type ListEventsError = InvalidEventId | InvalidEventFilter | PortFailure

/** What listing events needs. */
export type ListEventsDeps = { readonly eventOutbox: Pick<EventOutbox, 'after' | 'find' | 'notePull'>; readonly now: Clock }

/** How many events are read at a time, and how often: a filter that few events pass must not read all that are stored. */
const READ_AT_ONCE = 200
const MOST_READS = 20

/** Makes the use case of what it needs. */
export const makeListEvents =
  (deps: ListEventsDeps): ListEvents =>
  (workspace, { after, types = ALL_EVENTS, limit }) =>
  async () => {
    const filter = parseEventFilter(types)
    if (E.isLeft(filter)) return filter
    if (after !== undefined && !isEventId(after)) return E.left({ _tag: 'InvalidEventId', id: after })
    const noted = await deps.eventOutbox.notePull(workspace, deps.now())()
    if (E.isLeft(noted)) return noted
    const found = after === undefined ? E.right(O.none) : await deps.eventOutbox.find(workspace, after)()
    if (E.isLeft(found)) return found
    const begin: Reading = { events: [], next: after, position: O.isSome(found.right) ? found.right.value.position : 0 }
    return readOn(deps, workspace, { filter: filter.right, limit }, begin)
  }

/** What was read so far, and the place of the last event that was looked at. */
type Reading = ListedEvents & { readonly position: EventPosition }
type Wanted = { readonly filter: EventFilter; readonly limit: number }

const readOn = async (
  { eventOutbox }: ListEventsDeps, workspace: WorkspaceId, wanted: Wanted, begin: Reading,
): Promise<E.Either<PortFailure, ListedEvents>> => {
  let reading = begin
  for (let reads = 0; reads < MOST_READS && reading.events.length < wanted.limit; reads += 1) {
    const count = wanted.filter.includes('*') ? Math.min(wanted.limit - reading.events.length, READ_AT_ONCE) : READ_AT_ONCE
    const read = await eventOutbox.after(workspace, reading.position, count)()
    if (E.isLeft(read)) return read
    reading = read.right.reduce((before, event) => lookAt(before, event, wanted), reading)
    if (read.right.length < count) break
  }
  return E.right({ events: reading.events, next: reading.next })
}

/** Looks at one more event, unless enough are listed already. */
const lookAt = (reading: Reading, event: StoredEvent, { filter, limit }: Wanted): Reading => {
  if (reading.events.length >= limit) return reading
  const events = wantsEvent(filter, event.type) ? [...reading.events, event] : reading.events
  return { events, next: event.id, position: event.position }
}
