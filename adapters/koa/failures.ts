import type { InvalidIdempotencyKey, InvalidPhoneNumber, NotYetKnown, PortFailure, UnknownApiKey } from '../../core/errors.js'
import type { SendTemplateError } from '../../core/send-template.js'
import type { SendTextError } from '../../core/send-text.js'

/** Required parameters that are absent or empty, in the order of the contract. */
export type MissingParameters = { readonly _tag: 'MissingParameters'; readonly names: ReadonlyArray<string> }

/** Parameters of the wrong type or length; the sentence names each and its rule. */
export type InvalidParameter = { readonly _tag: 'InvalidParameter'; readonly sentence: string }

/** A body that does not read as what it says it is; the sentence says how. */
export type MalformedBody = { readonly _tag: 'MalformedBody'; readonly sentence: string }

/** A body of more bytes than the operation takes. */
export type PayloadTooLarge = { readonly _tag: 'PayloadTooLarge'; readonly limit: number }

/** A body type, charset or encoding the operation does not take; the sentence says what it takes. */
export type UnsupportedMediaType = { readonly _tag: 'UnsupportedMediaType'; readonly sentence: string }

/** There is no such address, or nothing by that id in this workspace. */
export type NotFound = { readonly _tag: 'NotFound' }

/** The address is known, the method is not; `allow` is the value of the header. */
export type MethodNotAllowed = { readonly _tag: 'MethodNotAllowed'; readonly allow: string }

/** The workspace has made more requests than its limit; it may go on in so many seconds. */
export type RateLimited = { readonly _tag: 'RateLimited'; readonly retryAfterSeconds: number }

/** A notification that does not carry the platform's signature. */
export type BadSignature = { readonly _tag: 'BadSignature' }

/** A verification handshake without the agreed token. */
export type VerificationRefused = { readonly _tag: 'VerificationRefused' }

/** A body that did not arrive whole in the time it is given. */
export type BodyTooSlow = { readonly _tag: 'BodyTooSlow' }

/** A defect of ours; what caused it is in the log. */
export type Defect = { readonly _tag: 'Defect' }

/** Why a body could not be read. */
export type BodyFailure = InvalidParameter | MalformedBody | PayloadTooLarge | UnsupportedMediaType

/** Every failure that has a row in the table of replies. */
export type HttpFailure =
  | SendTextError | SendTemplateError | InvalidPhoneNumber | InvalidIdempotencyKey | UnknownApiKey | NotYetKnown | PortFailure
  | BodyFailure | MissingParameters | NotFound | MethodNotAllowed | RateLimited
  | BadSignature | VerificationRefused | BodyTooSlow | Defect
