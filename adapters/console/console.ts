import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { type Cause, describeCause } from '../../core/cause.js'
import type { IdentityRefused, PortFailure } from '../../core/errors.js'
import type { SignedIn, SignInPlace } from '../../core/use-cases/member-commands.js'
import { redirect, type Answer } from './answer.js'
import { readSession, writeSession } from './cookie.js'
import { failurePage, type PageFailure } from './failure-page.js'
import { PAGE_HEADERS } from './headers.js'
import { renderPage } from './layout.js'
import { isFromHere } from './origin.js'
import type { Handler, Page, PageDeps } from './page.js'
import { accountPages } from './pages/account.js'
import { auditPages } from './pages/audit.js'
import { linkPages } from './pages/link.js'
import { membersPages } from './pages/members.js'
import { passwordPages } from './pages/password.js'
import { signInPage, signInPages } from './pages/sign-in.js'
import { workspacesPages } from './pages/workspaces.js'
import { STYLE, STYLE_PATH } from './style.js'

/** What the console needs. */
export type ConsoleDeps = Omit<PageDeps, 'identityPath'> & {
  /** The address at which browsers reach the gateway, without a trailing slash. Without it a request's `Host` is taken, over http. */
  readonly publicUrl?: string
  /** Sign-in with an identity provider. */
  readonly identity?: ConsoleIdentity
  /** Logs an event; without it nothing is logged. It never gets a token, a password or the address of a link. */
  readonly log?: ConsoleLog
  /** Called for every request after its reply is made; `route` is a pattern or `unrouted`. */
  readonly observe?: (observation: ConsoleObservation) => void
}

/** Where a sign-in with an identity provider begins, and its routes, which call back when they are done. */
export type ConsoleIdentity = {
  readonly path: string
  /** Makes the routes. */
  readonly routes: (hooks: ConsoleIdentityHooks) => Middleware
}

/** What the routes of an identity provider get from the console. */
export type ConsoleIdentityHooks = {
  /** The origin at which browsers reach the console. */
  readonly originOf: (ctx: Context) => string
  /** From where somebody signs in. */
  readonly placeOf: (ctx: Context) => SignInPlace
  /** Answers a person who is signed in. */
  readonly onSignedIn: (ctx: Context, signedIn: SignedIn) => void
  /** Answers a person who is not, with the reason. */
  readonly onRefused: (ctx: Context, failure: IdentityRefused | PortFailure) => void
}

/** Logs an event, named in snake case, with its fields. */
export type ConsoleLog = (level: 'info' | 'error', event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** One answered request. */
export type ConsoleObservation = { readonly method: string; readonly route: string; readonly status: number; readonly durationMs: number }

/** The most bytes of a form; the largest has a password of 1,024 characters. */
const MAX_FORM_BYTES = 16 * 1024

/**
 * The console as a Koa app: everything at `/console` and below it. It does not listen: call its `callback()` for requests whose path is there.
 *
 * Every page works without a script. A form that another site sends is refused, by `Origin`.
 */
export const makeConsole = (deps: ConsoleDeps): Koa => {
  const { publicUrl, identity, log = () => undefined } = deps
  const settings: Settings = { publicOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin, log }
  const app = new Koa()
  app.use(boundary(deps, settings))
  if (identity !== undefined) app.use(identity.routes(identityHooks(settings, identity.path)))
  app.use(routesOf(pagesOf({ ...deps, ...(identity !== undefined && { identityPath: identity.path }) }), settings).routes())
  app.use((ctx) => fail(ctx, { _tag: 'NotFound' }, settings))
  app.on('error', (error: unknown, ctx?: Context) => {
    if (ctx?.writable !== false) log('error', 'console_reply_failed', { cause: describeCause(error) })
  })
  return app
}

type Settings = { readonly publicOrigin: string | undefined; readonly log: ConsoleLog }

/** Every page of the console. */
export const pagesOf = (deps: PageDeps): ReadonlyArray<Page> => [
  ...workspacesPages(deps), ...signInPages(deps), ...linkPages(deps), ...passwordPages(deps), ...accountPages(deps), ...membersPages(deps), ...auditPages(deps),
]

const boundary = ({ observe }: ConsoleDeps, settings: Settings): Middleware => async (ctx, next) => {
  const startedAt = performance.now()
  const requestId = randomUUID()
  ctx.set({ ...PAGE_HEADERS, 'X-Request-Id': requestId, ...(isHttps(settings) && { 'Strict-Transport-Security': 'max-age=31536000' }) })
  try {
    await next()
  } catch (cause) {
    settings.log('error', 'unexpected', { request_id: requestId, cause: describeCause(cause) })
    fail(ctx, { _tag: 'Defect' }, settings)
  }
  // The pattern, never the path: the path of a link has its token.
  const route = typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : 'unrouted'
  const durationMs = performance.now() - startedAt
  settings.log('info', 'request', { request_id: requestId, method: ctx.method, route, status: ctx.status, duration_ms: Math.round(durationMs * 1_000) / 1_000 })
  observe?.({ method: ctx.method, route, status: ctx.status, durationMs })
}

const routesOf = (pages: ReadonlyArray<Page>, settings: Settings): Router => {
  const router = new Router({ sensitive: true, strict: true })
  router.all(STYLE_PATH, (ctx) => {
    if (!isRead(ctx)) return refuseMethod(ctx, 'GET, HEAD', settings)
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
    ctx.type = 'text/css; charset=utf-8'
    ctx.body = STYLE
  })
  for (const { path, get, post } of pages) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ')
    router.all(path, async (ctx) => {
      if (isRead(ctx) && get !== undefined) return write(ctx, await get(requestOf(ctx, {}, settings)), settings)
      if (ctx.method !== 'POST' || post === undefined) return refuseMethod(ctx, allow, settings)
      if (!isFromHere(ctx, settings.publicOrigin)) return fail(ctx, { _tag: 'ForeignForm' }, settings)
      return send(ctx, post, settings)
    })
  }
  return router
}

const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD'

const send = async (ctx: Context, post: Handler, settings: Settings): Promise<void> => {
  const form = await readForm(ctx)
  if (E.isLeft(form)) return fail(ctx, form.left, settings)
  write(ctx, await post(requestOf(ctx, form.right, settings)), settings)
}

const parseForm = koaBody({
  json: false, text: false, multipart: false, urlencoded: true, urlencodedTypes: ['application/x-www-form-urlencoded'], formLimit: MAX_FORM_BYTES,
  queryString: { allowDots: false, depth: 0, parseArrays: false, parameterLimit: 32 },
})

const readForm = async (ctx: Context): Promise<E.Either<PageFailure, Readonly<Record<string, string>>>> => {
  try {
    await parseForm(ctx, async () => undefined)
  } catch (error) {
    if (!(error instanceof Error) || !('status' in error)) throw error
    return E.left({ _tag: error.status === 413 ? 'TooLarge' : 'Malformed' })
  }
  const body: unknown = ctx.request.body
  return E.right(typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body).filter(isText)) : {})
}

const isText = (field: [string, unknown]): field is [string, string] => typeof field[1] === 'string'

const requestOf = (ctx: Context, form: Readonly<Record<string, string>>, settings: Settings) => ({
  path: ctx.path,
  params: (ctx['params'] ?? {}) as Readonly<Record<string, string>>,
  query: new URLSearchParams(ctx.querystring),
  form,
  place: placeOf(ctx),
  token: readSession(ctx, isHttps(settings)),
  origin: originOf(ctx, settings),
})

const isHttps = ({ publicOrigin }: Settings): boolean => publicOrigin?.startsWith('https:') === true

const originOf = (ctx: Context, { publicOrigin }: Settings): string => publicOrigin ?? `http://${ctx.get('Host')}`

const placeOf = (ctx: Context): SignInPlace => ({ address: ctx.req.socket.remoteAddress, userAgent: ctx.get('User-Agent') || undefined })

const identityHooks = (settings: Settings, path: string): ConsoleIdentityHooks => ({
  originOf: (ctx) => originOf(ctx, settings),
  placeOf,
  onSignedIn: (ctx, { token }) => write(ctx, redirect('/console', token), settings),
  onRefused: (ctx, failure) => (failure._tag === 'PortFailure' ? fail(ctx, failure, settings) : write(ctx, signInPage(path, failure.reason), settings)),
})

const fail = (ctx: Context, failure: PageFailure, settings: Settings): void => write(ctx, failurePage(failure), settings)

const refuseMethod = (ctx: Context, allow: string, settings: Settings): void => {
  ctx.set('Allow', allow)
  fail(ctx, { _tag: 'MethodNotAllowed' }, settings)
}

const write = (ctx: Context, answer: Answer, settings: Settings): void => {
  switch (answer._tag) {
    case 'Html':
      if (answer.failure !== undefined) settings.log('error', 'port_failed', { request_id: ctx.response.get('X-Request-Id'), port: answer.failure.port, cause: describeCause(answer.failure.cause) })
      if (answer.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(answer.retryAfterSeconds))
      ctx.status = answer.status ?? 200
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = renderPage(answer)
      return
    case 'Redirect':
      if (answer.session !== undefined) writeSession(ctx, isHttps(settings), answer.session)
      ctx.status = 303
      ctx.set('Location', answer.to)
      ctx.body = ''
      return
    case 'Csv':
      ctx.type = 'text/csv; charset=utf-8'
      ctx.attachment(answer.name)
      ctx.body = Readable.from(answer.parts)
  }
}
