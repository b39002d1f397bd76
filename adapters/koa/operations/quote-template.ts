import type { QuoteTemplateError } from '../../../core/sending/quote.js'
import { type QuotingDeps, requireQuoting } from '../quoting.js'
import { type Outcome, workspaceOperation } from '../workspace-operation.js'
import { AS_THE_SEND, quotedReply, quotedResult, type QuotedView, TEMPLATE_QUOTE } from './quote.js'
import { templateBody, templateOf, type TemplateRequest } from './send-template.js'
import { TEMPLATE_REFUSALS } from './send.js'

/** `POST /quotes/send-template` */
export const quoteTemplate = workspaceOperation({
  id: 'quoteTemplate',
  method: 'post',
  path: '/quotes/send-template',
  part: 'quoting',
  tag: 'Sending',
  scope: 'send',
  summary: 'Quote a template',
  description: `What a template would cost now, and what the customer would read. ${AS_THE_SEND}`,
  body: templateBody,
  reply: { ...quotedReply, example: TEMPLATE_QUOTE },
  failures: { ...TEMPLATE_REFUSALS, SenderNotConfigured: true, InsufficientBalance: true },
  run: async (deps: QuotingDeps, request: TemplateRequest): Outcome<QuoteTemplateError, QuotedView> =>
    quotedResult(deps.windowClock.now(), await requireQuoting(deps).quoteTemplate({ workspace: request.workspace, ...templateOf(request) })()),
})
