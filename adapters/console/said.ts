import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Context } from 'koa'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'

/**
 * What came of a form is said on the page that the browser then gets by GET, so that to reload it sends nothing again. On the way it is in a cookie that works
 * once: sealed under the token of the session, so that no gateway keeps it, any gateway can open it, and nobody else can read it or say something in our name.
 */
const NAME = 'postern_said'
const SECONDS = 300

/** Browsers take 4,096 bytes with the name and the attributes. */
const MOST_BYTES = 3_500
const MOST_HTML_BYTES = 65_536

const [CIPHER, IV_BYTES, TAG_BYTES, KEY_BYTES] = ['aes-256-gcm', 12, 16, 32] as const

const keyOf = (session: string, path: string): Buffer => Buffer.from(hkdfSync('sha256', session, '', `postern said ${path}`, KEY_BYTES))

/** Leaves for the page at a path what is to be said there; `false` if it is too long for a cookie. */
export const leaveSaid = (ctx: Context, { session, path, isHttps }: { readonly session: string; readonly path: string; readonly isHttps: boolean }, said: VNode): boolean => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(session, path), iv)
  const text = Buffer.concat([cipher.update(deflateRawSync(render(said))), cipher.final()])
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
  if (sealed.length > MOST_BYTES) return false
  ctx.append('Set-Cookie', cookie(path, sealed, SECONDS, isHttps))
  return true
}

/** Takes the HTML that was left for this page, once. What is not ours, or was left for another session or page, is none. */
export const takeSaid = (ctx: Context, session: string): string | undefined => {
  const sealed = ctx.cookies.get(NAME, { signed: false })
  if (sealed === undefined) return undefined
  ctx.append('Set-Cookie', cookie(ctx.path, '', 0, false))
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const opener = createDecipheriv(CIPHER, keyOf(session, ctx.path), bytes.subarray(0, IV_BYTES))
  opener.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const text = Buffer.concat([opener.update(bytes.subarray(IV_BYTES + TAG_BYTES)), opener.final()])
    return inflateRawSync(text, { maxOutputLength: MOST_HTML_BYTES }).toString()
  } catch {
    return undefined
  }
}

const cookie = (path: string, value: string, maxAge: number, isHttps: boolean): string =>
  `${NAME}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`
