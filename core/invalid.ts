/** A number that is not E.164; `form` says which spelling was asked for. */
export type InvalidPhoneNumber = { readonly _tag: 'InvalidPhoneNumber'; readonly form: 'digits' | 'written' }

/** An amount, currency or rate that does not read as one; `reason` is a sentence for people. */
export type InvalidAmount = { readonly _tag: 'InvalidAmount'; readonly reason: string }

/** An idempotency key that is empty, too long or not printable ASCII. */
export type InvalidIdempotencyKey = { readonly _tag: 'InvalidIdempotencyKey' }
