import * as E from 'fp-ts/lib/Either.js'
import { keepsIdempotencyKey, isOutcomeUnknown, type MessageState } from './message-state.js'
import type { InvalidIdempotencyKey } from './invalid.js'
import { isPrintableAscii } from './reference.js'
import { HOUR_MS, type Instant } from './time.js'

/** A caller's own name for one send: 1 to 255 printable ASCII characters, neither beginning nor ending with a space. */
export type IdempotencyKey = string & { readonly IdempotencyKey: unique symbol }

/** How long a key guards a message whose outcome is known. */
export const KEY_KEPT_MS = 24 * HOUR_MS

/** Reads an idempotency key. */
export const parseIdempotencyKey = (text: string): E.Either<InvalidIdempotencyKey, IdempotencyKey> =>
  isPrintableAscii(text) ? E.right(text as IdempotencyKey) : E.left({ _tag: 'InvalidIdempotencyKey' })

/**
 * Whether a key claimed at a moment, the `at` of the draft that claimed it, still guards its message: 24 hours long, and for as long as the
 * outcome is unknown. A message that was refused or released guards nothing, even if it moves on later; its claim is to be dropped then.
 */
export const claimStands = (now: Instant, claimedAt: Instant, state: MessageState): boolean =>
  keepsIdempotencyKey(state) && (isOutcomeUnknown(state) || now < claimedAt + KEY_KEPT_MS)
