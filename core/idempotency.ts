import * as E from 'fp-ts/lib/Either.js'
import { guardsKey, isOpenEnded, type MessageState } from './delivery.js'
import type { InvalidIdempotencyKey } from './invalid.js'
import { HOUR_MS, type Instant } from './time.js'

/** A caller's own name for one send: 1 to 255 printable ASCII characters, neither beginning nor ending with a space. */
export type IdempotencyKey = string & { readonly IdempotencyKey: unique symbol }

/** How long a key guards a message whose outcome is known. */
export const KEY_KEPT_MS = 24 * HOUR_MS

const FORM = /^[!-~](?:[ -~]{0,253}[!-~])?$/

/** Reads an idempotency key. */
export const parseIdempotencyKey = (text: string): E.Either<InvalidIdempotencyKey, IdempotencyKey> =>
  FORM.test(text) ? E.right(text as IdempotencyKey) : E.left({ _tag: 'InvalidIdempotencyKey' })

/**
 * Whether a key claimed at a moment, the `at` of the draft that claimed it, still guards its message: 24 hours long, and for as long as the
 * outcome is unknown. A message that was refused or released guards nothing, even if it moves on later; its claim is to be dropped then.
 */
export const claimStands = (now: Instant, claimedAt: Instant, state: MessageState): boolean =>
  guardsKey(state) && (isOpenEnded(state) || now < claimedAt + KEY_KEPT_MS)
