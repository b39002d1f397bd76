import * as E from 'fp-ts/lib/Either.js'
import type { HttpDeps } from '../../../adapters/koa/index.js'
import type { KeyPrincipal, Scope } from '../../../core/kernel/actor.js'

/** An app whose keys may do everything but what needs some scopes. */
export const withoutScope = (...missing: ReadonlyArray<Scope>) => ({ keyStore: { principalOf } }: HttpDeps): Pick<HttpDeps, 'keyStore'> => ({
  keyStore: {
    principalOf: (key, at) =>
      principalOf(key, at).then(E.map((principal: KeyPrincipal) => ({ ...principal, scopes: principal.scopes.filter((scope) => !missing.includes(scope)) }))),
  },
})
