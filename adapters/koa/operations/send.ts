import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { ConsentRefusal } from '../../../core/consent/asking.js'
import type { PhoneNumberRequired } from '../../../core/customers/customer.js'
import type { KeyPrincipal } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { isDeeperThan, type JsonObject } from '../../../core/kernel/json.js'
import { MAX_TEXT_LENGTH } from '../../../core/kernel/text.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { MAX_CONFIRM_WITHIN_MS, MIN_CONFIRM_WITHIN_MS } from '../../../core/messages/deadlines.js'
import {
  type Addressed, MAX_LANGUAGE_LENGTH, type Message, PLATFORM_ID_FORM, type Sent, type TemplateMessage, templateMessage, type TextMessage,
} from '../../../core/messages/message.js'
import type { SendingKey } from '../../../core/money/wallet.js'
import type { SenderId } from '../../../core/senders/sender.js'
import type { Prefetched } from '../../../core/sending/prepare.js'
import type { DeliverError, ReplayError, SendError, SendOptions } from '../../../core/sending/send.js'
import type { PreflightRefusal } from '../../../core/templates/use-cases.js'
import {
  CustomerId, Metadata, NamedSender, notBlank, Quoted, TemplateName, wellFormed, withoutControls, WrittenCustomerId,
} from '../codecs.js'
import type { HeaderName } from '../openapi-types.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { type Failures, type HttpFailure, type InvalidParameter, messageHeaders } from '../reply.js'
import {
  array, codec, type Codec, described, fields, form, length, literal, named, type NoFields, record, string, type TypeOf,
  wholeNumber,
} from '../schema.js'
import { queuedReply, type QueuedView, sendOrQueue, type TimedBody, TIMING, TIMING_FAILURES, type TimingFailure } from './timing.js'

/** How many levels of arrays and objects the components may have. */
const MAX_NESTING = 100

/** A template has a header, a body, ten buttons and a carousel at most, so this limit refuses no template of the platform. */
const MAX_COMPONENTS = 100

/** The text of a component has at most 1,024 characters and a variable takes five of them, so no component has more variables. */
const MAX_PARAMETERS = 256

/** A value that is passed on unchanged. A value nested deeper than anything of the platform could overflow the stack of the process. */
export const passedOn = <A>(inner: Codec<A>): Codec<A> => codec(inner.name, inner, (value, context) =>
  isDeeperThan(MAX_NESTING, value)
    ? t.failure(value, context, `nested at most ${MAX_NESTING} levels deep`)
    : inner.validate(value, context))

const PASSED_ON = 'Every other field is passed on unchanged.'

const TextParameter = named('TextParameter', described(
  fields({ type: literal('text'), text: string() }), `A variable of the template that is a text. ${PASSED_ON}`,
))

const OtherParameter = named('OtherParameter', described(
  fields({ type: { ...string(), schema: { type: 'string', not: { const: 'text' } } } }),
  `A variable of the template of another type, such as \`currency\` or \`image\`. ${PASSED_ON}`,
))

const TemplateParameter = named('TemplateParameter', codec<unknown>(
  'an object',
  {
    schema: { oneOf: [TextParameter.schema, OtherParameter.schema] },
    definitions: { ...TextParameter.definitions, ...OtherParameter.definitions },
  },
  (value, context) => (isText(value) ? TextParameter : OtherParameter).validate(value, context),
))

const isText = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'

const TemplateComponent = named('TemplateComponent', described(
  fields({ type: string() }, { parameters: array(TemplateParameter, 'an array of objects', { maxItems: MAX_PARAMETERS }) }),
  `A part of the template, such as its \`header\`, \`body\` or a \`button\`. ${PASSED_ON}`,
))

const checkedComponents = array(TemplateComponent, 'an array of objects', { maxItems: MAX_COMPONENTS })

/** The components of a template, which are checked and passed on unchanged. */
export const Components: Codec<ReadonlyArray<JsonObject>> = described(
  passedOn(codec(checkedComponents.name, checkedComponents, (value, context) => {
    const checked = checkedComponents.validate(value, context)
    return E.isLeft(checked) ? checked : t.success(value as ReadonlyArray<JsonObject>)
  })),
  `The values of the template's variables; passed on unchanged. At most ${MAX_COMPONENTS} components of at most ${MAX_PARAMETERS} parameters each, nested at most ${MAX_NESTING} levels deep, and without numbers that lose precision as a double.`,
)

/** How every send can fail. */
export const SEND_FAILURES: Failures<Exclude<DeliverError | ReplayError, { readonly _tag: 'PortFailure' }>> = {
  SenderNotConfigured: true, UnknownSender: true, InsufficientBalance: true, SpendingLimitReached: true, IdempotencyInProgress: true,
  IdempotencyKeyReused: true, PairLimitReached: true, SenderLimitReached: true, PortfolioLimitReached: true,
  PlatformRejected: true, PlatformThrottled: true, CredentialsRefused: true, PlatformUnreachable: true, OutcomeUnknown: true,
}

/** Reasons to refuse a template before its payment. */
export const TEMPLATE_REFUSALS: Failures<PreflightRefusal | PhoneNumberRequired | ConsentRefusal> = {
  TemplateNotFound: true, TemplateNotApproved: true, TemplateParameters: true, PhoneNumberRequired: true, CustomerOptedOut: true,
  ConsentRequired: true,
}

/** The key that a message is sent with. */
export const sendingKey = ({ key, spendingLimit, spendingId }: KeyPrincipal): SendingKey => ({
  id: key, ...(spendingLimit !== undefined && { spendingLimit }), ...(spendingId !== undefined && { spendingId }),
})

/** Sends the message of a request. */
const sendOf = async <Of extends Message>(
  deps: UseCases, { workspace, principal, idempotency, body }: WorkspaceRequest<NoFields, ThroughSender & TimedBody>,
  message: Of, options: Pick<SendOptions, 'prefetched' | 'confirmWithinMs'>,
): Outcome<SendError<Of> | TimingFailure, SentView | QueuedView> =>
  sendOrQueue<Of, SentView>(
    deps, { workspace, sender: body.sender, message, key: sendingKey(principal), ...idempotency, ...options }, body, sentView,
  )

/** Sends the message of a request that may name within how many seconds it has to be delivered. */
export const sendConfirmed = async <Of extends Message>(
  deps: UseCases, request: WorkspaceRequest<NoFields, ThroughSender & TimedBody & { readonly confirm_within?: number | undefined }>,
  message: Of, prefetched: Prefetched | undefined,
): Outcome<SendError<Of> | TimingFailure, SentView | QueuedView> => {
  const confirmation = confirmationOf(deps, request.body.confirm_within)
  return E.isLeft(confirmation)
    ? confirmation
    : sendOf(deps, request, message, { ...confirmation.right, ...(prefetched && { prefetched }) })
}

/** A body that may name a sender. */
export type ThroughSender = { readonly sender?: SenderId | undefined }

/** The reply's body of a send. */
export type SentView = { readonly status: 'success'; readonly message_id: string }

const SentCodec: Codec<SentView | QueuedView> = named('Sent', record({
  status: literal('success'),
  message_id: described(string(form(PLATFORM_ID_FORM, "the platform's id of a message")), "The platform's id of the message, on WhatsApp `wamid.…`."),
}))

const EXAMPLE: SentView = { status: 'success', message_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2' }
const HEADERS: ReadonlyArray<HeaderName> = ['Postern-Message', 'Idempotency-Replayed']

/** The reply of a send, for the document. */
export const sentReply = {
  description: 'The platform has accepted the message, and its price is captured.',
  codec: SentCodec,
  example: EXAMPLE,
  headers: HEADERS,
}

/** The result of a send, for its reply. */
export const sentResult = <Failure extends HttpFailure>(sent: E.Either<Failure, Sent>): Awaited<Outcome<Failure, SentView>> =>
  pipe(sent, E.map(sentView))

const sentView = ({ id, platformId, replayed }: Sent) => ({
  value: { status: 'success' as const, message_id: platformId }, headers: messageHeaders(id, replayed),
})

/** The order in which a send is refused, for the document. */
export const ORDER_OF_REFUSALS =
  'Refusals come in this order: the key (401), the limit (429), the request (413, 415, 400), its content (400), the window (400), the template (400), the wallet '
    + '(402), the spending limit of the key (402), the platform.'

/** The optional parts of every send in addition to its message. */
export const ADDITIONS = { context: Quoted, metadata: Metadata }

/** The sender of a send, in its body. */
export const Through = described(NamedSender, 'The phone number id of the sender; the default sender of the workspace if omitted.')

/** The optional fields of the body of every send, but not of a form with a file. */
export const SEND_OPTIONS = { ...ADDITIONS, sender: Through, ...TIMING }

const [MIN_SECONDS, MAX_SECONDS] = [MIN_CONFIRM_WITHIN_MS / SECOND_MS, MAX_CONFIRM_WITHIN_MS / SECOND_MS]

/** Within how many seconds a message has to be delivered. */
export const ConfirmWithin: Codec<number> = described(
  wholeNumber(MIN_SECONDS, MAX_SECONDS),
  `After this many seconds the event \`message.overdue\` is sent if the message is not delivered by then, for example to send a code by SMS. It changes nothing else.`,
)

/** For how long the delivery of a message is awaited, in the form of its send. `InvalidParameter`: the storage of the gateway keeps no deadlines. */
export const confirmationOf = (
  { postern: { sending } }: Pick<UseCases, 'postern'>, seconds: number | undefined,
): E.Either<InvalidParameter, Pick<SendOptions, 'confirmWithinMs'>> => {
  if (seconds === undefined) return E.right({})
  return sending.confirmsDelivery === true
    ? E.right({ confirmWithinMs: seconds * SECOND_MS })
    : E.left({ _tag: 'InvalidParameter', sentence: 'confirm_within must be left out: this gateway does not await deliveries' })
}

/** The optional parts of a request, in the form of its message. */
export const additionsOf = ({ context, metadata }: Pick<Addressed, keyof typeof ADDITIONS>): Pick<Addressed, keyof typeof ADDITIONS> =>
  ({ ...(context && { context }), ...(metadata && { metadata }) })

/** Fields that the contract reserves for later. A request with such a field is refused, because the caller would assume that it was applied. */
const NOT_YET = ['when_closed']

/** The body of a send, without the fields that are not available yet; `others` are further fields that it must not have, and why. */
export const withoutNotYet = <A>(
  inner: Codec<A>, others: Readonly<Record<string, string>> = {},
): Codec<A> => codec(inner.name, inner, (value, context) => {
  const read = inner.validate(value, context)
  const refused = [...NOT_YET.map((name) => [name, 'it is not available yet'] as const), ...Object.entries(others)]
  const early = refused.flatMap(([name, why]) => {
    const given = isObject(value) ? value[name] : undefined
    return given === undefined
      ? []
      : [{ value: given, context: t.appendContext(context, name, inner, given), message: `left out: ${why}` }]
  })
  return early.length === 0 ? read : t.failures([...(E.isLeft(read) ? read.left : []), ...early])
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const SendTextRequest = named('SendTextRequest', described(withoutNotYet(fields({
  to: CustomerId,
  text: described(string(length(MAX_TEXT_LENGTH), notBlank, wellFormed), `1 to ${MAX_TEXT_LENGTH} characters, counted in UTF-16 units, not only blanks.`),
}, SEND_OPTIONS), { confirm_within: 'POST /v1/messages/send accepts it, for every type' }), 'Unknown fields are ignored.'))

/** The body of a text, to be sent or quoted. */
export const textBody = {
  codec: SendTextRequest,
  forms: true,
  examples: { text: { value: { to: '33639980001', text: 'Your order 1742 is on its way.' } } },
}

/** A request of a text. */
export type TextRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTextRequest>>

/** The text in a request. */
export const textOf = ({ body: { to, text, ...more } }: TextRequest): TextMessage => ({ _tag: 'Text', to, text, ...additionsOf(more) })

/** `POST /messages/send-text` */
export const sendText = workspaceOperation({
  id: 'sendText',
  method: 'post',
  path: '/messages/send-text',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Send a text',
  description:
    'Sends free text, which the platform delivers only while the customer service window is open: for 24 hours after the customer ' +
    `last wrote. The body may have up to 256 KiB, a form up to 64 KiB and 32 fields. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: textBody,
  reply: sentReply,
  accepted: queuedReply,
  failures: { ...SEND_FAILURES, ...TIMING_FAILURES, CustomerOptedOut: true, WindowClosed: true },
  prefetch: ({ postern: { sending } }: UseCases, workspace: WorkspaceId, { to, sender }: TextRequest['body']) =>
    sending.prefetch?.({ workspace, sender, to }),
  run: (deps: UseCases, request: TextRequest, prefetched: Prefetched | undefined) =>
    sendOf(deps, request, textOf(request), prefetched === undefined ? {} : { prefetched }),
})

/** A language in a request. A name and a language are stored, and some databases cannot store control characters. */
export const Language = string(length(MAX_LANGUAGE_LENGTH), wellFormed, withoutControls)

const SendTemplateRequest = named('SendTemplateRequest', described(withoutNotYet(fields({
  to: WrittenCustomerId,
  template_name: described(TemplateName, 'The exact name of an approved template.'),
}, {
  language: described(Language, 'The code of the language the template was approved in; passed on exactly as given. `en` if omitted.'),
  components: Components,
  ...SEND_OPTIONS,
  confirm_within: ConfirmWithin,
})), 'Unknown fields are ignored.'))

/** The body of a template, to be sent or quoted. */
export const templateBody = {
  codec: SendTemplateRequest,
  forms: false,
  passedOn: ['components'],
  examples: {
    plain: { summary: 'A template without variables', value: { to: '+33 6 39 98 00 01', template_name: 'hello_world', language: 'en_US' } },
    variables: {
      summary: 'A template with two variables',
      value: {
        to: '33639980001', template_name: 'order_update', language: 'en_US',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: '1742' }] }],
      },
    },
    confirmed: {
      summary: 'A template that has to be delivered within half a minute',
      value: { to: '33639980001', template_name: 'hello_world', confirm_within: 30 },
    },
    userId: { summary: 'A customer by the user id', value: { to: 'DE.13491208655302741918', template_name: 'hello_world' } },
  },
}

/** A request of a template. */
export type TemplateRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTemplateRequest>>

/** The template in a request. */
export const templateOf = ({ body: { to, template_name: name, language, components, ...more } }: TemplateRequest): TemplateMessage =>
  templateMessage({ to, name, ...(language !== undefined && { language }), ...(components && { components }), ...additionsOf(more) })

/** `POST /messages/send-template` */
export const sendTemplate = workspaceOperation({
  id: 'sendTemplate',
  method: 'post',
  path: '/messages/send-template',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Send a template',
  description: `Sends an approved template, at any time. The body may have up to 256 KiB. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: templateBody,
  reply: sentReply,
  accepted: queuedReply,
  failures: { ...SEND_FAILURES, ...TEMPLATE_REFUSALS, ...TIMING_FAILURES },
  prefetch: ({ postern: { sending } }: UseCases, workspace: WorkspaceId, { to, sender, template_name: name }: TemplateRequest['body']) =>
    sending.prefetch?.({ workspace, sender, to, name }),
  run: (deps: UseCases, request: TemplateRequest, prefetched: Prefetched | undefined) =>
    sendConfirmed(deps, request, templateOf(request), prefetched),
})
