import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { KeptContent } from '../../../core/messages/kept-content.js'
import type { ListMessagesQuery, MessageRef, SenderFilter } from '../../../core/messages/message-log.js'
import { type MessageKind, type MessageView, messageView } from '../../../core/messages/message.js'
import type { Api } from '../../../core/api.js'
import type { SenderChoice, SenderId, UnknownSender } from '../../../core/senders/sender.js'
import {
  Amount, Currency, CustomerId, MessageId, MessageName, Metadata, MetadataQuery, NamedSender, NextCursor, nextCursor, pageParameters,
  pageQuery, State, Time, WrittenCustomerId,
} from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { anyObject, array, type Codec, described, named, nullable, record, string, word } from '../schema.js'
import type { ThroughSender } from './send.js'

const Kind: Codec<MessageKind> = named('MessageType', word<MessageKind>({
  text: 'a text', image: 'an image', video: 'a video', audio: 'a sound or a voice note', document: 'a file', sticker: 'a sticker',
  location: 'a place', contacts: 'contact cards', reaction: 'a reaction to a message', interactive: 'buttons, a list and the like',
  template: 'a template',
}))

const MESSAGE_FIELDS = {
  id: MessageId,
  platform_id: nullable(string(), "The platform's id, on WhatsApp `wamid.…`; null until the platform has accepted the message."),
  kind: Kind,
  type: Kind,
  summary: nullable(string(), 'One line that names the kind of content without its text, such as `list, 3 rows`; null for a message of an earlier version.'),
  sender: nullable(string(), 'The phone number id of the sender through which it goes; null for a message of an earlier version.'),
  to: described(CustomerId, 'The customer, as the request named it.'),
  state: State,
  price: Amount,
  currency: Currency,
  template_name: nullable(string(), 'The name of the template; null for any other kind.'),
  language: nullable(string(), 'The language of the template; null for any other kind.'),
  metadata: nullable(Metadata, 'The metadata that the application set; null if it set none, and once the customer is forgotten.'),
  error: nullable(anyObject, 'Why it was refused or failed, as the platform reported it; otherwise null.'),
  created_at: Time,
  history: described(array(record({ state: State, at: Time })), 'The states it has been in, oldest first; each appears once.'),
}

/** A message in a reply. */
export const Message: Codec<MessageView> = named('Message', described(record(MESSAGE_FIELDS), 'An outbound message and its status.'))

/** A message as shown in examples. */
export const MESSAGE_EXAMPLE: MessageView = {
  id: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', platform_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2', kind: 'template', type: 'template',
  summary: 'template', sender: '106540352242922',
  to: '33639980001',
  state: 'delivered', price: '0.030000', currency: 'USD', template_name: 'order_update', language: 'en_US', metadata: { order: 'A-17' },
  error: null,
  created_at: '2026-03-01T12:00:00.000Z',
  history: [
    { state: 'pending', at: '2026-03-01T12:00:00.000Z' },
    { state: 'accepted', at: '2026-03-01T12:00:00.412Z' },
    { state: 'sent', at: '2026-03-01T12:00:01.000Z' },
    { state: 'delivered', at: '2026-03-01T12:00:03.000Z' },
  ],
}

/** A message, and its content. */
type WholeMessage = MessageView & { readonly content: KeptContent | null }

const WholeMessage: Codec<WholeMessage> = named('WholeMessage', described(record({
  ...MESSAGE_FIELDS,
  content: nullable(anyObject, "Its content, as the platform's own object under the name of its `type`, with the `context` that it quoted; null if the operator does not store content, or no longer stores this content."),
}), 'An outbound message, its status, and its content if it is stored.'))

/** `GET /messages/{id}` */
export const getMessage = workspaceOperation({
  id: 'getMessage',
  method: 'get',
  path: '/messages/{id}',
  tag: 'Reading',
  act: 'message.view',
  summary: 'Look up a message',
  description: 'One message, by either of its ids. A message of another workspace is not found. Its content is shown if the operator stores it.',
  pathParameters: { id: MessageName },
  reply: { description: 'The message.', codec: WholeMessage, example: { ...MESSAGE_EXAMPLE, content: null } },
  failures: { NotFound: true },
  run: async (
    { postern: { messages } }: UseCases, { workspace, parameters: { id } }: WorkspaceRequest<{ readonly id: MessageRef }>,
  ): Outcome<NotFound | PortFailure, WholeMessage> => {
    const message = await messages.readMessage(workspace, id)
    if (E.isLeft(message)) return message
    if (O.isNone(message.right)) return E.left(missingThing(`This workspace has no message ${'id' in id ? id.id : id.platformId}`))
    const { value } = message.right
    const contents = await (messages.readContents?.(workspace, [value.id]) ?? E.right(new Map<string, KeptContent>()))
    return E.isLeft(contents) ? contents : E.right({ value: { ...messageView(value), content: contents.right.get(value.id) ?? null } })
  },
})

/** The sender whose messages a list contains, in its query. */
const SenderQuery: Codec<SenderId> = described(NamedSender,
  'Only messages of the sender with this phone number id, including those under a former id of its number. No index covers it, so a page searches the next 10,000 messages that match the other parameters: '
    + 'it may contain few messages, or none, and still have a `next_cursor`.')

/** The filter for the sender that a query names; `undefined` if it names none. An app without senders has no filter. */
export const senderFilter = async (
  { filterBySender }: Pick<Api['messages'], 'filterBySender'>, { workspace, sender }: SenderChoice,
): Promise<E.Either<UnknownSender | PortFailure, SenderFilter | undefined>> => {
  if (sender === undefined) return E.right(undefined)
  return filterBySender === undefined ? E.left({ _tag: 'UnknownSender', sender }) : filterBySender({ workspace, sender })
}

type Messages = { readonly messages: ReadonlyArray<MessageView>; readonly next_cursor: string | null }

/** How many messages are read for a filter without an index. */
const LOOK = 10_000

/** `GET /messages` */
export const listMessages = workspaceOperation({
  id: 'listMessages',
  method: 'get',
  path: '/messages',
  tag: 'Reading',
  act: 'message.view',
  isList: true,
  summary: 'List messages',
  description: "The workspace's messages, newest first, in pages.",
  query: {
    to: described(WrittenCustomerId, 'Only messages to the customer of this number or user id, under whichever id they were sent.'),
    state: described(State, 'Only messages in this state.'),
    sender: SenderQuery,
    metadata: MetadataQuery,
    ...pageParameters('messages'),
  },
  reply: {
    description: 'A page of the list.',
    codec: named('Messages', record({ messages: described(array(Message), 'Newest first.'), next_cursor: NextCursor })),
    example: { messages: [MESSAGE_EXAMPLE], next_cursor: null },
  },
  failures: { UnknownSender: true },
  run: async (
    { postern: { messages } }: UseCases,
    { workspace, parameters }: WorkspaceRequest<Partial<Omit<ListMessagesQuery, 'sender'>> & ThroughSender>,
  ): Outcome<UnknownSender | PortFailure, Messages> => {
    const { to, state, metadata } = parameters
    const sender = await senderFilter(messages, { workspace, sender: parameters.sender })
    if (E.isLeft(sender)) return sender
    const isLooked = metadata !== undefined || sender.right !== undefined
    const page = await messages.listMessages(workspace, {
      ...pageQuery(parameters), to, state, sender: sender.right, ...(metadata && { metadata }), ...(isLooked && { look: LOOK }),
    })
    if (E.isLeft(page)) return page
    return E.right({ value: { messages: page.right.items.map(messageView), next_cursor: nextCursor('messages', page.right) } })
  },
})
