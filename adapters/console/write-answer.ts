import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { describeCause } from '../../core/kernel/failure.js'
import type { Answer, HtmlAnswer, LiveAnswer, ProgressAnswer } from './answer.js'
import { failurePage, type PageFailure } from './failure-page.js'
import { currentLanguage } from './language.js'
import { renderPage } from './layout.js'
import { throttled } from './limits.js'
import { progressBody } from './progress.js'
import { formPage, writeDevice, writeLanguage, writeSession, writeZone } from './request.js'
import { setFlash, takeFlash } from './flash.js'
import { isHttps, type Settings } from './settings.js'
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
      if (answer.failure !== undefined) settings.log('error', 'port_failed', { request_id: ctx.response.get('X-Request-Id'), port: answer.failure.port, cause: describeCause(answer.failure.cause) })
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
      if (answer.flash !== undefined && !setFlash(ctx, settings, answer.to, answer.flash)) return write(ctx, { _tag: 'Html', title: TEXTS.layout.product, content: answer.flash }, settings)
      ctx.status = 303
      ctx.set('Location', answer.to)
      ctx.body = ''
      return
    case 'Live': return fail(ctx, { _tag: 'NotFound' }, settings)
    case 'Progress': return writeProgress(ctx, answer, settings)
    case 'Csv':
      ctx.type = 'text/csv; charset=utf-8'
      ctx.attachment(answer.name)
      ctx.body = Readable.from(throttled(withByteOrderMark(answer.parts), settings.downloads))
  }
}
