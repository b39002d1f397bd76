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
