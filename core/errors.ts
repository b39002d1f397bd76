import type { Act } from './act.js'
import type { JsonObject } from './json.js'
import type { MessageId } from './message.js'
import type { MessageState } from './message-state.js'
import type { Currency } from './money.js'
import type { Placeholder } from './placeholder.js'
import type { Instant } from './time.js'

export type {
  InvalidAccessToken, InvalidAccountId, InvalidAmount, InvalidDescription, InvalidEmail, InvalidEndpointUrl, InvalidEventId, InvalidEventTypes, InvalidIdempotencyKey,
  InvalidExpiry, InvalidName, InvalidNote, InvalidOverlap, InvalidPassword, InvalidPhoneNumber, InvalidReference, InvalidScopes, UnknownEventType,
} from './invalid.js'

/** The customer service window is closed: since `closedAt`, or always, where the customer never wrote. */
export type WindowClosed = { readonly _tag: 'WindowClosed'; readonly closedAt: Instant | undefined }

/** An authentication template was to go to a customer of whom only a user id is known; the platform takes them for phone numbers alone. */
export type PhoneNumberRequired = { readonly _tag: 'PhoneNumberRequired' }

/** A marketing template was to go to a customer who stopped marketing messages. */
export type CustomerOptedOut = { readonly _tag: 'CustomerOptedOut' }

/** The business account has no template of that name in that language; `languages` are those in which it is approved, `nearest` other names like it. */
export type TemplateNotFound = {
  readonly _tag: 'TemplateNotFound'
  readonly name: string
  readonly language: string
  readonly languages: ReadonlyArray<string>
  readonly nearest: ReadonlyArray<string>
}

/** The template is in a state in which the platform does not send it, such as `paused`; `languages` are those in which the name is approved. */
export type TemplateNotApproved = {
  readonly _tag: 'TemplateNotApproved'
  readonly name: string
  readonly language: string
  readonly status: string
  readonly languages: ReadonlyArray<string>
}

/** The components do not fill the template: what came is in the sentence, what would fill it in `expected`. */
export type TemplateParameters = { readonly _tag: 'TemplateParameters'; readonly sentence: string; readonly expected: ReadonlyArray<Placeholder> }

/** The wallet cannot cover a price. Amounts in micros; the shortfall is `required - available`. */
export type InsufficientBalance = {
  readonly _tag: 'InsufficientBalance'
  readonly required: bigint
  readonly available: bigint
  readonly held: bigint
  readonly currency: Currency
}

/**
 * An API key has spent as much as it may in a day; messages with it cost nothing more before `resetsAt`. Amounts in micros of the wallet's currency:
 * what the message costs, the limit, and what was spent or is set aside today.
 */
export type SpendingLimitReached = {
  readonly _tag: 'SpendingLimitReached'
  readonly required: bigint
  readonly limit: bigint
  readonly spent: bigint
  readonly currency: Currency
  readonly resetsAt: Instant
}

/** The principal may not do this; `isArchived` where only the archive of the workspace is in the way. */
export type Forbidden = { readonly _tag: 'Forbidden'; readonly act: Act; readonly isArchived?: true }

/** No member has this id or email; `member` is what was given. */
export type MemberNotFound = { readonly _tag: 'MemberNotFound'; readonly member: string }

/** Without this member there would be no operator left. */
export type LastOperator = { readonly _tag: 'LastOperator' }

/** A link that was used, has expired, or never was; which of them is never said. */
export type LinkUnusable = { readonly _tag: 'LinkUnusable' }

/** An email and a password that do not belong together; whether the email is a member's is never said. */
export type SignInRefused = { readonly _tag: 'SignInRefused' }

/** An identity provider vouches for a person who may not sign in; `reason` is a sentence for people. */
export type IdentityRefused = { readonly _tag: 'IdentityRefused'; readonly reason: string }

/** Too many attempts to sign in, with one email or from one address; `retryAt` is when the next one is looked at. */
export type TooManyAttempts = { readonly _tag: 'TooManyAttempts'; readonly retryAt: Instant }

/** A session that was ended, has expired, or never was. */
export type NotSignedIn = { readonly _tag: 'NotSignedIn' }

/** The platform did not accept the message and never will as it is; `error` is its error object, whole. */
export type PlatformRejected = { readonly _tag: 'PlatformRejected'; readonly error: JsonObject }

/** The platform did not accept the message because too many were sent; it may later. */
export type PlatformThrottled = {
  readonly _tag: 'PlatformThrottled'
  readonly error: JsonObject
  readonly retryAfterSeconds?: number
}

/** The platform refuses the sender's credentials, permissions or account; nothing was accepted. For the operator to mend. */
export type CredentialsRefused = { readonly _tag: 'CredentialsRefused'; readonly error: JsonObject }

/** The platform was never reached, so nothing was sent; `cause` is for the log. */
export type PlatformUnreachable = { readonly _tag: 'PlatformUnreachable'; readonly cause: unknown }

/** The platform may or may not have accepted the message; `cause` is for the log. */
export type OutcomeUnknown = { readonly _tag: 'OutcomeUnknown'; readonly cause: unknown }

/**
 * The platform was not reached, or gave no answer that says what came of a request that may be repeated without harm; `cause` is for the log.
 * A send is never reported so, since repeating it could send a message twice.
 */
export type PlatformUnanswered = { readonly _tag: 'PlatformUnanswered'; readonly cause: unknown }

/** The platform has no such attachment for this sender, or no longer. */
export type MediaGone = { readonly _tag: 'MediaGone' }

/** An attachment has no byte of the range that was asked for; `size` is how many bytes it has, where the platform says so. */
export type RangeNotSatisfiable = { readonly _tag: 'RangeNotSatisfiable'; readonly size: number | undefined }

/** Everything but an accepted id that a platform can answer. */
export type PlatformError =
  | PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable | OutcomeUnknown

/** An API key that is malformed, unknown, revoked or expired; which of them is never said. */
export type UnknownApiKey = { readonly _tag: 'UnknownApiKey' }

/** The API key with this id is revoked or has expired, so it can get no successor. */
export type KeyEnded = { readonly _tag: 'KeyEnded'; readonly id: string }

/** The API key with this id has a successor already, whose id is `by`. */
export type KeyReplaced = { readonly _tag: 'KeyReplaced'; readonly id: string; readonly by: string }

/** The workspace has no sender, so nothing can be sent for it. */
export type SenderNotConfigured = { readonly _tag: 'SenderNotConfigured' }

/** The sender has no business account id, so nothing is known of its templates. */
export type BusinessAccountNotConfigured = { readonly _tag: 'BusinessAccountNotConfigured' }

/** The platform's phone number id already belongs to another workspace. */
export type SenderTaken = { readonly _tag: 'SenderTaken' }

/** The platform has not confirmed that an access token may use a phone number or a business account; `reason` is a sentence without a full stop, shown to the person or the command that set the sender. */
export type SenderNotConfirmed = { readonly _tag: 'SenderNotConfirmed'; readonly of: 'number' | 'account'; readonly reason: string }

/** The workspace does not exist. */
export type UnknownWorkspace = { readonly _tag: 'UnknownWorkspace' }

/** The idempotency key is guarding a message that is still under way. */
export type IdempotencyInProgress = { readonly _tag: 'IdempotencyInProgress' }

/** The idempotency key guards another request. */
export type IdempotencyKeyReused = { readonly _tag: 'IdempotencyKeyReused' }

/** A status names a message whose acceptance may still be on its way into the log; the platform should report it again. */
export type NotYetKnown = { readonly _tag: 'NotYetKnown' }

/** It is not known yet whether `count` messages to the customer went out, so the customer cannot be erased. */
export type MessagesUnderWay = { readonly _tag: 'MessagesUnderWay'; readonly count: number }

/** No message of that id exists, or none of the workspace. */
export type NoSuchMessage = { readonly _tag: 'NoSuchMessage'; readonly id: string }

/** The outcome of the message is known, or it may still be on its way; `state` is the state that stands. */
export type NotUnconfirmed = { readonly _tag: 'NotUnconfirmed'; readonly id: MessageId; readonly state: MessageState }

/** A balance would pass `MAX_MICROS`, or an adjustment would take it below zero. */
export type BalanceOutOfRange = { readonly _tag: 'BalanceOutOfRange' }

/** A reference stands for another amount: `credited`, in micros, which is what was added under it. */
export type ReferenceReused = { readonly _tag: 'ReferenceReused'; readonly credited: bigint }

/** No lost message of that id, ours or the platform's, waits to be settled. */
export type NoSuchLostMessage = { readonly _tag: 'NoSuchLostMessage'; readonly id: string }

/** The lost message was settled before, so nothing is charged again. */
export type LostMessageSettled = { readonly _tag: 'LostMessageSettled'; readonly id: string }

/** The workspace has no endpoint with this id; `id` is what was given. */
export type EndpointNotFound = { readonly _tag: 'EndpointNotFound'; readonly id: string }

/** The endpoint is disabled, so nothing is delivered to it until it is enabled. */
export type EndpointDisabled = { readonly _tag: 'EndpointDisabled'; readonly id: string }

/** The workspace has as many endpoints as it may have, which is `most`. */
export type TooManyEndpoints = { readonly _tag: 'TooManyEndpoints'; readonly most: number }

/** The workspace has no event with this id, or no longer; `id` is what was given. */
export type EventNotFound = { readonly _tag: 'EventNotFound'; readonly id: string }

/** Infrastructure failed: which port, and the cause, which is for the log and never leaves it. */
export type PortFailure = { readonly _tag: 'PortFailure'; readonly port: string; readonly cause: unknown }

/** A failure that came after the message was opened; `replayed` where a repeated request gets it again. */
export type WithMessageId<Failure> = Failure & { readonly messageId: MessageId; readonly replayed: boolean }

/** Makes a `PortFailure` of a port out of a thrown value, as `TaskEither.tryCatch` takes it. */
export const portFailure =
  (port: string) =>
  (cause: unknown): PortFailure => ({ _tag: 'PortFailure', port, cause })
