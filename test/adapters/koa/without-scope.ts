import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpDeps } from '../../../adapters/koa/index.js'
import type { KeyPrincipal, Scope } from '../../../core/kernel/actor.js'

/** An app whose keys may do everything but what needs some scopes. */
export const withoutScope = (...missing: ReadonlyArray<Scope>) => ({ keyStore: { principalOf } }: HttpDeps): Pick<HttpDeps, 'keyStore'> => ({
  keyStore: {
    principalOf: (key, at) =>
      TE.map((principal: KeyPrincipal) => ({ ...principal, scopes: principal.scopes.filter((scope) => !missing.includes(scope)) }))(principalOf(key, at)),
  },
})
