import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { MemberUseCases } from '../../core/access/member-use-cases.js'
import type { IdentityRefused } from '../../core/access/members.js'
import { type IdentityProvider, PENDING_MS, type SignedIn, type SignInPlace } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { SECOND_MS } from '../../core/kernel/time.js'

/** What the two routes need of the console that mounts them. */
export type OidcRoutesOptions = {
  readonly provider: IdentityProvider
  readonly signInWithIdentity: MemberUseCases['signInWithIdentity']
  /** The origin at which browsers reach the console, such as `https://postern.example.com`; the provider sends them back to it. */
  readonly originOf: (ctx: Context) => string
  /** From where a person signs in. */
  readonly placeOf: (ctx: Context) => SignInPlace
  /**
   * Answers a person who is signed in: sets the session's cookie and redirects. `back` is the text after `?back=` at `OIDC_PATH`; any page may have written it, so
   * it must be checked before the browser is sent there.
   */
  readonly onSignedIn: (ctx: Context, signedIn: SignedIn, back: string) => void | Promise<void>
  /** Answers a person who is not: with the reason of an `IdentityRefused`, or with 503. */
  readonly onRefused: (ctx: Context, failure: IdentityRefused | PortFailure, back: string) => void | Promise<void>
}

/** Where a sign-in with the provider begins; a link to it, with `?back=` and the page to open afterwards, is all that the sign-in page needs. */
export const OIDC_PATH = '/console/oidc'
/** Where the provider sends browsers back to; with the origin before it, it is the redirect URI to register. */
export const OIDC_CALLBACK_PATH = '/console/oidc/callback'

const COOKIE = 'postern-oidc'

/**
 * The two routes of a sign-in with an identity provider, as one middleware: GET `OIDC_PATH` sends the browser to the provider, and GET `OIDC_CALLBACK_PATH`
 * finishes the sign-in. Every other request goes on to the next middleware.
 *
 * To mount it, use it before the console's own router and its check of the session: `app.use(oidcRoutes({ … }))`. The page of the sign-in has a link to
 * `OIDC_PATH`; `form-action` of a Content-Security-Policy would stop a form, since the browser is redirected to another origin.
 */
export const oidcRoutes = ({ provider, signInWithIdentity, originOf, placeOf, onSignedIn, onRefused }: OidcRoutesOptions): Middleware => {
  return (ctx, next) => {
    if (ctx.method !== 'GET') return next()
    if (ctx.path === OIDC_PATH) return begin(ctx)
    return ctx.path === OIDC_CALLBACK_PATH ? finish(ctx) : next()
  }

  async function begin(ctx: Context): Promise<void> {
    const origin = originOf(ctx)
    ctx.set('Cache-Control', 'no-store')
    const back = new URLSearchParams(ctx.querystring).get('back') ?? ''
    const begun = await provider.begin(`${origin}${OIDC_CALLBACK_PATH}`)
    if (E.isLeft(begun)) return onRefused(ctx, begun.left, back)
    keep(ctx, origin, withBack(begun.right.pending, back), PENDING_MS / SECOND_MS)
    ctx.redirect(begun.right.url)
  }

  async function finish(ctx: Context): Promise<void> {
    const origin = originOf(ctx)
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Referrer-Policy', 'no-referrer')
    const [pending, back] = splitBack(ctx.cookies.get(cookieName(origin)))
    keep(ctx, origin, '', 0)
    const proven = await provider.finish(`${origin}${OIDC_CALLBACK_PATH}${ctx.search}`, pending)
    if (E.isLeft(proven)) return onRefused(ctx, proven.left, back)
    const signedIn = await signInWithIdentity({ ...placeOf(ctx), ...proven.right })
    return E.isLeft(signedIn) ? onRefused(ctx, signedIn.left, back) : onSignedIn(ctx, signedIn.right, back)
  }
}

/** Browsers keep a cookie of 4,096 bytes at most, and the sealed sign-in takes some hundred of them. */
const MAX_BACK = 2_000

/** The value of the cookie: the sealed sign-in, and the page to open afterwards, which needs no seal because it is checked again. */
const withBack = (pending: string, back: string): string =>
  back === '' || back.length > MAX_BACK ? pending : `${pending}.${Buffer.from(back).toString('base64url')}`

const splitBack = (cookie: string | undefined): readonly [pending: string | undefined, back: string] => {
  const [pending, back = ''] = cookie?.split('.') ?? []
  return [pending, Buffer.from(back, 'base64url').toString()]
}

/** The browser keeps a sign-in in a cookie that no script reads. `Lax`, not `Strict`: the browser comes back from another site. */
const keep = (ctx: Context, origin: string, pending: string, seconds: number): void =>
  ctx.append('Set-Cookie', `${cookieName(origin)}=${pending}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isHttps(origin) ? '; Secure' : ''}`)

/** With the prefix a browser takes the cookie from this host alone, and over https alone. */
const cookieName = (origin: string): string => (isHttps(origin) ? `__Host-${COOKIE}` : COOKIE)

const isHttps = (origin: string): boolean => origin.startsWith('https:')
