import type { Context } from 'koa'
import { SESSION_MS, type Token } from '../../core/access/members.js'
import { DEVICE_MS } from '../../core/access/sign-in.js'

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
  write(ctx, isHttps, { name: cookieNameOf(isHttps), value, maxAge })
}

const deviceNameOf = (isHttps: boolean): string => (isHttps ? '__Host-postern_device' : 'postern_device')

/** What the browser kept of an earlier sign-in; who has it is not signed in by it. */
export const readDevice = (ctx: Context, isHttps: boolean): string | undefined => ctx.cookies.get(deviceNameOf(isHttps), { signed: false })

/** Makes a browser known; signing out leaves it so. */
export const writeDevice = (ctx: Context, isHttps: boolean, device: string): void =>
  write(ctx, isHttps, { name: deviceNameOf(isHttps), value: device, maxAge: DEVICE_MS / 1000 })

const write = (ctx: Context, isHttps: boolean, { name, value, maxAge }: { readonly name: string; readonly value: string; readonly maxAge: number }): void =>
  ctx.append('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`)

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/
