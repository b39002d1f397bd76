import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { MessageRef } from '../../../core/messages/message-log.js'
import { type MessageView, messageView, type NoSuchMessage } from '../../../core/messages/message.js'
import type { CancelError } from '../../../core/sending/queue.js'
import type { WorkspaceQueueView } from '../../../core/sending/show-queue.js'
import { MessageName, Time } from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { array, type Codec, count, described, named, nullable, record, string } from '../schema.js'
import { Message, MESSAGE_EXAMPLE } from './get-message.js'

/** `DELETE /messages/{id}` */
export const cancelMessage = workspaceOperation({
  id: 'cancelMessage',
  method: 'delete',
  path: '/messages/{id}',
  part: 'queue',
  tag: 'Sending',
  act: 'message.cancel',
  summary: 'Cancel a queued message',
  description:
    'Cancels a message that waits in the queue, by either of its ids, and releases its price. Canceling it again changes nothing. A message that has left the queue is not canceled. A message of another '
      + 'workspace is not found.',
  pathParameters: { id: MessageName },
  reply: {
    description: 'The message, which will not be sent.', codec: Message,
    example: {
      ...MESSAGE_EXAMPLE, platform_id: null, state: 'canceled',
      history: [{ state: 'queued', at: '2026-03-01T12:00:00.000Z' }, { state: 'canceled', at: '2026-03-01T12:00:09.000Z' }],
    },
  },
  failures: { NotFound: true, AlreadySent: true },
  run: async (
    { postern: { sending } }: UseCases, { workspace, by, parameters: { id: message } }: WorkspaceRequest<{ readonly id: MessageRef }>,
  ): Outcome<Exclude<CancelError, NoSuchMessage> | NotFound, MessageView> => {
    const canceled = await served(sending.cancel)({ by, workspace, message })
    if (E.isRight(canceled)) return E.right({ value: messageView(canceled.right) })
    const { left } = canceled
    return left._tag === 'NoSuchMessage' ? E.left(missingThing(`This workspace has no message ${left.id}`)) : E.left(left)
  },
})

const Queue: Codec<WorkspaceQueueView> = named('Queue', described(record({
  waiting: described(count, 'The messages that wait for a limit, for the hours of their customer or for their turn. Their price is held, or they are due.'),
  scheduled: described(count, 'The messages that wait for their time.'),
  oldest_at: nullable(Time, 'Since when the first of the messages that are due is due; null if none is due.'),
  held: nullable(record({
    since: Time, why: described(string(), '`operator`, or a reason for which the gateway holds the queue itself, such as `asleep`.'),
  }), 'Since when the queue is held, and why; null if it is not held.'),
  senders: array(record({
    phone_number_id: described(string(), 'The phone number id of the sender.'),
    waiting: described(count, 'Its waiting messages.'),
    rate: nullable(count, 'How many messages a second it may send now; null if it has no limit.'),
    empty_at: nullable(Time, 'When they will have been sent at that rate, at the earliest; null if it has no limit.'),
  })),
}), "What waits in the workspace's queue."))

/** `GET /queue` */
export const getQueue = workspaceOperation({
  id: 'getQueue',
  method: 'get',
  path: '/queue',
  part: 'queue',
  tag: 'Reading',
  act: 'queue.view',
  summary: 'Look up the queue',
  description: 'How many messages of the workspace wait to be sent, and since when, by sender.',
  reply: {
    description: 'The queue.', codec: Queue,
    example: {
      waiting: 160, scheduled: 12, oldest_at: '2026-03-01T12:00:00.000Z', held: null,
      senders: [{ phone_number_id: '106540352242922', waiting: 160, rate: 80, empty_at: '2026-03-01T12:00:04.000Z' }],
    },
  },
  failures: {},
  run: async ({ postern: { sending } }: UseCases, { workspace }: WorkspaceRequest): Outcome<PortFailure, WorkspaceQueueView> =>
    E.map((value: WorkspaceQueueView) => ({ value }))(await served(sending.showQueue)(workspace)),
})
