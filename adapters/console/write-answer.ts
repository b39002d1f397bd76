import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Context } from 'koa'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { describeCause, type PortFailure } from '../../core/kernel/failure.js'
import type { Answer, ConsolePath, HtmlAnswer, LiveAnswer, ProgressAnswer } from './answer.js'
import { failurePage, type PageFailure } from './failure-page.js'
import { currentLanguage } from './language.js'
import { renderHalves, renderPage } from './layout.js'
import { throttled } from './limits.js'
import { formPage, isHttps, readSession, type Settings, writeDevice, writeLanguage, writeSession, writeZone } from './request.js'
import { TEXTS } from './texts.js'
import { currentZone } from './zone.js'

/** A stream reports only by its status why it does not start: a page in its response would be read as events. */
export const stream = (ctx: Context, answer: Answer, settings: Settings): void => {
  if (answer._tag === 'Live') return openStream(ctx, answer, settings)
  if (answer._tag === 'Html' && answer.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(answer.retryAfterSeconds))
  ctx.status = answer._tag === 'Html' && answer.status !== undefined ? answer.status : 401
  ctx.body = ''
}

const openStream = (ctx: Context, part: LiveAnswer, { live }: Settings): void => {
  // A connection that outlived its stream would delay the shutdown of the gateway.
  ctx.set({ 'X-Accel-Buffering': 'no', Connection: 'close' })
  ctx.type = 'text/event-stream'
  // All browsers that share a reading use the same language and time zone; it is rendered in those of the first browser.
  ctx.body = live.watch({ ...part, key: `${currentLanguage()} ${currentZone()} ${part.key}` }, ctx.get('Last-Event-ID') || undefined)
}

const writeProgress = (ctx: Context, answer: ProgressAnswer, settings: Settings): void => {
  const requestId = ctx.response.get('X-Request-Id')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.type = 'text/html; charset=utf-8'
  if (ctx.method === 'HEAD') {
    // The response to a HEAD request has no body, so the work is not started.
    ctx.body = ''
    return
  }
  ctx.body = progressBody({ ...answer, page: withHistory(ctx, answer.page, settings) }, settings.patterns, () => ctx.res.destroyed, {
    onFailure: ({ port, cause }) => settings.log('error', 'port_failed', { request_id: requestId, port, cause: describeCause(cause) }),
    onDefect: (cause) => settings.log('error', 'unexpected', { request_id: requestId, cause: describeCause(cause) }),
  })
}

/** Answers with the page of a failure. */
export const fail = (ctx: Context, failure: PageFailure, settings: Settings): void => write(ctx, failurePage(failure), settings)

/** Answers a method that the page does not support. */
export const refuseMethod = (ctx: Context, allow: string, settings: Settings): void => {
  ctx.set('Allow', allow)
  fail(ctx, { _tag: 'MethodNotAllowed' }, settings)
}

/** A page for a signed-in member shows the result of the previous form. */
const withSaid = (ctx: Context, answer: HtmlAnswer, settings: Settings): HtmlAnswer => {
  const flash = ctx.method === 'GET' && answer.signedIn !== undefined ? takeFlash(ctx, settings) : undefined
  return flash === undefined ? answer : { ...answer, flash }
}

/** The reply to a form has the address of the page that it belongs to, or of the page that contained the form. */
const withHistory = (ctx: Context, answer: HtmlAnswer, { isShown, publicOrigin }: Settings): HtmlAnswer => {
  if (ctx.method !== 'POST' || answer.signedIn === undefined) return answer
  const historyAddress = [answer.path, formPage(ctx, publicOrigin)].find((address) => address !== undefined && isShown(address))
  return historyAddress === undefined ? answer : { ...answer, historyAddress }
}

/** Excel reads a CSV file as UTF-8 only if it begins with a byte order mark. */
async function* withByteOrderMark(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* parts
}

/** Answers a request. */
export const write = (ctx: Context, answer: Answer, settings: Settings): void => {
  switch (answer._tag) {
    case 'Html':
      if (answer.failure !== undefined) {
        settings.log('error', 'port_failed', {
          request_id: ctx.response.get('X-Request-Id'), port: answer.failure.port, cause: describeCause(answer.failure.cause),
        })
      }
      if (answer.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(answer.retryAfterSeconds))
      ctx.status = answer.status ?? 200
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = renderPage(withHistory(ctx, withSaid(ctx, answer, settings), settings), settings.patterns)
      return
    case 'Redirect':
      if (answer.session !== undefined) writeSession(ctx, isHttps(settings), answer.session)
      if (answer.device !== undefined) writeDevice(ctx, isHttps(settings), answer.device)
      if (answer.language !== undefined) writeLanguage(ctx, isHttps(settings), answer.language)
      if (answer.zone !== undefined) writeZone(ctx, isHttps(settings), answer.zone)
      // A result that is too long is shown immediately: a secret can only be shown now.
      if (answer.flash !== undefined && !setFlash(ctx, settings, answer.to, answer.flash)) {
        return write(ctx, { _tag: 'Html', title: TEXTS.layout.product, content: answer.flash }, settings)
      }
      ctx.status = 303
      ctx.set('Location', answer.to)
      ctx.body = ''
      return
    case 'Part':
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = render(answer.content(settings.patterns))
      return
    case 'Live': return fail(ctx, { _tag: 'NotFound' }, settings)
    case 'Progress': return writeProgress(ctx, answer, settings)
    case 'Csv':
      ctx.type = 'text/csv; charset=utf-8'
      ctx.attachment(answer.name)
      ctx.body = Readable.from(throttled(withByteOrderMark(answer.parts), settings.downloads))
  }
}

/** Called for events that the last part does not show. */
export type ProgressHooks = { readonly onFailure: (failure: PortFailure) => void; readonly onDefect: (cause: unknown) => void }

/** The text of a page that is sent during its operation. */
export const progressBody = (
  { page, run }: ProgressAnswer, patterns: ReadonlySet<string>, isStopped: () => boolean, hooks: ProgressHooks,
): PassThrough => {
  const [begin, end] = renderHalves(page, patterns)
  const body = new PassThrough()
  body.write(begin)
  const finish = ({ content, failure }: HtmlAnswer): void => {
    if (failure !== undefined) hooks.onFailure(failure)
    if (!body.destroyed) body.end(render(content) + end)
  }
  const show = (part: VNode): void => {
    if (!body.destroyed) body.write(render(part))
  }
  run(show, isStopped).then(finish, (cause: unknown) => {
    hooks.onDefect(cause)
    finish(failurePage({ _tag: 'Defect' }))
  })
  return body
}

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
