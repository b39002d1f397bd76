import type { Ahead, ReadAhead, TextReads } from '../../../core/use-cases/read-ahead.js'
import type { SendText, SendTextError } from '../../../core/use-cases/send-text.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { workspaceOperation, type Outcome } from '../workspace-operation.js'
import { ORDER_OF_REFUSALS, SEND_FAILURES, sendingKey, sentReply, sentResult, type SentView } from './send.js'
import { textBody, type TextRequest } from './text-request.js'

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
