import { MAX_ENDPOINTS } from '../../core/events/endpoint-use-cases.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Currency } from '../../core/kernel/money.js'
import { batchIdOf } from '../../core/kernel/ids.js'
import { messageIdOf } from '../../core/messages/message.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { MAX_BODY_BYTES } from './body.js'
import { Amount, Breaches, Currency as CurrencyCode, Placeholders, PlatformError, RetryAdvice, Time } from './codecs.js'
import { headerRefs, type Response, type Responses, type Schema } from './openapi-types.js'
import { type HttpFailure, type TextReply, toReply } from './reply.js'
import { partsOf } from './schema.js'

type Tag = HttpFailure['_tag']

/** A sample of a failure, and when the failure occurs. */
type Row<Name extends Tag> = { readonly sample: Extract<HttpFailure, { readonly _tag: Name }>; readonly when: string }

const OPENED = { messageId: messageIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41'), replayed: false }

const BATCH = batchIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41')

/** When the samples are returned. */
const NOW = Date.UTC(2026, 2, 1, 22)

const platformError = (code: number, message: string): JsonObject => ({ message, type: 'OAuthException', code, fbtrace_id: 'AbC123' })

/** The documentation of each failure. `toReply` creates its status, code, headers and message from the sample. */
const ROWS: { readonly [Name in Tag]: Row<Name> } = {
  MissingParameters: {
    sample: { _tag: 'MissingParameters', names: ['to', 'text'] },
    when: 'Required parameters are absent or empty; the message names each.',
  },
  InvalidParameter: {
    sample: { _tag: 'InvalidParameter', sentence: 'limit must be a whole number from 1 to 100' },
    when: 'A parameter has the wrong type, length or format; the message names it and its rule.',
  },
  InvalidIdempotencyKey: {
    sample: { _tag: 'InvalidIdempotencyKey' },
    when: '`Idempotency-Key` breaks its rule.',
  },
  InvalidPhoneNumber: {
    sample: { _tag: 'InvalidPhoneNumber', form: 'digits' },
    when: '`to` breaks its rule.',
  },
  InvalidEndpointUrl: {
    sample: { _tag: 'InvalidEndpointUrl', reason: 'url must be an absolute https URL without a user, a password or a fragment, at most 2048 characters' },
    when: '`url` breaks its rule.',
  },
  InvalidEventTypes: {
    sample: { _tag: 'InvalidEventTypes', reason: 'types must list each event type once' },
    when: '`types` is empty, too long, or names a type twice.',
  },
  UnknownEventType: {
    sample: { _tag: 'UnknownEventType', type: 'message.lost' },
    when: '`types` contains something that is neither a type of event nor a group of types; the message names it.',
  },
  InvalidDescription: {
    sample: { _tag: 'InvalidDescription' },
    when: '`description` breaks its rule.',
  },
  InvalidEventId: {
    sample: { _tag: 'InvalidEventId', id: '' },
    when: '`after` is not an id of an event.',
  },
  MalformedBody: {
    sample: { _tag: 'MalformedBody', sentence: 'The body must be a JSON object' },
    when: 'The body cannot be parsed as its declared type; for JSON, the message names the line and the column of the fault.',
  },
  PhoneNumberRequired: {
    sample: { _tag: 'PhoneNumberRequired' },
    when: 'An authentication template to a customer whose phone number is not known, only the user id: the platform accepts these templates only for phone numbers.',
  },
  TemplateNotFound: {
    sample: { _tag: 'TemplateNotFound', name: 'order_update', language: 'en', languages: ['de', 'en_US'], nearest: [] },
    when: 'The business account has no such template; the message names the languages in which it is approved, or the nearest names.',
  },
  TemplateNotApproved: {
    sample: { _tag: 'TemplateNotApproved', name: 'order_update', language: 'de', status: 'paused', languages: ['en_US'] },
    when: 'The template is in a state in which the platform does not send it; the message names the state.',
  },
  TemplateParameters: {
    sample: {
      _tag: 'TemplateParameters', mismatch: 'count', sentence: 'body needs 2 parameters; 1 was given',
      expected: [{ component: 'body', type: 'text', index: 1 }, { component: 'body', type: 'text', index: 2 }],
    },
    when: 'The components do not fill the placeholders of the template; the message says what was received, and `expected` lists the placeholders.',
  },
  CustomerOptedOut: {
    sample: { _tag: 'CustomerOptedOut', topic: 'marketing' },
    when: 'The customer stopped all messages, or this is a marketing template and the customer stopped marketing messages; the message says which.',
  },
  ConsentRequired: {
    sample: { _tag: 'ConsentRequired' },
    when: 'A marketing template to a customer who did not consent to marketing messages, in a workspace that requires this consent.',
  },
  ContentInvalid: {
    sample: {
      _tag: 'ContentInvalid',
      breaches: [{ path: 'interactive.action.buttons[1].reply.title', rule: 'a string of 1 to 20 characters', given: 25 }],
    },
    when: 'The content breaks limits of its type; the message names the first breach, and `errors` lists all of them.',
  },
  WindowClosed: {
    sample: { _tag: 'WindowClosed', closedAt: Date.UTC(2026, 2, 1, 12) },
    when: 'The customer service window is closed; the message says when it closed, or that the customer never wrote.',
  },
  TimezoneUnknown: {
    sample: { _tag: 'TimezoneUnknown' },
    when: '`deliver_between` counts in the time zone of the customer, and the number does not tell it, or only a user id of the customer is known.',
  },
  AlreadySent: {
    sample: { _tag: 'AlreadySent', id: OPENED.messageId, state: 'accepted' },
    when: 'The message is not queued any more, or never was; the message says its state.',
  },
  PlatformRejected: {
    sample: { _tag: 'PlatformRejected', error: platformError(132001, '(#132001) Template name does not exist'), ...OPENED },
    when: 'The platform refused the message; `platform_error` says why. Nothing was charged.',
  },
  UnreadableFile: {
    sample: {
      _tag: 'UnreadableFile',
      problem: {
        line: 1, column: 'name', code: 'unknown_column',
        message: 'Column name is not known; the columns are to, body.1, timezone and metadata.KEY', isLast: true,
      },
    },
    when: 'The file cannot be read from a line on, so none of its lines were stored; the message says what is wrong there, and `line` and `column` where.',
  },
  ContentGone: {
    sample: { _tag: 'ContentGone', id: batchIdOf('0199c3a87c2e7b1f9d5a4e6b8c0d2f41') },
    when: 'What the lines of the earlier batch said is not kept any more.',
  },
  NothingToSend: {
    sample: { _tag: 'NothingToSend' },
    when: 'The batch has no recipient without a problem.',
  },
  UnknownApiKey: {
    sample: { _tag: 'UnknownApiKey' },
    when: 'The API key is missing, malformed, invalid or revoked. The message never says which of these, but always how to send a key.',
  },
  BadSignature: {
    sample: { _tag: 'BadSignature', signature: 'missing' },
    when: '`X-Hub-Signature-256` is missing, malformed or does not sign the body. The gateway does not read a body without a signature.',
  },
  InsufficientBalance: {
    sample: { _tag: 'InsufficientBalance', required: 62_500n, available: 10_000n, held: 0n, currency: 'USD' as Currency, ...OPENED },
    when: 'The wallet cannot cover the price; `shortfall` is `required` minus `available`. Nothing was sent.',
  },
  SpendingLimitReached: {
    sample: {
      _tag: 'SpendingLimitReached', required: 62_500n, limit: 5_000_000n, spent: 4_950_000n, currency: 'USD' as Currency,
      resetsAt: Date.UTC(2026, 2, 2), ...OPENED,
    },
    when: 'The API key has reached its daily limit (UTC), or would exceed it with this message; `resets_at` says when the next day begins. Nothing was sent.',
  },
  VerificationRefused: {
    sample: { _tag: 'VerificationRefused' },
    when: '`hub.verify_token` is not the verify token of this gateway or app, or `hub.mode` is not `subscribe`.',
  },
  MissingScope: {
    sample: { _tag: 'MissingScope', scope: 'answer' },
    when: 'The API key is valid, but does not have the scope that this operation needs; the message names it.',
  },
  Forbidden: {
    sample: { _tag: 'Forbidden', act: 'endpoint.add' },
    when: 'The API key is valid, but may not do this.',
  },
  NotFound: {
    sample: { _tag: 'NotFound', sentence: 'This workspace has no message msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' },
    when: 'No operation exists at this address, there is no such app, or the workspace has no object with this id; the message says what is missing, or which address is nearest.',
  },
  EndpointNotFound: {
    sample: { _tag: 'EndpointNotFound', id: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' },
    when: 'This workspace has no endpoint with this id.',
  },
  EventNotFound: {
    sample: { _tag: 'EventNotFound', id: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' },
    when: 'This workspace has no event with this id, or no longer has it.',
  },
  MediaInvalid: {
    sample: { _tag: 'MediaInvalid', reason: 'The file is declared as application/pdf, but its first bytes show application/zip' },
    when: 'The file is empty, too large, incomplete, or of a different type by its first bytes.',
  },
  MediaGone: {
    sample: { _tag: 'MediaGone' },
    when: 'The platform does not have this attachment for the sender of this workspace, or no longer has it: it keeps attachments for some days.',
  },
  RangeNotSatisfiable: {
    sample: { _tag: 'RangeNotSatisfiable', size: 20_480 },
    when: 'The requested range is outside the attachment.',
  },
  MethodNotAllowed: {
    sample: { _tag: 'MethodNotAllowed', allow: 'GET, HEAD' },
    when: 'The address does not accept this method; `Allow` lists the methods that it accepts.',
  },
  BodyTooSlow: {
    sample: { _tag: 'BodyTooSlow' },
    when: 'The body did not arrive completely before the timeout; the connection is closed.',
  },
  Overloaded: {
    sample: { _tag: 'Overloaded' },
    when: 'The request bodies that are being read use all the memory that is reserved for them. Nothing was sent or charged.',
  },
  IdempotencyInProgress: {
    sample: { _tag: 'IdempotencyInProgress' },
    when: 'A request with the same `Idempotency-Key` is still being processed.',
  },
  WrongBatchState: {
    sample: { _tag: 'WrongBatchState', id: BATCH, state: 'done' },
    when: 'The state of the batch does not permit this; the message says its state.',
  },
  BatchChanged: {
    sample: { _tag: 'BatchChanged' },
    when: 'Another request confirmed or canceled the batch while it was checked.',
  },
  PreflightChanged: {
    sample: { _tag: 'PreflightChanged', total: 625_000n, confirmed: 562_500n },
    when: 'The batch costs another total than the confirmed one; `total` is the current one.',
  },
  EndpointDisabled: {
    sample: { _tag: 'EndpointDisabled', id: '' },
    when: 'The endpoint is disabled, so nothing is delivered to it until it is enabled.',
  },
  TooManyEndpoints: {
    sample: { _tag: 'TooManyEndpoints', most: MAX_ENDPOINTS },
    when: 'The workspace has the maximum number of endpoints; the message says how many.',
  },
  PayloadTooLarge: {
    sample: { _tag: 'PayloadTooLarge', limit: MAX_BODY_BYTES },
    when: 'The body has too many bytes; the message names the limit.',
  },
  UnsupportedMediaType: {
    sample: { _tag: 'UnsupportedMediaType', sentence: 'The body must be application/json' },
    when: 'The operation does not accept a body of this type, charset or encoding.',
  },
  IdempotencyKeyReused: {
    sample: { _tag: 'IdempotencyKeyReused' },
    when: 'The `Idempotency-Key` already belongs to another request.',
  },
  PlatformThrottled: {
    sample: { _tag: 'PlatformThrottled', error: platformError(130429, '(#130429) Rate limit hit'), retryAfterSeconds: 6, ...OPENED },
    when: 'The platform is throttling; `Retry-After` says how long to wait. Nothing was sent or charged.',
  },
  PairLimitReached: {
    sample: { _tag: 'PairLimitReached', retryAt: NOW + 6_000 },
    when: 'The sender has sent this customer as many messages as the platform accepts in a short time; `Retry-After` says when it accepts the next one. Nothing was sent or charged.',
  },
  SenderLimitReached: {
    sample: { _tag: 'SenderLimitReached', retryAfterMs: 1_000 },
    when: 'The sender sends as many messages a second as it may, and this one would wait too long; `Retry-After` says when to repeat it. Nothing was sent or charged.',
  },
  PortfolioLimitReached: {
    sample: { _tag: 'PortfolioLimitReached', retryAt: NOW + 3_600_000 },
    when: 'The business account of the sender has sent to as many customers in 24 hours, outside of their windows, as the platform allows; `Retry-After` says when the next one is allowed. Nothing was sent or charged.',
  },
  RateLimited: {
    sample: { _tag: 'RateLimited', retryAfterSeconds: 1 },
    when: 'The workspace has made more requests than its limit allows.',
  },
  TooManyRequests: {
    sample: { _tag: 'TooManyRequests', limit: 'address', retryAfterSeconds: 1 },
    when: 'Too many documents or lists are being read for this API key, for this network address, or in total; or this network was refused too often at the webhooks of apps.',
  },
  Defect: {
    sample: { _tag: 'Defect' },
    when: 'A defect of the gateway; its log has the cause under the `X-Request-Id`.',
  },
  CredentialsRefused: {
    sample: { _tag: 'CredentialsRefused', error: {}, ...OPENED },
    when: "The platform refuses the workspace's sender, and the operator must correct it. Nothing was sent or charged.",
  },
  PlatformUnreachable: {
    sample: { _tag: 'PlatformUnreachable', cause: undefined, ...OPENED },
    when: 'The platform cannot be reached, or too many sends are waiting for it. Nothing was sent or charged.',
  },
  PlatformUnanswered: {
    sample: { _tag: 'PlatformUnanswered', cause: undefined },
    when: 'The platform cannot be reached, or did not answer as expected. The request can safely be repeated.',
  },
  PortFailure: {
    sample: { _tag: 'PortFailure', port: '', cause: undefined },
    when: 'The database cannot be reached.',
  },
  NotYetKnown: {
    sample: { _tag: 'NotYetKnown' },
    when: 'A message in this notification is not known yet, because a send through this number still waits for its answer. The platform has to deliver the notification again.',
  },
  UnknownSender: {
    sample: { _tag: 'UnknownSender', sender: senderIdOf('106540352242922') },
    when: '`sender` is not the phone number id of a sender of this workspace.',
  },
  SenderNotConfigured: {
    sample: { _tag: 'SenderNotConfigured' },
    when: 'The workspace has no sender yet. Nothing was sent or charged.',
  },
  OutcomeUnknown: {
    sample: { _tag: 'OutcomeUnknown', cause: undefined, ...OPENED, replayed: true },
    when:
      'The platform did not confirm: the message may or may not have been sent, and its price stays on hold until that is known. ' +
      'Do not send it again with a new key.',
  },
}

const TAGS = Object.keys(ROWS) as ReadonlyArray<Tag>

type Example = { readonly tag: Tag; readonly when: string; readonly reply: TextReply; readonly body: Readonly<Record<string, unknown>> }

/** The named schemas that the bodies of failures refer to. */
export const FAILURE_DEFINITIONS = partsOf([PlatformError, CurrencyCode, Amount, Breaches, Placeholders, Time, RetryAdvice]).definitions

/** The replies for an operation's failures, by status. */
export const failureResponses = (tags: ReadonlyArray<Tag>): Responses => {
  const examples = TAGS.filter((tag) => tags.includes(tag)).map(exampleOf)
  const statuses = new Set(examples.map(({ reply }) => reply.status))
  return Object.fromEntries(Array.from(statuses, (status) => [status, responseOf(examples.filter(({ reply }) => reply.status === status))]))
}

const exampleOf = (tag: Tag): Example => {
  const { sample, when } = ROWS[tag]
  const reply = toReply(sample, { base: 'https://postern.example.com', now: NOW })
  return { tag, when, reply, body: JSON.parse(reply.body) as Example['body'] }
}

const responseOf = (examples: ReadonlyArray<Example>): Response => ({
  description: examples.map(({ when, reply }) => `- \`${reply.code}\`: ${when}`).join('\n'),
  headers: headerRefs(...examples.flatMap(({ reply }) => Object.keys(reply.headers)).filter(isOurs)),
  content: {
    'application/json': {
      schema: schemaOf(examples),
      examples: Object.fromEntries(examples.map(({ tag, body }) => [tag, { value: body }])),
    },
  },
})

const isOurs = (header: string): boolean => header !== 'Content-Type' && header !== 'Connection'

/** Failures whose bodies have the same fields share a schema. */
const schemaOf = (examples: ReadonlyArray<Example>): Schema => {
  const shapes = new Set(examples.map(shapeOf))
  const schemas = Array.from(shapes, (shape) => bodySchema(examples.filter((example) => shapeOf(example) === shape)))
  const [only, ...more] = schemas
  return only !== undefined && more.length === 0 ? only : { oneOf: schemas }
}

const shapeOf = ({ body }: Example): string => Object.keys(body).join()

const bodySchema = (examples: ReadonlyArray<Example>): Schema => {
  const fields = Object.keys(examples[0]?.body ?? {})
  const codes = Array.from(new Set(examples.map(({ reply }) => reply.code ?? '')))
  return {
    type: 'object', required: fields, additionalProperties: false,
    properties: Object.fromEntries(fields.map((name) => [name, name === 'code' ? codeSchema(codes) : fieldSchema(name)])),
  }
}

const codeSchema = (codes: ReadonlyArray<string>): Schema => ({ type: 'string', enum: codes, description: 'For programs, and stable.' })

const fieldSchema = (name: string): Schema => {
  switch (name) {
    case 'status':
      return { type: 'string', const: 'error' }
    case 'message':
      return { type: 'string', description: 'One sentence for people; its words may change.' }
    case 'doc_url':
      return { type: 'string', format: 'uri-reference', description: 'The page of this code. A path leads to it from the address of the request.' }
    case 'retry':
      return RetryAdvice.schema
    case 'platform_error':
      return PlatformError.schema
    case 'currency':
      return CurrencyCode.schema
    case 'resets_at':
      return Time.schema
    case 'errors':
      return Breaches.schema
    case 'expected':
      return Placeholders.schema
    case 'line':
      return { type: 'integer', minimum: 1, description: 'The line from which the file cannot be read, from 1.' }
    case 'column':
      return { type: ['string', 'null'], description: 'The column or the field at fault; null if it is no single one.' }
    default:
      return Amount.schema
  }
}
