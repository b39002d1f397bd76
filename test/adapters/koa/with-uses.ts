import * as E from 'fp-ts/lib/Either.js'
import type { HttpDeps } from '../../../adapters/koa/index.js'
import type { KeyPrincipal, Scope } from '../../../core/kernel/actor.js'
import type { Api } from '../../../core/api.js'

type Change = (deps: HttpDeps) => Pick<HttpDeps, 'postern'>

/** An app with other use cases of one group. */
export const withUses = <Group extends keyof Api>(group: Group, uses: Partial<NonNullable<Api[Group]>>): Change =>
  ({ postern }) => ({ postern: { ...postern, [group]: { ...postern[group], ...uses } } })

/** An app in which each key is another principal. */
export const withPrincipal = (change: (principal: KeyPrincipal) => KeyPrincipal): Change =>
  (deps) => withUses('keys', { authenticateKey: async (key) => E.map(change)(await deps.postern.keys.authenticateKey(key)) })(deps)

/** An app whose keys have exactly these scopes. */
export const withScopes = (...scopes: ReadonlyArray<Scope>): Change => withPrincipal((principal) => ({ ...principal, scopes }))

/** An app whose keys may do everything but what needs some scopes. */
export const withoutScope = (...missing: ReadonlyArray<Scope>): Change =>
  withPrincipal((principal) => ({ ...principal, scopes: principal.scopes.filter((scope) => !missing.includes(scope)) }))

/** An app whose keys may spend so many micros a day. */
export const withSpendingLimit = (spendingLimit: bigint): Change => withPrincipal((principal) => ({ ...principal, spendingLimit }))
