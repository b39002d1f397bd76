import type { WindowClock } from '../../../core/ports/window-clock.js'
import type { QuoteTemplate, QuoteTemplateError } from '../../../core/use-cases/quote-template.js'
import { partOf } from '../operation.js'
import { workspaceOperation, type Outcome } from '../workspace-operation.js'
import { AS_THE_SEND, quotedReply, quotedResult, TEMPLATE_QUOTE, type QuotedView } from './quote.js'
import { TEMPLATE_REFUSALS } from './send.js'
import { templateBody, templateOf, type TemplateRequest } from './template-request.js'

/** What the quote of a template needs. */
type Deps = {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Without it there is no `/quotes`. */
  readonly quoteTemplate?: QuoteTemplate
}

/** `POST /quotes/send-template` */
export const quoteTemplate = workspaceOperation({
  id: 'quoteTemplate',
  method: 'post',
  path: '/quotes/send-template',
  part: 'quotes',
  tag: 'Sending',
  summary: 'Quote a template',
  description: `What a template would cost now, and what the customer would read. ${AS_THE_SEND}`,
  body: templateBody,
  reply: { ...quotedReply, example: TEMPLATE_QUOTE },
  failures: { ...TEMPLATE_REFUSALS, SenderNotConfigured: true, InsufficientBalance: true },
  run: async (deps: Deps, request: TemplateRequest): Outcome<QuoteTemplateError, QuotedView> =>
    quotedResult(deps.windowClock.now(), await partOf(deps.quoteTemplate)({ workspace: request.workspace, ...templateOf(request) })()),
})
