import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { MessageLog, MessageRef } from '../../../core/messages/message-log.js'
import { messageView, type MessageView } from '../../../core/messages/message.js'
import { MessageName } from '../codecs.js'
import { notFound, type NotFound } from '../failures.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Message, MESSAGE_EXAMPLE } from './message-view.js'

/** `GET /messages/{id}` */
export const getMessage = workspaceOperation({
  id: 'getMessage',
  method: 'get',
  path: '/messages/{id}',
  tag: 'Reading',
  scope: 'read',
  summary: 'Look up a message',
  description: 'One message, by either of its ids. A message of another workspace is not found.',
  pathParameters: { id: MessageName },
  reply: { description: 'The message.', codec: Message, example: MESSAGE_EXAMPLE },
  failures: { NotFound: true },
  run: async (
    { messageLog }: { readonly messageLog: Pick<MessageLog, 'find'> }, { workspace, parameters: { id } }: WorkspaceRequest<{ readonly id: MessageRef }>,
  ): Outcome<NotFound | PortFailure, MessageView> => {
    const message = await messageLog.find(workspace, id)()
    if (E.isLeft(message)) return message
    return O.isNone(message.right) ? E.left(notFound) : E.right({ value: messageView(message.right.value) })
  },
})
