import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Middleware } from 'koa'
import type { TooManyRequests } from '../../core/limiter.js'
import { readSession } from './cookie.js'
import { failurePage } from './failure-page.js'
import { PAGE_HEADERS } from './headers.js'
import { renderPage } from './layout.js'
import { isHttps, type ConsoleObservation, type Settings } from './settings.js'

/**
 * Lets requests in, before anything else is done for them. One that is refused costs little more than to read it: its page is made once, and the log has no line
 * of it. It is observed all the same. One whose client has gone away in its turn is not served.
 */
export const door = ({ observe }: { readonly observe?: (observation: ConsoleObservation) => void }, settings: Settings): Middleware => {
  const pages = new Map<string, { readonly status: number; readonly body: Buffer }>()
  const pageOf = (refusal: TooManyRequests) => {
    const known = pages.get(refusal.limit)
    if (known !== undefined) return known
    const page = failurePage(refusal)
    const made = { status: page.status ?? 200, body: Buffer.from(renderPage(page, settings.patterns)) }
    pages.set(refusal.limit, made)
    return made
  }
  return async (ctx, next) => {
    const entered = settings.limits.enterDoor(settings.clientAddress(ctx.req), readSession(ctx, isHttps(settings)))
    if (E.isLeft(entered)) {
      const { status, body } = pageOf(entered.left)
      ctx.set({ ...PAGE_HEADERS, 'Retry-After': String(entered.left.retryAfterSeconds) })
      ctx.status = status
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = body
      return observe?.({ method: ctx.method, route: 'unrouted', status, durationMs: 0 })
    }
    const { waitMs, leave } = entered.right
    try {
      if (waitMs > 0) await delay(waitMs)
      if (!ctx.res.destroyed) await next()
    } finally {
      leave()
    }
  }
}
