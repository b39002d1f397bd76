import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { MAX_TEXT_LENGTH } from '../../../core/messages/message.js'
import type { Ahead, ReadAhead, TextReads } from '../../../core/sending/prepare.js'
import type { SendText, SendTextError } from '../../../core/sending/send.js'
import { CustomerId, notBlank, wellFormed } from '../codecs.js'
import { described, fields, length, named, type NoFields, string, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { ORDER_OF_REFUSALS, SEND_FAILURES, sendingKey, sentReply, sentResult, type SentView } from './send.js'

const SendTextRequest = named('SendTextRequest', described(fields({
  to: CustomerId,
  text: described(string(length(MAX_TEXT_LENGTH), notBlank, wellFormed), `1 to ${MAX_TEXT_LENGTH} characters, counted in UTF-16 units, not only blanks.`),
}), 'Unknown fields are ignored.'))

/** The body of a text, to be sent or quoted. */
export const textBody = {
  codec: SendTextRequest,
  forms: true,
  examples: { text: { value: { to: '5511987654321', text: 'Your order 1742 is on its way.' } } },
}

/** A request of a text. */
export type TextRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTextRequest>>

type SendTextDeps = { readonly sendText: SendText; readonly readAhead?: ReadAhead }

/** `POST /messages/send-text` */
export const sendText = workspaceOperation({
  id: 'sendText',
  method: 'post',
  path: '/messages/send-text',
  tag: 'Sending',
  scope: 'send',
  summary: 'Send a text',
  description:
    'Sends free text, which the platform delivers only while the customer service window is open: for 24 hours after the customer ' +
    `last wrote. The body may have up to 256 KiB, a form up to 64 KiB and 32 fields. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: textBody,
  reply: sentReply,
  failures: { ...SEND_FAILURES, WindowClosed: true },
  readAhead: ({ readAhead }: SendTextDeps, workspace: WorkspaceId, { to }: TextRequest['body']): Ahead<TextReads> | undefined => readAhead?.text({ workspace, to }),
  run: async (
    deps: SendTextDeps, { workspace, principal, body: { to, text }, idempotency }: TextRequest, ahead: Ahead<TextReads> | undefined,
  ): Outcome<SendTextError, SentView> =>
    sentResult(await deps.sendText({ workspace, to, text, key: sendingKey(principal), ...idempotency, ...(ahead && { ahead }) })()),
})
