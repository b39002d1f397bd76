import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { ACCESS } from '../../core/access/access.js'
import type { Act, KeyPrincipal, Scope } from '../../core/kernel/actor.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Api } from '../../core/api.js'
import { makeRecent } from '../shared/recent.js'
import type { RateLimit } from './limits.js'
import type { Authenticate, AuthenticateOptions, CallerKind } from './pipeline.js'
import type { MissingScope, RateLimited, Unauthenticated } from './reply.js'
import { logFieldsOf, valuesOf } from './request.js'

/** What authentication needs; without `rateLimit` there is no limit. */
export type AuthenticateDeps = {
  readonly postern: Pick<Api, 'keys'>
  readonly rateLimit?: RateLimit
  /** The network address of the client; by default the address of the connection. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined
}

/** Why a request is refused: its key is not valid, or its workspace has made too many requests. */
export type AuthenticateError = Unauthenticated | RateLimited | PortFailure

/** The scope that a key needs for an act; none if there is no act. Throws a `TypeError` if no key may do it. */
export const scopeOf = (act: Act | undefined): Scope | undefined => {
  const scope = act && ACCESS[act].scope
  if (act !== undefined && scope === undefined) throw new TypeError(`no API key may do ${act}`)
  return scope
}

/** The refusal of a key that lacks the scope of an act. */
export const missingScope = ({ scopes }: KeyPrincipal, act: Act | undefined): MissingScope | undefined => {
  const scope = scopeOf(act)
  return scope === undefined || scopes.includes(scope) ? undefined : { _tag: 'MissingScope', scope }
}

/** What a request of an API key contains in addition to its principal. */
export type WorkspaceFacts = { readonly workspace: WorkspaceId }

/** The maximum number of keys whose workspace is remembered. */
const MAX_KEYS = 10_000

const BEARER = /^Bearer +([!-~]+)$/i

/**
 * Creates the authentication: it reads the key of a request, looks its principal up, and counts the request for the rate limit. If it `remembers`, it returns the last
 * workspace of a key.
 */
export const makeAuthenticate = (
  deps: AuthenticateDeps, { remembers, keyInQuery = false }: AuthenticateOptions,
): Authenticate<KeyPrincipal> => {
  /** By the digests of the keys. */
  const workspaces = remembers ? makeRecent<WorkspaceId>({ max: MAX_KEYS }) : undefined
  return (ctx) => {
    const key = presentedKey(ctx, keyInQuery)
    if (E.isLeft(key)) return { lastWorkspace: undefined, principal: Promise.resolve(key) }
    if (workspaces === undefined) return { lastWorkspace: undefined, principal: principalOf(deps, key.right, ctx) }
    const digest = hash('sha256', key.right, 'base64')
    const lastWorkspace = workspaces.get(digest)
    const remember = (principal: E.Either<AuthenticateError, KeyPrincipal>): typeof principal => {
      if (E.isLeft(principal)) {
        if (principal.left._tag === 'UnknownApiKey') workspaces.delete(digest)
      } else if (principal.right.workspace !== lastWorkspace) workspaces.set(digest, principal.right.workspace)
      return principal
    }
    return { lastWorkspace, principal: principalOf(deps, key.right, ctx).then(remember) }
  }
}

/** The API keys of workspaces. */
export const WORKSPACE_KEYS: CallerKind<AuthenticateDeps, KeyPrincipal, WorkspaceFacts> = {
  makeAuthenticate,
  refusal: missingScope,
  readerOf: ({ key }) => key,
  ownerOf: ({ workspace }) => workspace,
  factsOf: ({ workspace }) => ({ workspace }),
}

const principalOf = async (
  { postern: { keys }, rateLimit }: AuthenticateDeps, key: string, ctx: Context,
): Promise<E.Either<AuthenticateError, KeyPrincipal>> => {
  const principal = await keys.authenticateKey(key)
  if (E.isLeft(principal)) return principal
  // A request that is refused from here on belongs to the workspace.
  Object.assign(logFieldsOf(ctx), { workspace: principal.right.workspace, key: principal.right.key })
  if (rateLimit === undefined) return principal
  const passed = await rateLimit(principal.right.workspace)
  return E.isLeft(passed) ? passed : principal
}

/** A request with two keys is refused, because they may belong to two workspaces. */
const presentedKey = (ctx: Context, keyInQuery: boolean): E.Either<Unauthenticated, string> => {
  const inHeader = valuesOf(ctx.req, 'authorization').map((header) => BEARER.exec(header)?.[1])
  const inQuery = keyInQuery ? [ctx.query['access_token'] ?? []].flat() : []
  const [key, ...more] = inHeader.length > 1 ? [] : new Set([...inHeader, ...inQuery])
  if (key !== undefined && key !== '' && more.length === 0) return E.right(key)
  const hint = whereKeyIs(ctx)
  return E.left({ _tag: 'UnknownApiKey', ...(hint !== undefined && { hint }) })
}

const KEY = /^pst_/
const KEY_NAMES = ['access_token', 'api_key', 'apikey', 'key', 'token']

/** Where a request has its key instead of the correct place. It checks only how the key was sent, not the key itself. */
const whereKeyIs = (ctx: Context): string | undefined => {
  const [authorization] = valuesOf(ctx.req, 'authorization')
  if (authorization !== undefined && authorization !== '' && !/^bearer\b/i.test(authorization)) return 'The Authorization header has no word Bearer before the key. '
  if (valuesOf(ctx.req, 'x-api-key').length > 0) return 'The header X-API-Key is not read. '
  const isInQuery = Object.entries(ctx.query).some(([name, values]) =>
    KEY_NAMES.includes(name.toLowerCase()) || [values ?? []].flat().some((value) => KEY.test(value)))
  return isInQuery
    ? 'A key in the address is not read. Addresses are logged on their way, so replace a key that was sent in one. '
    : undefined
}
