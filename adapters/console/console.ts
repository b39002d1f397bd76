import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type KoaRouter from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import type { IdentityRefused } from '../../core/access/members.js'
import type { SignedIn, SignInPlace } from '../../core/access/sign-in.js'
import { describeCause, type PortFailure } from '../../core/kernel/failure.js'
import type { MemberId } from '../../core/kernel/ids.js'
import { type ByteBudget, makeByteBudget } from '../shared/byte-budget.js'
import { Router } from '../shared/koa-router.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { redirect } from './answer.js'
import { ASSETS } from './assets.js'
import { admitRequests } from './admission.js'
import { type FileForms, type FormParser, parseForm, parseLargeForm, readFileForm, readForm } from './form-body.js'
import { inLanguage, languageOf, negotiate } from './language.js'
import { type ConsoleLimits, makeConsoleLimits, makeThrottle, type RequestKind } from './limits.js'
import { makeLiveParts } from './live.js'
import { REFERENCE } from './navigation.js'
import { makeIsShown, type Page, type Route } from './page.js'
import { makeBackTo, signInPage } from './pages/people/sign-in.js'
import {
  type ClientAddress, type ConsoleLog, type ConsoleObservation, formPage, isFromHere, isHttps, linkOrigin, PAGE_HEADERS, type PageRequest,
  readDevice, readSession, type Settings,
} from './request.js'
import { pagesOf, type ShownDeps } from './sections.js'
import { TEXTS } from './texts.js'
import { fail, refuseMethod, stream, write } from './write-answer.js'
import { chosenZoneOf, inZone, zoneOf } from './zone.js'

/** The dependencies of the console. */
export type ConsoleDeps = Omit<ShownDeps, 'identityPath'> & {
  /** The address at which browsers reach the gateway, without a trailing slash. Without it, links are created only if `Host` names this machine. */
  readonly publicUrl?: string
  /** Whether the API reference is served at `/docs`; then the pages of a workspace link to it. */
  readonly hasReference?: boolean
  /** Sign-in with an identity provider. */
  readonly identity?: ConsoleIdentity
  /** Finds the network address of a browser. Without it the address of the connection is used, which behind a proxy is the proxy's. */
  readonly clientAddress?: ClientAddress
  /** The limits of people's requests; by default those of the operations page. */
  readonly limits?: ConsoleLimits
  /** The memory for the bodies of all requests; forms use at most a quarter of it. 64 MiB by default. */
  readonly bodyMemory?: ByteBudget
  /** Logs an event; by default nothing is logged. It never receives a token, a password or the address of a link. */
  readonly log?: ConsoleLog
  /** Called for every request after its reply is made; `route` is a pattern or `unrouted`. */
  readonly observe?: (observation: ConsoleObservation) => void
}

const BODY_MEMORY_BYTES = 64 * 1024 * 1024
/** The share of the time in which downloads are read. */
const DOWNLOADS = 0.2
const addressOfConnection: ClientAddress = ({ socket }) => socket.remoteAddress

/** The address at which a sign-in with an identity provider begins, and its routes, which call the hooks when they are done. */
export type ConsoleIdentity = {
  readonly path: string
  /** Makes the routes. */
  readonly routes: (hooks: ConsoleIdentityHooks) => Middleware
}

/** The hooks that the routes of an identity provider get from the console. */
export type ConsoleIdentityHooks = {
  /** The origin at which browsers reach the console. */
  readonly originOf: (ctx: Context) => string
  /** The place from which a person signs in. */
  readonly placeOf: (ctx: Context) => SignInPlace
  /** Answers a person who has signed in; `back` is the requested page, if the console has it. */
  readonly onSignedIn: (ctx: Context, signedIn: SignedIn, back: string) => void
  /** Answers a person whose sign-in failed, with the reason. */
  readonly onRefused: (ctx: Context, failure: IdentityRefused | PortFailure, back: string) => void
}

/** The console, and the function that closes it. */
export type Console = {
  /** Answers a request whose path is `/console` or starts with `/console/`. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The same for a Koa app: answers every request at `/console` and below, and passes all others on. */
  readonly middleware: Middleware
  /** Ends the live streams of all pages. */
  readonly close: () => void
}

/**
 * Makes the console.
 *
 * Every page works without a script. A form from another site is refused, based on `Origin`.
 */
export const makeConsole = (deps: ConsoleDeps): Console => {
  const {
    publicUrl, hasReference = false, identity, log = () => undefined, clientAddress = addressOfConnection,
    bodyMemory = makeByteBudget(BODY_MEMORY_BYTES), limits = makeConsoleLimits(() => performance.now()),
  } = deps
  const live = makeLiveParts(deps.postern.members.findChangedWatchers)
  const pages = pagesOf({ ...deps, ...(identity !== undefined && { identityPath: identity.path }) })
  const settings: Settings = {
    publicOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin, log, live, clientAddress, bodyMemory, limits,
    downloads: makeThrottle(DOWNLOADS), isShown: makeIsShown(pages),
    patterns: new Set([...pages.map(({ path }) => path), ...(hasReference ? [REFERENCE] : [])]),
  }
  const app = new Koa()
  app.use(admitRequests(deps, settings))
  app.use(boundary(deps, settings))
  if (identity !== undefined) {
    app.use((ctx, next) =>
      ctx.path.startsWith(identity.path) && linkOrigin(ctx, settings.publicOrigin) === undefined
        ? fail(ctx, { _tag: 'UnknownAddress' }, settings)
        : next())
    app.use(identity.routes(identityHooks(settings, identity.path, makeBackTo(makeIsShown(pages)))))
  }
  app.use(routesOf(pages, settings).routes())
  app.use((ctx) => fail(ctx, { _tag: 'NotFound' }, settings))
  app.on('error', (error: unknown, ctx?: Context) => {
    if (ctx?.writable !== false) log('error', 'console_reply_failed', { cause: describeCause(error) })
  })
  const answer = app.callback()
  const handle: Console['handle'] = (request, response) =>
    inLanguage(languageOf(request.headers), () => inZone(zoneOf(request.headers), () => answer(request, response)))
  return {
    handle,
    middleware: async (ctx, next) => {
      if (!/^\/console(?:\/|$)/.test(ctx.path)) {
        await next()
        return
      }
      ctx.respond = false
      await handle(ctx.req, ctx.res)
    },
    close: live.close,
  }
}

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
  // The pattern, never the path, because the path of a link contains its token.
  const route = typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : 'unrouted'
  const durationMs = performance.now() - startedAt
  settings.log('info', 'request', {
    request_id: requestId, method: ctx.method, route, status: ctx.status, duration_ms: Math.round(durationMs * 1_000) / 1_000,
  })
  observe?.({ method: ctx.method, route, status: ctx.status, durationMs })
}

/** The router of all pages and files. */
export const routesOf = (pages: ReadonlyArray<Page>, settings: Settings): KoaRouter => {
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, type, body, gzip } of ASSETS) {
    router.all(path, (ctx) => {
      if (!isRead(ctx)) return refuseMethod(ctx, 'GET, HEAD', settings)
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
      ctx.type = type
      ctx.body = body
      if (gzip === undefined) return
      ctx.vary('Accept-Encoding')
      if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return
      ctx.set('Content-Encoding', 'gzip')
      ctx.body = gzip
    })
  }
  for (const { path, get, post, live, hasLargeForm, takesFile, kind = 'page' } of pages) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ')
    router.all(path, async (ctx) => {
      if (live !== undefined && ctx.method === 'GET' && wantsStream(ctx)) {
        return stream(ctx, await live.handle(requestOf(ctx, 'stream', {}, settings)), settings)
      }
      if (isRead(ctx) && get !== undefined) return write(ctx, await get.handle(requestOf(ctx, kind, {}, settings)), settings)
      if (ctx.method !== 'POST' || post === undefined) return refuseMethod(ctx, allow, settings)
      if (!isFromHere(ctx, settings.publicOrigin)) return fail(ctx, { _tag: 'ForeignForm' }, settings)
      if (takesFile !== undefined) return sendFile(ctx, post, settings, takesFile)
      return send(ctx, post, settings, hasLargeForm === true ? parseLargeForm : parseForm)
    })
  }
  return router
}

const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD'

const wantsStream = (ctx: Context): boolean => ctx.get('Accept').includes('text/event-stream')

const send = async (ctx: Context, post: Route, settings: Settings, parser: FormParser): Promise<void> => {
  const memory = settings.bodyMemory.begin()
  try {
    const form = await readForm(ctx, parser, memory)
    if (E.isLeft(form)) return fail(ctx, form.left, settings)
    const answer = await post.handle(requestOf(ctx, 'page', form.right, settings))
    // A form may have revoked rights, including those of other people.
    if (post.access !== 'public') settings.live.check()
    write(ctx, answer, settings)
  } finally {
    memory.end()
  }
}

/** The page reads the form once it knows the sender. */
const sendFile = async (ctx: Context, post: Route, settings: Settings, fileForms: FileForms): Promise<void> => {
  const memory = settings.bodyMemory.begin()
  try {
    write(
      ctx,
      await post.handle({
        ...requestOf(ctx, 'file', {}, settings), readFileForm: (workspace) => readFileForm(ctx, fileForms, memory, workspace),
      }),
      settings,
    )
  } finally {
    memory.end()
    fileForms.discard(ctx)
  }
}

const requestOf = (ctx: Context, kind: RequestKind, form: Readonly<Record<string, string>>, settings: Settings): PageRequest => ({
  path: ctx.path,
  params: (ctx['params'] ?? {}) as Readonly<Record<string, string>>,
  query: new URLSearchParams(ctx.querystring),
  form,
  place: placeOf(ctx, settings),
  browserLanguage: negotiate(ctx.get('Accept-Language')),
  token: readSession(ctx, isHttps(settings)),
  device: readDevice(ctx, isHttps(settings)),
  chosenZone: chosenZoneOf(ctx.headers),
  origin: linkOrigin(ctx, settings.publicOrigin),
  cameFrom: formPage(ctx, settings.publicOrigin),
  enter: (member) => enter(ctx, kind, member, settings),
})

/** A request is running until its response has been sent, or its connection has ended. */
const enter = async (
  ctx: Context, kind: RequestKind, member: MemberId, { limits, clientAddress }: Settings,
): Promise<E.Either<TooManyRequests, void>> => {
  const entered = limits.enter(kind, member, clientAddress(ctx.req))
  if (E.isLeft(entered)) return entered
  const { waitMs, leave } = entered.right
  if (ctx.res.closed) leave()
  else ctx.res.once('close', () => leave())
  if (waitMs > 0) await delay(waitMs)
  // The browser has disconnected, so the request is not processed.
  return ctx.res.destroyed ? E.left({ _tag: 'TooManyRequests', limit: 'person', retryAfterSeconds: 1 }) : E.right(undefined)
}

const placeOf = (ctx: Context, { clientAddress }: Settings): SignInPlace =>
  ({ address: clientAddress(ctx.req), userAgent: ctx.get('User-Agent') || undefined, language: languageOf(ctx.headers) })

const identityHooks = (settings: Settings, path: string, backTo: ReturnType<typeof makeBackTo>): ConsoleIdentityHooks => ({
  // Without an origin the routes are not reached.
  originOf: (ctx) => linkOrigin(ctx, settings.publicOrigin) ?? '',
  placeOf: (ctx) => placeOf(ctx, settings),
  onSignedIn: (ctx, { token }, back) => write(ctx, redirect(backTo(back) ?? '/console', token), settings),
  onRefused: (ctx, failure, back) => failure._tag === 'PortFailure'
    ? fail(ctx, failure, settings)
    : write(ctx, signInPage(path, { problem: TEXTS.parts.reason(failure.reason), back: backTo(back) }), settings),
})
