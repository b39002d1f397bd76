import type Koa from 'koa'
import { makeListAudit } from '../../core/use-cases/list-audit.js'
import { makeListWorkspaces } from '../../core/use-cases/list-workspaces.js'
import { makeMemberUseCases, type MemberUseCases } from '../../core/use-cases/member-use-cases.js'
import { makeConsole, type ConsoleIdentity, type ConsoleLog } from '../../adapters/console/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { makeOidcProvider, OIDC_PATH, oidcRoutes } from '../../adapters/oidc/index.js'
import { makeScryptHasher } from '../../adapters/scrypt/index.js'
import type { Config } from './config.js'
import type { Handle } from './http-server.js'
import { memberDepsOf } from './member-deps.js'

/** The pages at `/console`, over the gateway's storage. */
export const gatewayConsole = (storage: KnexStorage, { console: { publicUrl }, oidc, secret }: Pick<Config, 'console' | 'oidc' | 'secret'>, log: ConsoleLog): Koa => {
  const deps = memberDepsOf(storage)
  const members = makeMemberUseCases({ ...deps, passwords: makeScryptHasher() })
  const identity = oidc === undefined || secret === undefined ? undefined : identityOf({ ...oidc, secret }, members)
  return makeConsole({
    members,
    listAudit: makeListAudit({ ...deps, auditLog: storage.auditLog }),
    listWorkspaces: makeListWorkspaces(storage),
    log,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(identity !== undefined && { identity }),
  })
}

const identityOf = (options: Parameters<typeof makeOidcProvider>[0], { signInWithIdentity }: MemberUseCases): ConsoleIdentity => {
  const provider = makeOidcProvider(options)
  return { path: OIDC_PATH, routes: (hooks) => oidcRoutes({ provider, signInWithIdentity, ...hooks }) }
}

/** Answers what is at `/console` or below it with one handler, and everything else with the other. */
export const withConsole = (app: Handle, pages: Handle): Handle => (request, response) =>
  (/^\/console(?:[/?]|$)/.test(request.url ?? '') ? pages : app)(request, response)
