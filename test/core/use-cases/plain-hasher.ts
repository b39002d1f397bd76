import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher } from '../../../core/index.js'

/** Digests that show what was hashed, and cost nothing; `onVerify` is called with each digest that is compared. */
export const plainHasher = (onVerify: (digest: string | undefined) => void = () => undefined): PasswordHasher => ({
  hash: (password) => TE.right(`digest of ${password}`),
  verify: (password, digest) => async () => {
    onVerify(digest)
    return E.right(digest === `digest of ${password}`)
  },
})
