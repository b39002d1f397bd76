import type { SendTemplateError } from '../../core/send-template.js'
import type { SendTextError } from '../../core/send-text.js'
import type { InvalidIdempotencyKey, InvalidPhoneNumber } from '../../core/errors.js'
import type { AuthenticateError } from './authenticate.js'
import type { BodyFailure, Defect, MethodNotAllowed, MissingParameters } from './failures.js'
import { failureResponses, tagsOf } from './openapi-failures.js'
import { headerRefs, parameterRefs } from './openapi-headers.js'
import { schema } from './openapi-schemas.js'
import type { Content, Examples, Paths, Response, Schema } from './openapi-types.js'

type Refusal =
  | AuthenticateError | BodyFailure | MissingParameters | InvalidPhoneNumber | InvalidIdempotencyKey | SendTemplateError
  | MethodNotAllowed | Defect

const REFUSALS = {
  UnknownApiKey: true, RateLimited: true, PortFailure: true,
  InvalidParameter: true, MalformedBody: true, PayloadTooLarge: true, UnsupportedMediaType: true,
  MissingParameters: true, InvalidPhoneNumber: true, InvalidIdempotencyKey: true,
  SenderNotConfigured: true, InsufficientBalance: true, IdempotencyInProgress: true, IdempotencyKeyReused: true,
  PlatformRejected: true, PlatformThrottled: true, CredentialsRefused: true, PlatformUnreachable: true, OutcomeUnknown: true,
  MethodNotAllowed: true, Defect: true,
} as const

const templateRefusals = tagsOf<Refusal>(REFUSALS)
const textRefusals = tagsOf<Refusal | SendTextError>({ ...REFUSALS, WindowClosed: true })

const sent: Response = {
  description: 'The platform has accepted the message, and its price is captured.',
  headers: headerRefs('Postern-Message', 'Idempotency-Replayed'),
  content: {
    'application/json': {
      schema: schema('Sent'),
      examples: { sent: { value: { status: 'success', message_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2' } } },
    },
  },
}

const TEXT_EXAMPLES: Examples = { text: { value: { to: '5511987654321', text: 'Your order 1742 is on its way.' } } }

const TEMPLATE_EXAMPLES: Examples = {
  plain: { summary: 'A template without variables', value: { to: '+55 11 98765-4321', template_name: 'hello_world', language: 'en_US' } },
  variables: {
    summary: 'A template with two variables',
    value: {
      to: '5511987654321', template_name: 'order_update', language: 'pt_BR',
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }, { type: 'text', text: '1742' }] }],
    },
  },
}

const content = (body: Schema, examples: Examples, ...types: ReadonlyArray<string>): Content =>
  Object.fromEntries(types.map((type) => [type, { schema: body, examples }]))

const ORDER_OF_REFUSALS =
  'Refusals come in this order: the key (401), the limit (429), the request (413, 415, 400), the window (400), the wallet (402), the platform.'

/** The two operations that send. */
export const sendPaths: Paths = {
  '/messages/send-text': {
    post: {
      operationId: 'sendText',
      tags: ['Sending'],
      summary: 'Send a text',
      description:
        'Sends free text, which the platform delivers only while the customer service window is open: for 24 hours after the customer ' +
        `last wrote. The body may have up to 256 KiB. ${ORDER_OF_REFUSALS}`,
      parameters: parameterRefs('idempotencyKey'),
      requestBody: {
        required: true,
        content: content(schema('SendTextRequest'), TEXT_EXAMPLES,
          'application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'),
      },
      responses: { 200: sent, ...failureResponses(textRefusals) },
    },
  },
  '/messages/send-template': {
    post: {
      operationId: 'sendTemplate',
      tags: ['Sending'],
      summary: 'Send a template',
      description: `Sends an approved template, at any time. The body may have up to 256 KiB. ${ORDER_OF_REFUSALS}`,
      parameters: parameterRefs('idempotencyKey'),
      requestBody: { required: true, content: content(schema('SendTemplateRequest'), TEMPLATE_EXAMPLES, 'application/json') },
      responses: { 200: sent, ...failureResponses(templateRefusals) },
    },
  },
}
