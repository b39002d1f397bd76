import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { NewTemplateMessage } from '../../../core/messages/message.js'
import type { Ahead, ReadAhead, TemplateReads } from '../../../core/sending/prepare.js'
import type { SendTemplate, SendTemplateError } from '../../../core/sending/send.js'
import { TemplateName, wellFormed, withoutControls, WrittenCustomerId } from '../codecs.js'
import { described, fields, length, named, type NoFields, string, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { ORDER_OF_REFUSALS, SEND_FAILURES, sendingKey, sentReply, sentResult, type SentView, TEMPLATE_REFUSALS } from './send.js'
import { Components } from './template-components.js'

const MAX_LANGUAGE_LENGTH = 64

// A name and a language are stored, and not every database stores control characters.
const SendTemplateRequest = named('SendTemplateRequest', described(fields({
  to: WrittenCustomerId,
  template_name: described(TemplateName, 'The exact name of an approved template.'),
}, {
  language: described(
    string(length(MAX_LANGUAGE_LENGTH), wellFormed, withoutControls),
    'The code of the language the template was approved in; passed on exactly as given. `en` where it is left out.',
  ),
  components: Components,
}), 'Unknown fields are ignored.'))

/** The body of a template, to be sent or quoted. */
export const templateBody = {
  codec: SendTemplateRequest,
  forms: false,
  passedOn: 'components',
  examples: {
    plain: { summary: 'A template without variables', value: { to: '+55 11 98765-4321', template_name: 'hello_world', language: 'en_US' } },
    variables: {
      summary: 'A template with two variables',
      value: {
        to: '5511987654321', template_name: 'order_update', language: 'pt_BR',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }, { type: 'text', text: '1742' }] }],
      },
    },
    userId: { summary: 'A customer by the user id', value: { to: 'DE.13491208655302741918', template_name: 'hello_world' } },
  },
}

/** A request of a template. */
export type TemplateRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTemplateRequest>>

/** The template that a request asks for. */
export const templateOf = ({ body: { to, template_name: name, language, components } }: TemplateRequest): NewTemplateMessage =>
  ({ to, name, ...(language !== undefined && { language }), ...(components && { components }) })

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
