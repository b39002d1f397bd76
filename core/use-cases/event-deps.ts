import * as E from 'fp-ts/lib/Either.js'
import type { Along, Event, EventId, NewEvent } from '../event.js'
import type { EventOutbox } from '../ports/event-outbox.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** What a use case needs to make events. Without `events` it makes none and does what it does otherwise. */
export type EventDeps = { readonly events?: Emission }

/** Who knows whether anything listens, and what every event gets. */
export type Emission = {
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
export const alongFor = async <Outcome>(
  events: Emission | undefined, workspace: WorkspaceId, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): Promise<Along<Outcome> | undefined> => (events !== undefined && (await isHeard(events, workspace)) ? alongAnyway(events, eventsOf) : undefined)

/** What makes the events of a write whose workspace is known only from its outcome, so whether anything listens to it cannot be asked before. */
export const alongAnyway = <Outcome>(
  { newEventId, now }: Pick<Emission, 'newEventId' | 'now'>, eventsOf: (outcome: Outcome) => ReadonlyArray<NewEvent>,
): ((outcome: Outcome) => ReadonlyArray<Event>) => {
  const at = now()
  return (outcome) => eventsOf(outcome).map((event) => ({ id: newEventId(), at, ...event }))
}

/** Whether events are made for a workspace: where something listens, and where that could not be found out. */
export const isHeard = async ({ outbox, now }: Emission, workspace: WorkspaceId): Promise<boolean> => {
  const listens = await outbox.listens(workspace, now())()
  return E.isLeft(listens) || listens.right
}
