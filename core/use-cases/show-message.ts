import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { NoSuchMessage, PortFailure } from '../errors.js'
import type { EventEndpoint } from '../event-endpoint.js'
import { isMessageId } from '../message.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { Entry } from '../ports/ledger.js'
import type { MessageLog, MessageRecord } from '../ports/message-log.js'
import type { MessageTrail, TrailEvent } from '../ports/message-trail.js'
import type { WorkspaceId } from '../workspace.js'

/** Shows one message of a workspace with the moves of its money, its events and their deliveries. */
export type ShowMessage = (workspace: WorkspaceId, id: string) => TE.TaskEither<NoSuchMessage | PortFailure, ShownMessage>

/** A message, and what is stored of it besides; `endpoints` are those of the workspace now. */
export type ShownMessage = {
  readonly message: MessageRecord
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<TrailEvent>
  readonly endpoints: ReadonlyArray<EventEndpoint>
}

/** What showing a message needs. */
export type ShowMessageDeps = {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly messageTrail: MessageTrail
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
}

/** Makes the use case of what it needs. */
export const makeShowMessage =
  ({ messageLog, messageTrail, eventEndpoints }: ShowMessageDeps): ShowMessage =>
  (workspace, id) =>
  async () => {
    const found = isMessageId(id) ? await messageLog.find(workspace, { id })() : E.right(O.none)
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id })
    const message = found.right.value
    const trail = { workspace, message: message.id, near: message.history.map(({ at }) => at) }
    const [entries, events, endpoints] = await Promise.all([messageTrail.entries(trail)(), messageTrail.events(trail)(), eventEndpoints.list(workspace)()])
    if (E.isLeft(entries)) return entries
    if (E.isLeft(events)) return events
    return E.isLeft(endpoints) ? endpoints : E.right({ message, entries: entries.right, events: events.right, endpoints: endpoints.right })
  }
