/** A number that is not E.164; `form` says which spelling was asked for. */
export type InvalidPhoneNumber = { readonly _tag: 'InvalidPhoneNumber'; readonly form: 'digits' | 'written' }

/** An amount, currency or rate that does not read as one; `reason` is a sentence for people. */
export type InvalidAmount = { readonly _tag: 'InvalidAmount'; readonly reason: string }

/** An idempotency key that is empty, too long or not printable ASCII. */
export type InvalidIdempotencyKey = { readonly _tag: 'InvalidIdempotencyKey' }

/** A name of a workspace or an API key that is empty, too long or misleading; `reason` is a sentence for people. */
export type InvalidName = { readonly _tag: 'InvalidName'; readonly reason: string }

/** A reference of a top-up that is not 1 to 255 printable ASCII characters, or begins or ends with a space. */
export type InvalidReference = { readonly _tag: 'InvalidReference' }

/** A note that is empty, too long or has control characters. */
export type InvalidNote = { readonly _tag: 'InvalidNote' }

/** A phone number id or a business account id that is not 1 to 32 digits; `id` is what was given. */
export type InvalidAccountId = { readonly _tag: 'InvalidAccountId'; readonly id: string }

/** An access token that is empty, longer than 4096 characters, or has characters that no token has. */
export type InvalidAccessToken = { readonly _tag: 'InvalidAccessToken' }

/** An address that no endpoint can have; `reason` is a sentence for people. It never quotes the address, which may hold a password. */
export type InvalidEndpointUrl = { readonly _tag: 'InvalidEndpointUrl'; readonly reason: string }

/** A list of types of events that is empty, too long or names one twice; `reason` is a sentence for people. */
export type InvalidEventTypes = { readonly _tag: 'InvalidEventTypes'; readonly reason: string }

/** A text that names no type of event and no group of types; `type` is what was given. */
export type UnknownEventType = { readonly _tag: 'UnknownEventType'; readonly type: string }

/** A description of an endpoint that is too long or has control characters. */
export type InvalidDescription = { readonly _tag: 'InvalidDescription' }

/** A text that has not the form of an event's id; `id` is what was given. */
export type InvalidEventId = { readonly _tag: 'InvalidEventId'; readonly id: string }

/** A text that is not an email address of printable ASCII characters, of at most 254. */
export type InvalidEmail = { readonly _tag: 'InvalidEmail' }

/** A password that is too short, too long or too well known; `reason` is a sentence for people and never quotes it. */
export type InvalidPassword = { readonly _tag: 'InvalidPassword'; readonly reason: string }

/** Scopes of a key that are none, name one twice or name one that does not exist; `reason` is a sentence for people. */
export type InvalidScopes = { readonly _tag: 'InvalidScopes'; readonly reason: string }

/** A moment at which a key is to end that has passed, or is too far away; `reason` is a sentence for people. */
export type InvalidExpiry = { readonly _tag: 'InvalidExpiry'; readonly reason: string }

/** An overlap of two keys that is negative or longer than the longest; `reason` is a sentence for people. */
export type InvalidOverlap = { readonly _tag: 'InvalidOverlap'; readonly reason: string }
