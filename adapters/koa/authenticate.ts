import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import type { PortFailure, UnknownApiKey } from '../../core/errors.js'
import type { KeyStore } from '../../core/ports/key-store.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { RateLimited } from './failures.js'
import { valuesOf } from './headers.js'

/** Lets one more request of a workspace pass, or says when the next may come. */
export type RateLimit = (workspace: WorkspaceId) => TE.TaskEither<RateLimited | PortFailure, void>

/** What authentication needs; without a `rateLimit` there is none. */
export type AuthenticateDeps = {
  readonly keyStore: Pick<KeyStore, 'workspaceOf'>
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly rateLimit?: RateLimit
}

/** Why a request does not speak for a workspace, or may not do so now. */
export type AuthenticateError = UnknownApiKey | RateLimited | PortFailure

/** The workspace a request speaks for, once its key is good and its limit leaves room. */
export type Authenticate = (ctx: Context) => TE.TaskEither<AuthenticateError, WorkspaceId>

const BEARER = /^Bearer +([!-~]+)$/i

/** Reads the key of a request, asks whose it is, and counts the request against that workspace's limit. */
export const makeAuthenticate =
  ({ keyStore, windowClock, rateLimit }: AuthenticateDeps): Authenticate =>
  (ctx) =>
  async () => {
    const key = presentedKey(ctx)
    if (E.isLeft(key)) return key
    const workspace = await keyStore.workspaceOf(key.right, windowClock.now())()
    if (E.isLeft(workspace) || rateLimit === undefined) return workspace
    const passed = await rateLimit(workspace.right)()
    return E.isLeft(passed) ? passed : workspace
  }

/** Two `Authorization` headers are two claims; which of them counts is not for us to guess. */
const presentedKey = (ctx: Context): E.Either<UnknownApiKey, string> => {
  const [header = '', ...more] = valuesOf(ctx.req, 'authorization')
  const key = BEARER.exec(header)?.[1]
  return key === undefined || more.length > 0 ? E.left({ _tag: 'UnknownApiKey' }) : E.right(key)
}
