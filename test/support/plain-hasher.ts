import * as E from 'fp-ts/lib/Either.js'
import type { PasswordHasher } from '../../core/index.js'

/** Digests that show what was hashed, and cost nothing; `onVerify` is called with each digest that is compared. */
export const plainHasher = (onVerify: (digest: string | undefined) => void = () => undefined): PasswordHasher => ({
  hash: async (password) => E.right(`digest of ${password}`),
  verify: async (password, digest) => {
    onVerify(digest)
    return E.right(digest === `digest of ${password}`)
  },
})
