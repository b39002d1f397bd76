import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  LOOKED_AT_NEAR, type DeliveryAttempt, type Entry, type EventId, type EventType, type Instant, type MessageId, type MessageTrail, type PortFailure, type TrailEvent,
  type TrailQuery, type WorkspaceId,
} from '../../../core/ports/message-trail.js'

const nameOf = (workspace: WorkspaceId, message: MessageId): string => `${workspace} ${message}`

const trailOf = (id: EventId, type: EventType, at: Instant, attempts: ReadonlyArray<DeliveryAttempt>): TrailEvent => ({ id, type, at, attempts })

export const messageTrail = (entries: ReadonlyMap<string, ReadonlyArray<Entry>>, event: EventId): MessageTrail => ({
  entries: ({ workspace, message }: TrailQuery): TE.TaskEither<PortFailure, ReadonlyArray<Entry>> =>
    TE.right((entries.get(nameOf(workspace, message)) ?? []).slice(0, LOOKED_AT_NEAR)),
  events: ({ near }: TrailQuery): TE.TaskEither<PortFailure, ReadonlyArray<TrailEvent>> => TE.right(near.map((at) => trailOf(event, 'message.sent', at, []))),
})
