import * as E from 'fp-ts/lib/Either.js'
import type { KeyEnded, KeyReplaced } from './errors.js'
import type { Instant } from './time.js'

/** How many random bytes the id of an API key is made of. */
export const KEY_ID_BYTES = 8
/** How many random bytes the secret of an API key is made of: 192 bits. */
export const KEY_SECRET_BYTES = 24

const KEY = /^pst_([0-9a-f]{16})_[0-9a-f]{48}$/
const KEY_ID = /^[0-9a-f]{16}$/

/** The API key of an id and a secret, both in lower-case hexadecimal digits: `pst_<id>_<secret>`. */
export const apiKeyOf = (id: string, secret: string): string => `pst_${id}_${secret}`

/** The id within a text that has the form of an API key; `undefined` for any other text. */
export const apiKeyIdIn = (presented: string): string | undefined => KEY.exec(presented)?.[1]

/** Whether a text has the form of an API key's id. */
export const isApiKeyId = (text: string): boolean => KEY_ID.test(text)

/** How a key can have ended, and the id of its successor where it has one. */
export type KeyLife = {
  readonly id: string
  readonly revokedAt: Instant | undefined
  /** When it ends by itself; `undefined` where it has no end. */
  readonly expiresAt: Instant | undefined
  /** The id of the key that a rotation made in its place. */
  readonly replacedBy: string | undefined
}

/** When a key gets a successor, and for how long after that the old key is valid, in milliseconds. */
export type Rotation = { readonly at: Instant; readonly overlapMs: number }

/** Whether a key is revoked, or has expired at a moment. */
export const hasEnded = ({ revokedAt, expiresAt }: Pick<KeyLife, 'revokedAt' | 'expiresAt'>, at: Instant): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= at)

/** Checks that a key can get a successor at a moment: it has none yet, is not revoked and has not expired. */
export const checkReplaceable = (key: KeyLife, at: Instant): E.Either<KeyEnded | KeyReplaced, void> => {
  if (key.replacedBy !== undefined) return E.left({ _tag: 'KeyReplaced', id: key.id, by: key.replacedBy })
  return hasEnded(key, at) ? E.left({ _tag: 'KeyEnded', id: key.id }) : E.right(undefined)
}

/** When a key that gets a successor ends: after the overlap, or at its own expiry where that is sooner. */
export const endOfReplaced = ({ expiresAt }: Pick<KeyLife, 'expiresAt'>, { at, overlapMs }: Rotation): Instant => Math.min(at + overlapMs, expiresAt ?? Infinity)
