import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Context } from 'koa'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { ConsolePath } from './answer.js'
import { readSession } from './request.js'
import { isHttps, type Settings } from './settings.js'

/**
 * The result of a form is shown on the page to which the answer redirects (Post/Redirect/Get), so reloading that page submits nothing again. The redirect carries the
 * result in a cookie, encrypted and authenticated with a key that is derived from the session's token. So no gateway stores it, every gateway can decrypt it, and an
 * attacker without the session can neither read nor forge it. The page that shows it deletes the cookie.
 */
const NAME = 'postern_flash'
const SECONDS = 300

/** Browsers accept 4,096 bytes including the name and the attributes. */
const MAX_BYTES = 3_500
const MAX_HTML_BYTES = 65_536

const [CIPHER, IV_BYTES, TAG_BYTES, KEY_BYTES] = ['aes-256-gcm', 12, 16, 32] as const

const keyOf = (session: string, path: string): Buffer => Buffer.from(hkdfSync('sha256', session, '', `postern flash ${path}`, KEY_BYTES))

/** Sets the cookie for the page at an address; `false` if the request has no session, or the result is too long for a cookie. */
export const setFlash = (ctx: Context, settings: Settings, to: ConsolePath, flash: VNode): boolean => {
  const session = readSession(ctx, isHttps(settings))
  if (session === undefined) return false
  const path = to.replace(/\?.*$/, '')
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(session, path), iv)
  const text = Buffer.concat([cipher.update(deflateRawSync(render(flash))), cipher.final()])
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
  if (sealed.length > MAX_BYTES) return false
  ctx.append('Set-Cookie', cookie(path, sealed, SECONDS, isHttps(settings)))
  return true
}

/** The HTML in the cookie, which is deleted; `undefined` if it was set for another session or page, or was tampered with. */
export const takeFlash = (ctx: Context, settings: Settings): string | undefined => {
  const session = readSession(ctx, isHttps(settings))
  const sealed = ctx.cookies.get(NAME, { signed: false })
  if (session === undefined || sealed === undefined) return undefined
  ctx.append('Set-Cookie', cookie(ctx.path, '', 0, isHttps(settings)))
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const opener = createDecipheriv(CIPHER, keyOf(session, ctx.path), bytes.subarray(0, IV_BYTES))
  opener.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const text = Buffer.concat([opener.update(bytes.subarray(IV_BYTES + TAG_BYTES)), opener.final()])
    return inflateRawSync(text, { maxOutputLength: MAX_HTML_BYTES }).toString()
  } catch {
    return undefined
  }
}

const cookie = (path: string, value: string, maxAge: number, isSecure: boolean): string =>
  `${NAME}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
