import type { QuoteTextError } from '../../../core/sending/quote.js'
import { type QuotingDeps, requireQuoting } from '../quoting.js'
import { type Outcome, workspaceOperation } from '../workspace-operation.js'
import { AS_THE_SEND, quotedReply, quotedResult, type QuotedView, TEXT_QUOTE } from './quote.js'
import { textBody, type TextRequest } from './send-text.js'

/** `POST /quotes/send-text` */
export const quoteText = workspaceOperation({
  id: 'quoteText',
  method: 'post',
  path: '/quotes/send-text',
  part: 'quoting',
  tag: 'Sending',
  scope: 'send',
  summary: 'Quote a text',
  description: `What a text would cost now. ${AS_THE_SEND}`,
  body: textBody,
  reply: { ...quotedReply, example: TEXT_QUOTE },
  failures: { WindowClosed: true, SenderNotConfigured: true, InsufficientBalance: true },
  run: async (deps: QuotingDeps, { workspace, body: { to, text } }: TextRequest): Outcome<QuoteTextError, QuotedView> =>
    quotedResult(deps.windowClock.now(), await requireQuoting(deps).quoteText({ workspace, to, text })()),
})
