import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { type ListMessagesDeps, type ListMessagesQuery, makeListMessages } from '../../../core/messages/message-log.js'
import { messageView, type MessageView } from '../../../core/messages/message.js'
import { NextCursor, nextCursor, pageParameters, pageQuery, State, WrittenCustomerId } from '../codecs.js'
import { array, described, named, record } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Message, MESSAGE_EXAMPLE } from './message-view.js'

type Messages = { readonly messages: ReadonlyArray<MessageView>; readonly next_cursor: string | null }

/** `GET /messages` */
export const listMessages = workspaceOperation({
  id: 'listMessages',
  method: 'get',
  path: '/messages',
  tag: 'Reading',
  scope: 'read',
  isList: true,
  summary: 'List messages',
  description: "The workspace's messages, newest first, in pages.",
  query: {
    to: described(WrittenCustomerId, 'Only messages to the customer of this number or user id, under whichever id they were sent.'),
    state: described(State, 'Only messages in this state.'),
    ...pageParameters('messages'),
  },
  reply: {
    description: 'A page of the list.',
    codec: named('Messages', record({ messages: described(array(Message), 'Newest first.'), next_cursor: NextCursor })),
    example: { messages: [MESSAGE_EXAMPLE], next_cursor: null },
  },
  failures: {},
  run: async (
    deps: ListMessagesDeps, { workspace, parameters }: WorkspaceRequest<Partial<ListMessagesQuery>>,
  ): Outcome<PortFailure, Messages> => {
    const { to, state } = parameters
    const page = await makeListMessages(deps)(workspace, { ...pageQuery(parameters), to, state })()
    if (E.isLeft(page)) return page
    return E.right({ value: { messages: page.right.items.map(messageView), next_cursor: nextCursor('messages', page.right) } })
  },
})
