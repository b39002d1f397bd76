import type { Context } from 'koa'
import { SESSION_MS, type Token } from '../../core/session.js'

/** The name of the session's cookie. With the prefix a browser takes it from this very host alone, and over https alone. */
export const cookieNameOf = (isHttps: boolean): string => (isHttps ? '__Host-postern_session' : 'postern_session')

/** The token of the session's cookie. Over https the cookie without the prefix is never read: an attacker on the network could have set it. */
export const readSession = (ctx: Context, isHttps: boolean): string | undefined => {
  const token = ctx.cookies.get(cookieNameOf(isHttps), { signed: false })
  return token === undefined || !TOKEN.test(token) ? undefined : token
}

/** Sets the session's cookie, or removes it. */
export const writeSession = (ctx: Context, isHttps: boolean, session: Token | 'ended'): void => {
  const [value, maxAge] = session === 'ended' ? ['', 0] : [session, SESSION_MS / 1000]
  ctx.append('Set-Cookie', `${cookieNameOf(isHttps)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`)
}

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/
