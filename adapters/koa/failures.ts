import type { Forbidden } from '../../core/access/access.js'
import type { UnknownApiKey } from '../../core/access/keys.js'
import type { InvalidPhoneNumber } from '../../core/customers/customer.js'
import type {
  EndpointDisabled, EndpointNotFound, InvalidDescription, InvalidEndpointUrl, InvalidEventTypes, TooManyEndpoints,
} from '../../core/events/endpoint.js'
import type { Scope } from '../../core/kernel/actor.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import type { EventNotFound, InvalidEventId, UnknownEventType } from '../../core/kernel/outbox.js'
import type { MarkReadError, OpenMediaError } from '../../core/messages/conversation.js'
import type { InvalidIdempotencyKey } from '../../core/messages/message.js'
import type { NotYetKnown } from '../../core/reports/status.js'
import type { QuoteTemplateError, QuoteTextError } from '../../core/sending/quote.js'
import type { SendTemplateError, SendTextError } from '../../core/sending/send.js'

/** Required parameters that are absent or empty, in the order of the contract; `hint` says what may have gone wrong. */
export type MissingParameters = { readonly _tag: 'MissingParameters'; readonly names: ReadonlyArray<string>; readonly hint?: string }

/** Parameters of the wrong type or length; the sentence names each and its rule. */
export type InvalidParameter = { readonly _tag: 'InvalidParameter'; readonly sentence: string }

/** A body that cannot be read as its content type; the sentence says why. */
export type MalformedBody = { readonly _tag: 'MalformedBody'; readonly sentence: string }

/** A body of more bytes than the operation takes. */
export type PayloadTooLarge = { readonly _tag: 'PayloadTooLarge'; readonly limit: number }

/** A body type, charset or encoding the operation does not take; the sentence says what it takes. */
export type UnsupportedMediaType = { readonly _tag: 'UnsupportedMediaType'; readonly sentence: string }

/** The address does not exist, or this workspace has nothing with that id. */
export type NotFound = { readonly _tag: 'NotFound' }

export const notFound: NotFound = { _tag: 'NotFound' }

/** The address has no such method; `allow` is the value of the header. */
export type MethodNotAllowed = { readonly _tag: 'MethodNotAllowed'; readonly allow: string }

/** The workspace has made more requests than its limit allows; it may make the next one after `retryAfterSeconds`. */
export type RateLimited = { readonly _tag: 'RateLimited'; readonly retryAfterSeconds: number }

/** The API key is valid, and does not have the scope that the operation needs. */
export type MissingScope = { readonly _tag: 'MissingScope'; readonly scope: Scope }

/** A notification without a valid signature of the platform. */
export type BadSignature = { readonly _tag: 'BadSignature'; readonly signature: 'missing' | 'malformed' | 'wrong' }

/** A verification handshake without the agreed token. */
export type VerificationRefused = { readonly _tag: 'VerificationRefused' }

/** A body that did not arrive in time. */
export type BodyTooSlow = { readonly _tag: 'BodyTooSlow' }

/** The bodies of all requests already use all the memory that they may use. */
export type Overloaded = { readonly _tag: 'Overloaded' }

/** A defect of the gateway; its cause is in the log. */
export type Defect = { readonly _tag: 'Defect' }

/** Why a body could not be read. */
export type BodyFailure = InvalidParameter | MalformedBody | PayloadTooLarge | UnsupportedMediaType | BodyTooSlow | Overloaded

/** How the operations of events and endpoints can fail. */
export type EventsFailure =
  | EndpointDisabled | EndpointNotFound | EventNotFound | InvalidDescription | InvalidEndpointUrl | InvalidEventId | InvalidEventTypes | TooManyEndpoints
  | UnknownEventType

/** Every failure that has a row in the table of replies. */
export type HttpFailure =
  | SendTextError | SendTemplateError | QuoteTextError | QuoteTemplateError | MarkReadError | OpenMediaError | InvalidPhoneNumber
  | InvalidIdempotencyKey | UnknownApiKey | NotYetKnown | PortFailure | BodyFailure | MissingParameters | NotFound | MethodNotAllowed | RateLimited | TooManyRequests | MissingScope | Forbidden
  | BadSignature | VerificationRefused | Defect | EventsFailure

/** The names of exactly the failures that an operation can have. */
export type Failures<Failure extends HttpFailure> = Readonly<Record<Failure['_tag'], true>>

export type FailureTag = HttpFailure['_tag']
