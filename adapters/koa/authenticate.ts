import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import type { PortFailure, UnknownApiKey } from '../../core/errors.js'
import type { KeyStore } from '../../core/ports/key-store.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { KeyPrincipal } from '../../core/principal.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { RateLimited } from './failures.js'
import { valuesOf } from './request.js'

/** Counts a request of a workspace. If it has made too many, the left says when it may make the next one. */
export type RateLimit = (workspace: WorkspaceId) => TE.TaskEither<RateLimited | PortFailure, void>

/** What authentication needs; without `rateLimit` there is no limit. */
export type AuthenticateDeps = {
  readonly keyStore: Pick<KeyStore, 'principalOf'>
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly rateLimit?: RateLimit
}

/** Why a request is refused: its key is not valid, or its workspace has made too many requests. */
export type AuthenticateError = UnknownApiKey | RateLimited | PortFailure

/** Gives the principal of a request whose key is valid and whose workspace is within its rate limit. */
export type Authenticate = (ctx: Context) => TE.TaskEither<AuthenticateError, KeyPrincipal>

const BEARER = /^Bearer +([!-~]+)$/i

/** Makes the authentication: it reads the key of a request, looks its principal up, and counts the request for the rate limit. */
export const makeAuthenticate =
  ({ keyStore, windowClock, rateLimit }: AuthenticateDeps): Authenticate =>
  (ctx) =>
  async () => {
    const key = presentedKey(ctx)
    if (E.isLeft(key)) return key
    const principal = await keyStore.principalOf(key.right, windowClock.now())()
    if (E.isLeft(principal) || rateLimit === undefined) return principal
    const passed = await rateLimit(principal.right.workspace)()
    return E.isLeft(passed) ? passed : principal
  }

/** A request with two `Authorization` headers is refused, because they may name two workspaces. */
const presentedKey = (ctx: Context): E.Either<UnknownApiKey, string> => {
  const [header = '', ...more] = valuesOf(ctx.req, 'authorization')
  const key = BEARER.exec(header)?.[1]
  return key === undefined || more.length > 0 ? E.left({ _tag: 'UnknownApiKey' }) : E.right(key)
}
