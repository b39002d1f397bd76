import { MAX_TEXT_LENGTH } from '../../../core/message.js'
import type { SendText, SendTextError } from '../../../core/use-cases/send-text.js'
import { CustomerId, notBlank, wellFormed } from '../codecs.js'
import { described, fields, length, named, string, type NoFields, type TypeOf } from '../schema.js'
import { workspaceOperation, type Outcome, type WorkspaceRequest } from '../workspace-operation.js'
import { ORDER_OF_REFUSALS, SEND_FAILURES, sentReply, sentResult, type SentView } from './send.js'

const SendTextRequest = named('SendTextRequest', described(fields({
  to: CustomerId,
  text: described(string(length(MAX_TEXT_LENGTH), notBlank, wellFormed), `1 to ${MAX_TEXT_LENGTH} characters, counted in UTF-16 units, not only blanks.`),
}), 'Unknown fields are ignored.'))

/** `POST /messages/send-text` */
export const sendText = workspaceOperation({
  id: 'sendText',
  method: 'post',
  path: '/messages/send-text',
  tag: 'Sending',
  summary: 'Send a text',
  description:
    'Sends free text, which the platform delivers only while the customer service window is open: for 24 hours after the customer ' +
    `last wrote. The body may have up to 256 KiB, a form up to 64 KiB and 32 fields. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: {
    codec: SendTextRequest,
    forms: true,
    examples: { text: { value: { to: '5511987654321', text: 'Your order 1742 is on its way.' } } },
  },
  reply: sentReply,
  failures: { ...SEND_FAILURES, WindowClosed: true },
  run: async (
    deps: { readonly sendText: SendText },
    { workspace, body: { to, text }, idempotency }: WorkspaceRequest<NoFields, TypeOf<typeof SendTextRequest>>,
  ): Outcome<SendTextError, SentView> => sentResult(await deps.sendText({ workspace, to, text, ...idempotency })()),
})
