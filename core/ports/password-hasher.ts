import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'

export type { PortFailure } from '../errors.js'

/** Makes digests of passwords that take long to compute, so that a stolen digest is of little use. */
export interface PasswordHasher {
  /** A digest of a password: with a salt of its own and everything that is needed to verify it, at most 255 printable ASCII characters. */
  readonly hash: (password: string) => TaskEither<PortFailure, string>
  /**
   * Whether a password is the one of a digest. Without a digest, and with a text that is none, it is `false` after the same work, so that a caller does not learn from
   * the time whether there is one.
   */
  readonly verify: (password: string, digest: string | undefined) => TaskEither<PortFailure, boolean>
}
