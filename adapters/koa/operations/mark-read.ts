import * as E from 'fp-ts/lib/Either.js'
import type { MarkReadError } from '../../../core/messages/conversation.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { InboundMessageName, NamedSender } from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { NotFound } from '../reply.js'
import { boolean, described, fields, literal, named, record, type TypeOf } from '../schema.js'

const MarkReadRequest = named('MarkReadRequest', described(fields({}, {
  typing: described(boolean, 'Whether the customer is also shown that an answer is being written: until the next message, for 25 seconds at most.'),
  sender: described(NamedSender, 'The phone number id of the sender that received the message; the default sender of the workspace if omitted.'),
}), 'May be omitted. Unknown fields are ignored.'))

const Marked = record({ status: literal('success') })

/** `POST /messages/{wamid}/read` */
export const markRead = workspaceOperation({
  id: 'markRead',
  method: 'post',
  path: '/messages/{wamid}/read',
  part: 'answering',
  act: 'message.mark_read',
  tag: 'Answering',
  summary: "Mark a customer's message as read",
  description:
    "The customer sees that this message and all earlier ones were read. It costs nothing, and does not open or prolong the customer service "
      + 'window. Marking again is harmless. The platform, not Postern, checks whether the sender received such a message.',
  pathParameters: { wamid: InboundMessageName },
  body: { codec: MarkReadRequest, forms: false, examples: { typing: { value: { typing: true } } } },
  reply: { description: 'The platform has marked it.', codec: Marked, example: { status: 'success' } },
  failures: {
    NotFound: true, SenderNotConfigured: true, UnknownSender: true, PlatformRejected: true, PlatformThrottled: true,
    CredentialsRefused: true, PlatformUnreachable: true, PlatformUnanswered: true,
  },
  run: async (
    { postern }: UseCases,
    { workspace, parameters: { wamid }, body: { typing = false, sender } }: WorkspaceRequest<{ readonly wamid: PlatformId }, TypeOf<
      typeof MarkReadRequest
    >>,
  ): Outcome<MarkReadError | NotFound, TypeOf<typeof Marked>> => {
    const marked = await served(postern.conversation).markRead({ workspace, sender, message: wamid, typing })
    return E.isLeft(marked) ? marked : E.right({ value: { status: 'success' } })
  },
})
