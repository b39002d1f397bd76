import * as E from 'fp-ts/lib/Either.js'
import type { HttpDeps } from '../../../adapters/koa/index.js'
import type { KeyPrincipal } from '../../../core/kernel/actor.js'

/** An app whose keys may spend so many micros a day. */
export const withSpendingLimit = (spendingLimit: bigint) => ({ keyStore: { principalOf } }: HttpDeps): Pick<HttpDeps, 'keyStore'> => ({
  keyStore: { principalOf: (key, at) => principalOf(key, at).then(E.map((principal: KeyPrincipal) => ({ ...principal, spendingLimit }))) },
})
