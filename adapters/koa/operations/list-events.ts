import * as E from 'fp-ts/lib/Either.js'
import type { ListEventsError } from '../../../core/events/use-cases.js'
import type { EventId } from '../../../core/kernel/ids.js'
import { type EventFilter, eventView, type EventView } from '../../../core/kernel/outbox.js'
import { pageParameters, pageQuery, Time } from '../codecs.js'
import { EventFilterQuery, EventIdText, EventTypeWord } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import { anyObject, array, type Codec, described, named, nullable, record, string } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { MESSAGE_EXAMPLE } from './message-view.js'

const Event: Codec<EventView> = named('Event', described(record({
  id: EventIdText,
  type: EventTypeWord,
  workspace: string(),
  created_at: described(Time, 'When it was written down.'),
  data: described(anyObject, 'What it is about. Of a `message.*` event the message, as `GET /messages/{id}` shows it.'),
}), 'Something that happened to the workspace.'))

type EventsView = { readonly events: ReadonlyArray<EventView>; readonly next: string | null }

const Events: Codec<EventsView> = named('Events', record({
  events: described(array(Event), 'Oldest first.'),
  next: nullable(EventIdText, 'The event to ask after the next time; null where there is no event yet. With `types` it may be one that is not listed.'),
}))

const EXAMPLE: EventView = {
  id: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.delivered', workspace: 'ws_0199c3a87c2e7b1f9d5a4e6b8c0d2f40', created_at: '2026-03-01T12:00:03.000Z',
  data: { ...MESSAGE_EXAMPLE, history: [...MESSAGE_EXAMPLE.history] },
}

/** `GET /events` */
export const listEvents = workspaceOperation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  part: 'events',
  scope: 'events',
  isList: true,
  tag: 'Events',
  summary: 'List events',
  description:
    'The events of the workspace, oldest first, for applications that cannot be called. Ask with `after=` and the `next` of the answer before: nothing is left out, and nothing ' +
    'comes twice. Events are made for a workspace that has an endpoint, or that asked for events within a week; so the first request may find none.',
  query: {
    after: described(EventIdText, 'Only events after this one: the `next` of the answer before. Without it from the oldest that is stored.'),
    types: EventFilterQuery,
    limit: pageParameters('events').limit,
  },
  reply: { description: 'The events.', codec: Events, example: { events: [EXAMPLE], next: EXAMPLE.id } },
  failures: { InvalidEventId: true, InvalidEventTypes: true, UnknownEventType: true },
  run: async (
    deps: EventOperationsDeps, { workspace, parameters: { after, types, limit } }: WorkspaceRequest<{ readonly after?: EventId; readonly types?: EventFilter; readonly limit?: number }>,
  ): Outcome<ListEventsError, EventsView> => {
    const found = await requireEventUseCases(deps).listEvents(workspace, { after, types, ...pageQuery({ ...(limit !== undefined && { limit }) }) })()
    return E.isLeft(found) ? found : E.right({ value: { events: found.right.events.map(eventView), next: found.right.next ?? null } })
  },
})
