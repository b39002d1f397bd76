import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { SESSION_MS, type Token } from '../../core/access/members.js'
import { DEVICE_MS, type SignInPlace } from '../../core/access/sign-in.js'
import type { Cause } from '../../core/kernel/failure.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import type { ByteBudget } from '../shared/byte-budget.js'
import type { PageFailure } from './failure-page.js'
import type { FileForm } from './form-body.js'
import type { Language } from '../../core/kernel/language.js'
import { LANGUAGE_COOKIE } from './language.js'
import type { ConsoleLimits, Throttle } from './limits.js'
import type { LiveParts } from './live.js'
import { CHOSEN_ZONE_COOKIE } from './zone.js'

/** The name of the session's cookie. With the prefix, a browser accepts it only from this exact host, and only over https. */
export const cookieNameOf = (isHttps: boolean): string => (isHttps ? '__Host-postern_session' : 'postern_session')

/** The token of the session's cookie. Over https the cookie without the prefix is never read: an attacker on the network could have set it. */
export const readSession = (ctx: Context, isHttps: boolean): string | undefined => {
  const token = ctx.cookies.get(cookieNameOf(isHttps), { signed: false })
  return token === undefined || !TOKEN.test(token) ? undefined : token
}

/** Sets the session's cookie, or removes it. */
export const writeSession = (ctx: Context, isHttps: boolean, session: Token | 'ended'): void => {
  const [value, maxAge] = session === 'ended' ? ['', 0] : [session, SESSION_MS / 1000]
  write(ctx, isHttps, { name: cookieNameOf(isHttps), value, maxAge })
}

const deviceNameOf = (isHttps: boolean): string => (isHttps ? '__Host-postern_device' : 'postern_device')

/** The token that the browser kept from an earlier sign-in; it does not sign a person in. */
export const readDevice = (ctx: Context, isHttps: boolean): string | undefined => ctx.cookies.get(deviceNameOf(isHttps), { signed: false })

/** Marks a browser as known; signing out does not change that. */
export const writeDevice = (ctx: Context, isHttps: boolean, device: string): void =>
  write(ctx, isHttps, { name: deviceNameOf(isHttps), value: device, maxAge: DEVICE_MS / 1000 })

/** The maximum time that browsers keep a cookie: 400 days. */
const CHOICE_SECONDS = 400 * 24 * 60 * 60

/** Stores the language that a person chose in a cookie, or removes it. */
export const writeLanguage = (ctx: Context, isHttps: boolean, language: Language | 'browser'): void =>
  write(
    ctx, isHttps,
    language === 'browser'
      ? { name: LANGUAGE_COOKIE, value: '', maxAge: 0 }
      : { name: LANGUAGE_COOKIE, value: language, maxAge: CHOICE_SECONDS },
  )

/** Stores the time zone that a person chose in a cookie, or removes it. */
export const writeZone = (ctx: Context, isHttps: boolean, zone: string): void =>
  write(
    ctx, isHttps,
    zone === 'browser'
      ? { name: CHOSEN_ZONE_COOKIE, value: '', maxAge: 0 }
      : { name: CHOSEN_ZONE_COOKIE, value: zone, maxAge: CHOICE_SECONDS },
  )

const write = (
  ctx: Context, isHttps: boolean, { name, value, maxAge }: { readonly name: string; readonly value: string; readonly maxAge: number },
): void =>
  ctx.append('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`)

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/

/**
 * Whether a form was sent by one of our own pages. If a browser does not send the origin, `Sec-Fetch-Site` or `Referer` decides; a request without any of them is refused.
 *
 * If no public address is configured, the host is compared, because a proxy may have terminated https.
 */
export const isFromHere = (ctx: Context, publicOrigin: string | undefined): boolean => {
  const origin = ctx.get('Origin')
  if (origin !== '') return isOurs(origin)
  const site = ctx.get('Sec-Fetch-Site')
  return site === '' ? isOurs(ctx.get('Referer')) : site === 'same-origin'

  function isOurs(address: string): boolean {
    // Not `URL.canParse`: in Node.js 22 it misreads letters outside ASCII after the process has called it some hundred times.
    const url = URL.parse(address)
    if (url === null) return false
    return publicOrigin === undefined
      ? /^https?:$/.test(url.protocol) && url.host === ctx.get('Host').toLowerCase()
      : url.origin === publicOrigin
  }
}

/**
 * The origin for links and commands; `undefined` if the gateway cannot know it.
 *
 * A client can send any `Host`, so without a public address it counts only if it names this machine: a loopback name or address, or the address
 * of the connection. Any other host would put a foreign address into an invitation.
 */
export const linkOrigin = (ctx: Context, publicOrigin: string | undefined): string | undefined => {
  if (publicOrigin !== undefined) return publicOrigin
  const url = URL.parse(`http://${ctx.get('Host')}`)
  return url !== null && (LOOPBACK.test(url.hostname) || url.hostname === ownAddress(ctx)) ? url.origin : undefined
}

/** The path and the query of our page that contains a form, if the browser sends it. */
export const formPage = (ctx: Context, publicOrigin: string | undefined): string | undefined => {
  const url = URL.parse(ctx.get('Referer'))
  return url !== null && url.origin === linkOrigin(ctx, publicOrigin) ? url.pathname + url.search : undefined
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const ownAddress = ({ req: { socket: { localAddress = '' } } }: Context): string =>
  (isIPv6(localAddress) && !localAddress.startsWith('::ffff:') ? `[${localAddress}]` : localAddress.replace('::ffff:', ''))

/**
 * The headers of every page. Only the console's own script runs in it, and the page exchanges data only with the console.
 *
 * `same-origin` hides the token of a link from every other site. `no-referrer` would do so too, but then browsers send `Origin: null` with our own forms.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** A request as a page sees it. */
export type PageRequest = {
  /** The address of the request, without its query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The fields of a form; empty if the request has none. A field that was sent more than once is omitted. */
  readonly form: Readonly<Record<string, string>>
  /** Reads a form with a file, once. Only at an address that accepts files; their forms are not read before the sender is known. */
  readonly readFileForm?: (workspace: WorkspaceId) => Promise<Either<PageFailure, FileForm>>
  readonly place: SignInPlace
  /** The language that the browser prefers, even if the person chose another for the console. */
  readonly browserLanguage: Language
  /** The token of the session's cookie. */
  readonly token: string | undefined
  /** The path of the page that contains the form, according to the browser. */
  readonly cameFrom: string | undefined
  /** The time zone that the person chose; none if the browser's zone applies. */
  readonly chosenZone: string | undefined
  /** The token that the browser kept from an earlier sign-in. */
  readonly device: string | undefined
  /** The origin at which browsers reach the console; `undefined` if only the client claims it. */
  readonly origin: string | undefined
  /** Counts the request as one of a member, and waits until it is admitted; left if the member has too many running requests. */
  readonly enter: (member: MemberId) => Promise<Either<TooManyRequests, void>>
}

/** Finds the network address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string | undefined

/** Logs an event, named in snake case, with its fields. */
export type ConsoleLog = (level: 'info' | 'error', event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** One answered request. */
export type ConsoleObservation = { readonly method: string; readonly route: string; readonly status: number; readonly durationMs: number }

/** The values that the routes of a console share. */
export type Settings = {
  readonly publicOrigin: string | undefined
  readonly log: ConsoleLog
  readonly live: LiveParts
  readonly patterns: ReadonlySet<string>
  /** Whether an address belongs to a page that a GET shows to members. */
  readonly isShown: (address: string) => boolean
  readonly clientAddress: ClientAddress
  readonly bodyMemory: ByteBudget
  readonly limits: ConsoleLimits
  /** The throttle of all downloads together. */
  readonly downloads: Throttle
}

/** Whether browsers reach the console over https. */
export const isHttps = ({ publicOrigin }: Settings): boolean => publicOrigin?.startsWith('https:') === true
