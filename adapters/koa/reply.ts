import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Forbidden } from '../../core/access/access.js'
import type { WrongBatchState } from '../../core/batches/batch.js'
import type { BatchChanged } from '../../core/batches/check.js'
import type { ContentGone } from '../../core/batches/again.js'
import type { PreflightChanged } from '../../core/batches/hold.js'
import type { NothingToSend, UnreadableFile } from '../../core/batches/use-cases.js'
import type { UnknownApiKey } from '../../core/access/keys.js'
import type { TimezoneUnknown } from '../../core/customers/time-zones.js'
import { type InvalidPhoneNumber, LEAVE_OUT_TRUNK_ZERO } from '../../core/customers/customer.js'
import type { WindowClosed } from '../../core/customers/window.js'
import {
  type EndpointDisabled, type EndpointNotFound, type InvalidDescription, type InvalidEndpointUrl, type InvalidEventTypes,
  MAX_DESCRIPTION_LENGTH, type TooManyEndpoints,
} from '../../core/events/endpoint.js'
import { CODES, type ErrorCode, type PassingCode } from '../../core/explanations/codes.js'
import type { RetryWhen } from '../../core/explanations/explanation.js'
import type { Scope } from '../../core/kernel/actor.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { formatMicros } from '../../core/kernel/money.js'
import type { EventNotFound, InvalidEventId, UnknownEventType } from '../../core/kernel/outbox.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { MarkReadError, OpenMediaError } from '../../core/messages/conversation.js'
import type { MediaInvalid } from '../../core/messages/files.js'
import type { Breach } from '../../core/messages/content.js'
import type { InvalidIdempotencyKey, MessageId } from '../../core/messages/message.js'
import type { InsufficientBalance, SpendingLimitReached } from '../../core/money/wallet.js'
import type { NotYetKnown } from '../../core/reports/status.js'
import type { QuoteError } from '../../core/sending/quote.js'
import type { AlreadySent } from '../../core/sending/queue.js'
import type { SendError } from '../../core/sending/send.js'
import type { TemplateNotApproved, TemplateNotFound } from '../../core/templates/check.js'
import { appOf, logFieldsOf, mountPathOf } from './request.js'

/** Required parameters that are absent or empty, in the order of the contract; `hint` gives a possible reason. */
export type MissingParameters = { readonly _tag: 'MissingParameters'; readonly names: ReadonlyArray<string>; readonly hint?: string }

/** Parameters of the wrong type or length; the sentence contains each name and its rule. */
export type InvalidParameter = { readonly _tag: 'InvalidParameter'; readonly sentence: string }

/** Content that breaks limits of its type. */
export type ContentInvalid = { readonly _tag: 'ContentInvalid'; readonly breaches: ReadonlyArray<Breach> }

/** A body that cannot be read as its content type; the sentence says why. */
export type MalformedBody = { readonly _tag: 'MalformedBody'; readonly sentence: string }

/** A body of more bytes than the operation accepts; `what` is the part of it that is too large. */
export type PayloadTooLarge = { readonly _tag: 'PayloadTooLarge'; readonly limit: number; readonly what?: string }

/** A body type, charset or encoding that the operation does not accept; the sentence lists what it accepts. */
export type UnsupportedMediaType = { readonly _tag: 'UnsupportedMediaType'; readonly sentence: string }

/**
 * The address does not exist, or this workspace has nothing with that id: the sentence tells what is missing. `object` is the id, at the addresses that contain an
 * object of the platform.
 */
export type NotFound = { readonly _tag: 'NotFound'; readonly object?: string; readonly sentence?: string }

export const notFound: NotFound = { _tag: 'NotFound' }

/** An object that the workspace does not have, or that does not exist at all. */
export const missingThing = (sentence: string): NotFound => ({ _tag: 'NotFound', sentence })

/** A request without a valid API key; `hint` describes how the key was sent wrongly, never the key itself. */
export type Unauthenticated = UnknownApiKey & { readonly hint?: string }

/** The address has no such method; `allow` is the value of the header. */
export type MethodNotAllowed = { readonly _tag: 'MethodNotAllowed'; readonly allow: string }

/** The workspace has made more requests than its limit allows; the next one is allowed after `retryAfterSeconds`. */
export type RateLimited = { readonly _tag: 'RateLimited'; readonly retryAfterSeconds: number }

/** The API key is valid, but does not have the scope that the operation needs. */
export type MissingScope = { readonly _tag: 'MissingScope'; readonly scope: Scope }

/** A notification without a valid signature of the platform. */
export type BadSignature = { readonly _tag: 'BadSignature'; readonly signature: 'missing' | 'malformed' | 'wrong' } & OfApp

/** A verification handshake without the agreed token. */
export type VerificationRefused = { readonly _tag: 'VerificationRefused' } & OfApp

/** `isOfApp`: at the address of an app, whose secrets are stored and not set in the environment. */
export type OfApp = { readonly isOfApp?: true }

/** A body that did not arrive before the deadline. */
export type BodyTooSlow = { readonly _tag: 'BodyTooSlow' }

/** The bodies of all requests already use all the memory that they may use. */
export type Overloaded = { readonly _tag: 'Overloaded' }

/** A defect of the gateway; its cause is in the log. */
export type Defect = { readonly _tag: 'Defect' }

/** Why a body could not be read. */
export type BodyFailure = InvalidParameter | MalformedBody | PayloadTooLarge | UnsupportedMediaType | BodyTooSlow | Overloaded

/** How the operations of events and endpoints can fail. */
export type EventsFailure =
  | EndpointDisabled | EndpointNotFound | EventNotFound | InvalidDescription | InvalidEndpointUrl | InvalidEventId | InvalidEventTypes
  | TooManyEndpoints | UnknownEventType

/** How the operations of batches can fail. */
export type BatchesFailure = WrongBatchState | BatchChanged | PreflightChanged | NothingToSend | ContentGone | UnreadableFile

/** Every failure that has a row in the table of replies. */
export type HttpFailure =
  | SendError | TimezoneUnknown | AlreadySent | QuoteError | MediaInvalid | MarkReadError | OpenMediaError | InvalidPhoneNumber
  | InvalidIdempotencyKey | Unauthenticated | NotYetKnown | PortFailure | BodyFailure | MissingParameters | ContentInvalid | NotFound
  | MethodNotAllowed | RateLimited | TooManyRequests | MissingScope | Forbidden | BadSignature | VerificationRefused | Defect
  | EventsFailure | BatchesFailure

/** The names of exactly the failures that an operation can have. */
export type Failures<Failure extends HttpFailure> = Readonly<Record<Failure['_tag'], true>>

export type FailureTag = HttpFailure['_tag']

/** A reply to the caller, with only its own headers. */
export type Reply = {
  readonly status: number
  /** A text; bytes, for a reply that is created once and sent often, so that all copies share them; or a stream, which ends with the connection. */
  readonly body: string | Buffer | Readable
  readonly headers: Readonly<Record<string, string>>
  /** The code of the failure it reports. */
  readonly code?: string
}

/** A reply whose body is a text. */
export type TextReply = Reply & { readonly body: string }

const JSON_TYPE = 'application/json; charset=utf-8'

/** A reply that carries a value as JSON. */
export const jsonReply = (status: number, value: unknown, headers: Readonly<Partial<Record<string, string>>> = {}): TextReply => ({
  status, body: JSON.stringify(value), headers: { 'Content-Type': JSON_TYPE, ...headers },
})

/** A reply that carries plain text. */
export const textReply = (status: number, body: string): Reply => ({
  status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8' },
})

/** Writes a reply to the context of its request. */
export const writeReply = (ctx: Context, { status, body, headers, code }: Reply): void => {
  if (code !== undefined) logFieldsOf(ctx).code = code
  ctx.status = status
  for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '')
  ctx.body = body
}

/** How long a caller should wait, in seconds; these are estimates. */
const PLATFORM_RETRY_SECONDS = 5
const STORAGE_RETRY_SECONDS = 1
const IN_PROGRESS_RETRY_SECONDS = 1
const OVERLOAD_RETRY_SECONDS = 1
const BODY_RETRY_SECONDS = 1

const BODY_KIB = 1024

/** The content of a failure: its HTTP status, its code and sentence in this contract, further fields of the body, and headers. */
export type Refusal = {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly more: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/** Whether it is worth repeating the same request: `after_s` is present if `when` is `after`, and has the value of `Retry-After`. */
export type Retry = { readonly when: RetryWhen; readonly after_s?: number }

/** The context of a reply: addresses begin with `base`, and the time. */
export type ReplyContext = { readonly base: string; readonly now: Instant }

/** The reply of a failure. */
export const toReply = (failure: HttpFailure, { base, now }: ReplyContext): TextReply => {
  const { status, code, message, more, headers } = refusalOf(failure, now)
  return {
    ...jsonReply(
      status, { status: 'error', message, code, ...more, doc_url: `${base}/errors/${code}`, retry: retryOf(code, headers) }, headers,
    ),
    code,
  }
}

const REPLY_OF = Symbol('the reply of a failure in another contract')

/** Makes the failures of a request get the replies of another contract. */
export const useReplyOf = (ctx: Context, replyOf: (ctx: Context, failure: HttpFailure) => TextReply): void => {
  ctx[REPLY_OF] = replyOf
}

/**
 * The reply of a failure, in the shape of the contract to which the address of its request belongs.
 *
 * The address of an error's page begins with the address of the app if that is known. Otherwise it is a path, which leads a client to the server that it called: `Host`
 * may contain any text from a client or a proxy.
 */
export const replyTo = (ctx: Context, failure: HttpFailure): TextReply => {
  const replyOf = ctx[REPLY_OF] as Parameters<typeof useReplyOf>[1] | undefined
  if (replyOf !== undefined) return replyOf(ctx, failure)
  const { publicUrl, now } = appOf(ctx)
  return toReply(failure, { base: publicUrl ?? mountPathOf(ctx), now: now() })
}

const retryOf = (code: ErrorCode, { 'Retry-After': seconds }: Readonly<Record<string, string>>): Retry => {
  const { retry: when } = CODES[code]
  return when === 'after' ? { when, after_s: Number(seconds) } : { when }
}

/** The table from failures to HTTP. It has no default case: a new tag does not compile until it has a row here, and one in `graph/errors.ts`. */
export const refusalOf = (failure: HttpFailure, now: Instant): Refusal => {
  const of = 'messageId' in failure ? messageHeaders(failure.messageId, failure.replayed) : {}
  switch (failure._tag) {
    case 'MissingParameters':
      return refuse(400, 'missing_parameters', missing(failure))
    case 'InvalidParameter':
      return refuse(400, 'invalid_parameter', failure.sentence)
    case 'InvalidIdempotencyKey':
      return refuse(400, 'invalid_parameter',
        'Idempotency-Key must be one header of 1 to 255 printable ASCII characters, must not begin or end with a space, and must not contain an API key or an access token')
    case 'InvalidEndpointUrl':
    case 'InvalidEventTypes':
      return refuse(400, 'invalid_parameter', failure.reason)
    case 'UnknownEventType':
      return refuse(400, 'invalid_parameter', `types contains ${JSON.stringify(failure.type)}, which is neither a type of event nor a group of types`)
    case 'InvalidDescription':
      return refuse(400, 'invalid_parameter', `description must be one line of at most ${MAX_DESCRIPTION_LENGTH} characters`)
    case 'InvalidEventId':
      return refuse(400, 'invalid_parameter', 'after must be an id of an event, evt_…')
    case 'InvalidPhoneNumber':
      return refuse(400, 'invalid_phone_number', phoneNumberRule(failure))
    case 'PhoneNumberRequired':
      return refuse(400, 'invalid_phone_number',
        'An authentication template needs a phone number, but only the user id of this customer is known; the platform would refuse it (131062)')
    case 'CustomerOptedOut':
      return refuse(400, 'customer_opted_out', `This customer stopped ${failure.topic === 'all' ? 'all' : 'marketing'} messages`)
    case 'ConsentRequired':
      return refuse(400, 'consent_required', 'This customer did not consent to marketing messages, and this workspace requires it')
    case 'MalformedBody':
      return refuse(400, 'malformed_body', failure.sentence)
    case 'ContentInvalid':
      return refuse(400, 'content_invalid', whatIsBroken(failure), { errors: failure.breaches.slice(0, MAX_BREACHES) })
    case 'MediaInvalid':
      return refuse(400, 'media_invalid', failure.reason)
    case 'WindowClosed':
      return refuse(400, 'window_closed', whenClosed(failure))
    case 'TimezoneUnknown':
      return refuse(400, 'timezone_unknown', 'The time zone of this customer is not known for sure; name one as deliver_between.timezone')
    case 'TemplateNotFound':
      return refuse(400, 'template_not_found', whatIsApproved(failure))
    case 'TemplateNotApproved':
      return refuse(400, 'template_not_approved', whatStatus(failure))
    case 'TemplateParameters':
      return refuse(400, 'template_parameters', failure.sentence, { expected: failure.expected })
    case 'PlatformRejected':
      return refuse(400, 'platform_rejected', `The platform refused the ${'messageId' in failure ? 'message' : 'request'}; platform_error says why`,
        { platform_error: failure.error }, of)
    case 'UnreadableFile':
      return refuse(400, 'unreadable_file', whereUnreadable(failure), placeOf(failure))
    case 'ContentGone':
      return refuse(400, 'content_gone', `What the recipients of ${failure.id} were sent is not kept any more; add the recipients as a file`)
    case 'NothingToSend':
      return refuse(400, 'nothing_to_send', 'No recipient of this batch can be sent to, so it was not confirmed; its preflight lists the problems')
    case 'UnknownApiKey':
      return refuse(401, 'unauthenticated', howToSend(failure), {}, { 'WWW-Authenticate': 'Bearer' })
    case 'BadSignature':
      return refuse(401, 'unauthenticated', signatureFault(failure))
    case 'InsufficientBalance':
      return refuse(402, 'insufficient_balance', whatIsShort(failure, paidBy(failure)), amounts(failure), of)
    case 'SpendingLimitReached':
      return refuseFor(
        (failure.resetsAt - now) / SECOND_MS, 402, 'spending_limit_reached', whatIsSpent(failure, paidBy(failure)), limitOf(failure), of,
      )
    case 'VerificationRefused':
      return refuse(403, 'forbidden', `Webhook verification failed: hub.mode is not subscribe, or hub.verify_token is not ${failure.isOfApp === true ? 'the verify token of this app' : 'PLATFORM_VERIFY_TOKEN'}`)
    case 'MissingScope':
      return refuse(403, 'forbidden', `This API key does not have the scope ${failure.scope}`)
    case 'Forbidden':
      return refuse(403, 'forbidden', failure.isArchived === true ? 'The workspace is archived, so it can only be read' : `This API key does not have the scope that ${failure.act} needs`)
    case 'NotFound':
      return refuse(404, 'not_found', failure.sentence ?? 'No operation exists at this address; /docs lists all operations')
    case 'EndpointNotFound':
      return refuse(404, 'not_found', `This workspace has no endpoint ${failure.id}`)
    case 'EventNotFound':
      return refuse(404, 'not_found', `This workspace has no event ${failure.id}, or no longer has it`)
    case 'MediaGone':
      return refuse(404, 'not_found', 'The platform does not have this attachment for this workspace, or no longer has it')
    case 'MethodNotAllowed':
      return refuse(405, 'method_not_allowed', `This address accepts only ${failure.allow}`, {}, { Allow: failure.allow })
    case 'BodyTooSlow':
      return refuseFor(
        BODY_RETRY_SECONDS, 408, 'request_timeout', 'The request did not arrive completely before the timeout', {}, { Connection: 'close' },
      )
    case 'IdempotencyInProgress':
      return refuse(409, 'idempotency_in_progress', 'A request with this Idempotency-Key is still being processed; repeat this one shortly',
        {}, { 'Retry-After': String(IN_PROGRESS_RETRY_SECONDS) })
    case 'AlreadySent':
      return refuse(409, 'already_sent', `The message is ${failure.state}, so it cannot be canceled any more`)
    case 'WrongBatchState':
      return refuse(409, 'batch_state', `The batch is ${failure.state}, which does not permit this`)
    case 'BatchChanged':
      return refuse(409, 'batch_state', 'Another request confirmed or canceled the batch during its check; read it again')
    case 'PreflightChanged':
      return refuse(409, 'preflight_changed', `The batch costs ${formatMicros(failure.total)}, not ${formatMicros(failure.confirmed)}; confirm the total of its latest preflight`,
        { total: formatMicros(failure.total) })
    case 'EndpointDisabled':
      return refuse(409, 'endpoint_disabled', 'The endpoint is disabled, so nothing is delivered to it; enable it first')
    case 'TooManyEndpoints':
      return refuse(409, 'too_many_endpoints', `This workspace has ${failure.most} endpoints, which is the maximum; remove one first`)
    case 'PayloadTooLarge':
      return refuse(413, 'payload_too_large', `The ${failure.what ?? 'body'} is larger than ${failure.limit / BODY_KIB} KiB`)
    case 'UnsupportedMediaType':
      return refuse(415, 'unsupported_media_type', failure.sentence)
    case 'RangeNotSatisfiable':
      return refuse(416, 'range_not_satisfiable', 'The requested range is outside the attachment',
        {}, failure.size === undefined ? {} : { 'Content-Range': `bytes */${failure.size}` })
    case 'IdempotencyKeyReused':
      return refuse(422, 'idempotency_key_reused', 'This Idempotency-Key already belongs to another request; use a new key')
    case 'PlatformThrottled':
      return refuseFor(
        failure.retryAfterSeconds ?? PLATFORM_RETRY_SECONDS, 429, 'platform_throttled', whatIsThrottled('messageId' in failure),
        { platform_error: failure.error }, of,
      )
    case 'PairLimitReached':
      return refuseFor((failure.retryAt - now) / SECOND_MS, 429, 'pair_limit', 'The sender has sent this customer as many messages as it may in a short time; nothing was sent and nothing was charged')
    case 'SenderLimitReached':
      return refuseFor(failure.retryAfterMs / SECOND_MS, 429, 'sender_limit', 'The sender sends as fast as it may; nothing was sent and nothing was charged')
    case 'PortfolioLimitReached':
      return refuseFor((failure.retryAt - now) / SECOND_MS, 429, 'sender_limit', 'The business account of the sender has reached as many customers in 24 hours, outside of their windows, as it may; nothing was sent and nothing was charged')
    case 'RateLimited':
      return refuseFor(failure.retryAfterSeconds, 429, 'rate_limited', 'This workspace has made too many requests')
    case 'TooManyRequests':
      return refuseFor(failure.retryAfterSeconds, 429, 'rate_limited', `Too many requests of this kind were made in a short time ${underWay(failure.limit)}`)
    case 'Defect':
      return refuse(500, 'internal', 'The gateway has a defect and did not finish this request; its log has the cause under the X-Request-Id')
    case 'CredentialsRefused':
      return refuse(502, 'platform_credentials', "The platform refuses this workspace's sender; its operator must correct it",
        {}, of)
    case 'PlatformUnreachable':
      return refuseFor(PLATFORM_RETRY_SECONDS, 503, 'platform_unreachable', whyUnreachable('messageId' in failure), {}, of)
    case 'PlatformUnanswered':
      return refuseFor(PLATFORM_RETRY_SECONDS, 503, 'platform_unreachable', 'The platform did not answer as expected; the request can safely be repeated')
    case 'PortFailure':
      return refuseFor(STORAGE_RETRY_SECONDS, 503, 'storage_unavailable', 'Temporarily unavailable; nothing was sent and nothing was charged')
    case 'NotYetKnown':
      return refuseFor(STORAGE_RETRY_SECONDS, 503, 'message_not_known_yet', 'A message in this notification is not known yet; deliver the notification again')
    case 'UnknownSender':
      return refuse(400, 'invalid_parameter', `sender must be the phone number id of one of the senders of this workspace; ${failure.sender} is not`)
    case 'SenderNotConfigured':
      return refuse(503, 'sender_not_configured', 'This workspace has no sender yet; nothing was sent and nothing was charged')
    case 'Overloaded':
      return refuseFor(OVERLOAD_RETRY_SECONDS, 503, 'overloaded', 'The gateway is reading too many request bodies at the same time; nothing was sent and nothing was charged')
    case 'OutcomeUnknown':
      return refuse(504, 'outcome_unknown', whatIsUnknown(failure.messageId), {}, of)
  }
}

/** The headers with the message id of a reply. */
export const messageHeaders = (id: MessageId, replayed: boolean): Readonly<Record<string, string>> => ({
  'Postern-Message': id, ...(replayed && { 'Idempotency-Replayed': 'true' }),
})

type StatusOf<Code extends ErrorCode> = (typeof CODES)[Code]['status']

const refuse = <Code extends Exclude<ErrorCode, PassingCode>>(
  status: StatusOf<Code>, code: Code, message: string, more: JsonObject = {}, headers: Readonly<Record<string, string>> = {},
): Refusal => ({ status, code, message, more, headers })

/** A temporary refusal, which ends after this many seconds. */
const refuseFor = <Code extends PassingCode>(
  seconds: number, status: StatusOf<Code>, code: Code, message: string, more: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
): Refusal => ({ status, code, message, more, headers: { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } })

/** It never tells which, so that a guess reveals nothing. */
export const NO_KEY = 'The API key is missing, malformed, invalid or revoked'

const howToSend = ({ hint }: Unauthenticated): string => `${NO_KEY}. ${hint ?? ''}Send it as the header Authorization: Bearer pst_…`

const underWay = (limit: string): string => (limit === 'gateway' ? 'at this gateway' : `for this ${limit}`)

const missing = ({ names, hint }: MissingParameters): string =>
  `Missing required parameters: ${names.join(', ')}${hint === undefined ? '' : `. ${hint}`}`

/** A body of 256 KiB can break a limit tens of thousands of times. */
const MAX_BREACHES = 100

const whatIsBroken = ({ breaches: [first, ...more] }: ContentInvalid): string => {
  if (first === undefined) return 'The content breaks a limit of its type'
  const { path, rule, given } = first
  return `${path} must be ${rule} (given: ${given === null ? 'nothing' : given})${more.length === 0 ? '' : `; errors lists ${more.length} more`}`
}

const OR_USER_ID = 'or a user id of the platform: two capital letters, a dot, and 1 to 128 letters and digits'

const phoneNumberRule = ({ form, meant, hasTrunkZero }: InvalidPhoneNumber): string => {
  if (hasTrunkZero === true) return `${LEAVE_OUT_TRUNK_ZERO}: to must be 7 to 15 digits that begin with the country code`
  switch (form) {
    case 'digits':
      return `to must be 7 to 15 digits, country code first, without + and without separators, ${OR_USER_ID}${meant === undefined ? '' : `. Write ${meant}`}`
    case 'written':
      return `to must be 7 to 15 digits, country code first, with or without a leading + and the separators space - . ( ), ${OR_USER_ID}`
  }
}

const signatureFault = ({ signature, isOfApp }: BadSignature): string => {
  switch (signature) {
    case 'missing': return 'The header X-Hub-Signature-256 is missing'
    case 'malformed': return 'The header X-Hub-Signature-256 must be sha256= and 64 hexadecimal digits'
    case 'wrong':
      return isOfApp === true
        ? 'X-Hub-Signature-256 does not match this body and an app secret of this app; postern app rotate stores another one'
        : 'X-Hub-Signature-256 does not match this body and the app secret of this gateway; check PLATFORM_APP_SECRET'
  }
}

const whereUnreadable = ({ problem: { line, message } }: UnreadableFile): string =>
  `The file cannot be read from line ${line} on, and none of its lines were stored: ${message}`

const placeOf = ({ problem: { line, column } }: UnreadableFile): JsonObject => ({ line, column: column ?? null })

const whenClosed = ({ closedAt }: WindowClosed): string =>
  closedAt === undefined
    ? 'The customer never wrote to this sender, so no customer service window is open; send a template instead'
    : `The customer service window closed at ${new Date(closedAt).toISOString()}; send a template instead`

const whatIsApproved = ({ name, language, languages, nearest }: TemplateNotFound): string => {
  if (languages.length > 0) return `${name} is approved in ${languages.join(', ')}; language was ${language}. Send one of those as language`
  if (nearest.length > 0) return `No approved template is named ${name}; the nearest names are ${nearest.join(', ')}`
  return `No approved template is named ${name}; GET /v1/templates lists the templates of this workspace`
}

const whatStatus = ({ name, language, status, languages }: TemplateNotApproved): string =>
  `${name} in ${language} has the status ${status}, and the platform sends only approved templates` +
  (languages.length > 0 ? `; it is approved in ${languages.join(', ')}` : '')

/** What was to be paid. */
const paidBy = (failure: object): string => ('isBatch' in failure ? 'batch' : 'message')

const whatIsShort = ({ required, available, currency }: InsufficientBalance, what: string): string =>
  `The wallet cannot cover this ${what}: it costs ${formatMicros(required)} ${currency}, ` +
  `and ${formatMicros(available)} ${currency} are available`

const whatIsSpent = ({ required, limit, spent, currency, resetsAt }: SpendingLimitReached, what: string): string =>
  `This API key may spend ${formatMicros(limit)} ${currency} a day and has spent ${formatMicros(spent)} ${currency}; ` +
  `this ${what} costs ${formatMicros(required)} ${currency}. The next day begins at ${new Date(resetsAt).toISOString()}`

const whatIsUnknown = (id: MessageId): string =>
  `The platform did not confirm message ${id}. It may or may not have been sent. ` +
  'Do not send it again with a new key: look it up by this id, or repeat the request with the same Idempotency-Key'

const whatIsThrottled = (isSend: boolean): string =>
  (isSend ? 'The platform is throttling and nothing was sent; try again later' : 'The platform is throttling; try again later')

/** A send that was not admitted has opened no message. */
const whyUnreachable = (isOpened: boolean): string =>
  `${isOpened ? 'The platform cannot be reached' : 'Too many sends are waiting for the platform'}; nothing was sent and nothing was charged`

const amounts = ({ required, available, held, currency }: InsufficientBalance): JsonObject => ({
  required: formatMicros(required),
  available: formatMicros(available),
  held: formatMicros(held),
  shortfall: formatMicros(required - available),
  currency,
})

const limitOf = ({ required, limit, spent, currency, resetsAt }: SpendingLimitReached): JsonObject => ({
  required: formatMicros(required),
  limit: formatMicros(limit),
  spent: formatMicros(spent),
  currency,
  resets_at: new Date(resetsAt).toISOString(),
})
