import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { TooManyRequests } from '../../core/limiter.js'
import { readDevice, readSession } from './cookie.js'
import { failurePage } from './failure-page.js'
import { PAGE_HEADERS } from './headers.js'
import { renderPage } from './layout.js'
import { SIGN_IN_PATH } from './pages/sign-in.js'
import { isHttps, type ConsoleObservation, type Settings } from './settings.js'

/**
 * Lets requests in, before anything else is done for them. One that is refused costs little more than to read it: its page is made once, and the log has no line
 * of it. It is observed all the same. One whose client has gone away in its turn is not served. Sign-ins have a door of their own, so neither keeps the other waiting.
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
  const refuse = (ctx: Context, refusal: TooManyRequests): void => {
    const { status, body } = pageOf(refusal)
    ctx.set({ ...PAGE_HEADERS, 'Retry-After': String(refusal.retryAfterSeconds) })
    ctx.status = status
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = body
    observe?.({ method: ctx.method, route: 'unrouted', status, durationMs: 0 })
  }
  return async (ctx, next) => {
    const address = settings.clientAddress(ctx.req)
    if (isSignIn(ctx)) {
      const mayEnter = await settings.limits.enterSignIn(address, readDevice(ctx, isHttps(settings)) !== undefined)
      if (E.isLeft(mayEnter)) refuse(ctx, mayEnter.left)
      else if (!ctx.res.destroyed) await next()
      return
    }
    const entered = settings.limits.enterDoor(address, readSession(ctx, isHttps(settings)))
    if (E.isLeft(entered)) return refuse(ctx, entered.left)
    const { waitMs, leave } = entered.right
    try {
      if (waitMs > 0) await delay(waitMs)
      if (!ctx.res.destroyed) await next()
    } finally {
      leave()
    }
  }
}

/** A form with a password. */
const isSignIn = ({ method, path }: Context): boolean => method === 'POST' && path === SIGN_IN_PATH
