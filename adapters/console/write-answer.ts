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
import { leaveSaid, takeSaid } from './said.js'
import { isHttps, type Settings } from './settings.js'
import { TEXTS } from './texts.js'
import { currentZone } from './zone.js'

/** A stream says only by its status why it does not begin: a page in its place would be taken for events. */
export const stream = (ctx: Context, answer: Answer, settings: Settings): void => {
  if (answer._tag === 'Live') return openStream(ctx, answer, settings)
  if (answer._tag === 'Html' && answer.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(answer.retryAfterSeconds))
  ctx.status = answer._tag === 'Html' && answer.status !== undefined ? answer.status : 401
  ctx.body = ''
}

const openStream = (ctx: Context, part: LiveAnswer, { live }: Settings): void => {
  // A connection that outlived its stream would hold up the end of the gateway.
  ctx.set({ 'X-Accel-Buffering': 'no', Connection: 'close' })
  ctx.type = 'text/event-stream'
  // All who share a reading read one language and one time zone: it is read in those of the first of them.
  ctx.body = live.watch({ ...part, key: `${currentLanguage()} ${currentZone()} ${part.key}` }, ctx.get('Last-Event-ID') || undefined)
}

const writeProgress = (ctx: Context, answer: ProgressAnswer, settings: Settings): void => {
  const requestId = ctx.response.get('X-Request-Id')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.type = 'text/html; charset=utf-8'
  if (ctx.method === 'HEAD') {
    // What no one reads is not begun.
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

/** Answers a method that the page does not take. */
export const refuseMethod = (ctx: Context, allow: string, settings: Settings): void => {
  ctx.set('Allow', allow)
  fail(ctx, { _tag: 'MethodNotAllowed' }, settings)
}

/** A page for a member who is signed in shows the result of the form before it. */
const withSaid = (ctx: Context, answer: HtmlAnswer, settings: Settings): HtmlAnswer => {
  const said = ctx.method === 'GET' && answer.signedIn !== undefined ? takeSaid(ctx, settings) : undefined
  return said === undefined ? answer : { ...answer, said }
}

/** The reply to a form has the address of the page that it belongs to, or of the page that the form was on. */
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
      // What is too long is said at once: what may be a secret is shown now or never.
      if (answer.said !== undefined && !leaveSaid(ctx, settings, answer.to, answer.said)) return write(ctx, { _tag: 'Html', title: TEXTS.layout.product, content: answer.said }, settings)
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
