import type { WindowClock } from '../../../core/ports/window-clock.js'
import type { QuoteText, QuoteTextError } from '../../../core/use-cases/quote-text.js'
import { partOf } from '../operation.js'
import { workspaceOperation, type Outcome } from '../workspace-operation.js'
import { AS_THE_SEND, quotedReply, quotedResult, TEXT_QUOTE, type QuotedView } from './quote.js'
import { textBody, type TextRequest } from './text-request.js'

/** What the quote of a text needs. */
type Deps = {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Without it there is no `/quotes`. */
  readonly quoteText?: QuoteText
}

/** `POST /quotes/send-text` */
export const quoteText = workspaceOperation({
  id: 'quoteText',
  method: 'post',
  path: '/quotes/send-text',
  part: 'quotes',
  tag: 'Sending',
  summary: 'Quote a text',
  description: `What a text would cost now. ${AS_THE_SEND}`,
  body: textBody,
  reply: { ...quotedReply, example: TEXT_QUOTE },
  failures: { WindowClosed: true, SenderNotConfigured: true, InsufficientBalance: true },
  run: async (deps: Deps, { workspace, body: { to, text } }: TextRequest): Outcome<QuoteTextError, QuotedView> =>
    quotedResult(deps.windowClock.now(), await partOf(deps.quoteText)({ workspace, to, text })()),
})
