import type { Ahead, ReadAhead, TemplateReads } from '../../../core/use-cases/read-ahead.js'
import type { SendTemplate, SendTemplateError } from '../../../core/use-cases/send-template.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { workspaceOperation, type Outcome } from '../workspace-operation.js'
import { ORDER_OF_REFUSALS, SEND_FAILURES, sendingKey, sentReply, sentResult, TEMPLATE_REFUSALS, type SentView } from './send.js'
import { templateBody, templateOf, type TemplateRequest } from './template-request.js'

type SendTemplateDeps = { readonly sendTemplate: SendTemplate; readonly readAhead?: ReadAhead }

/** `POST /messages/send-template` */
export const sendTemplate = workspaceOperation({
  id: 'sendTemplate',
  method: 'post',
  path: '/messages/send-template',
  tag: 'Sending',
  scope: 'send',
  summary: 'Send a template',
  description: `Sends an approved template, at any time. The body may have up to 256 KiB. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: templateBody,
  reply: sentReply,
  failures: { ...SEND_FAILURES, ...TEMPLATE_REFUSALS },
  readAhead: ({ readAhead }: SendTemplateDeps, workspace: WorkspaceId, { to, template_name: name }: TemplateRequest['body']): Ahead<TemplateReads> | undefined =>
    readAhead?.template({ workspace, to, name }),
  run: async (deps: SendTemplateDeps, request: TemplateRequest, ahead: Ahead<TemplateReads> | undefined): Outcome<SendTemplateError, SentView> =>
    sentResult(await deps.sendTemplate({
      workspace: request.workspace, ...templateOf(request), key: sendingKey(request.principal), ...request.idempotency, ...(ahead && { ahead }),
    })()),
})
