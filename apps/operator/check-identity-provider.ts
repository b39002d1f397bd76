import * as E from 'fp-ts/lib/Either.js'
import { makeOidcProvider, OIDC_CALLBACK_PATH } from '../../adapters/oidc/index.js'
import { causeOf } from '../server/cause.js'
import type { Config } from '../server/config.js'
import { failed, passed, type CheckResult } from './check-result.js'

/** Reads the metadata of the identity provider; no line where none is configured. Whether it knows the client and takes the secret only a sign-in shows. */
export const checkIdentityProvider = async ({ oidc, secret }: Config): Promise<ReadonlyArray<CheckResult>> => {
  if (oidc === undefined || secret === undefined) return []
  const begun = await makeOidcProvider({ ...oidc, secret }).begin(`http://127.0.0.1${OIDC_CALLBACK_PATH}`)()
  return E.isRight(begun)
    ? [passed('identity provider', 'its metadata was read; only a sign-in shows whether it takes the client and its secret')]
    : [failed('identity provider', causeOf(begun.left.cause).message, REMEDY)]
}

const REMEDY = "See that OIDC_ISSUER is the issuer that the provider's metadata names, and that this machine reaches it. Other ways of signing in work meanwhile."
