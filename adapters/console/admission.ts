import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { failurePage } from './failure-page.js'
import { takeUnread } from './form-body.js'
import { currentLanguage } from './language.js'
import { renderPage } from './layout.js'
import { SIGN_IN_PATH } from './pages/people/sign-in.js'
import { type ConsoleObservation, isHttps, PAGE_HEADERS, readDevice, readSession, type Settings } from './request.js'

type Refusal = TooManyRequests | { readonly _tag: 'Overloaded' }

/**
 * Admits requests before any other work is done for them. A refused request costs little more than reading it: its page is made once for each language, and it causes
 * no log line, but it is still observed. The received part of the body of a waiting request counts as memory for bodies. A request whose client has disconnected is not served.
 * Sign-ins are admitted separately, so sign-ins and other requests do not delay each other.
 */
export const admitRequests = (
  { observe }: { readonly observe?: (observation: ConsoleObservation) => void }, settings: Settings,
): Middleware => {
  const pages = new Map<string, { readonly status: number; readonly body: Buffer; readonly retryAfterSeconds: number | undefined }>()
  const pageOf = (refusal: Refusal) => {
    const name = `${currentLanguage()} ${refusal._tag === 'TooManyRequests' ? refusal.limit : refusal._tag}`
    const known = pages.get(name)
    if (known !== undefined) return known
    const page = failurePage(refusal)
    const made = {
      status: page.status ?? 200, body: Buffer.from(renderPage(page, settings.patterns)), retryAfterSeconds: page.retryAfterSeconds,
    }
    pages.set(name, made)
    return made
  }
  const refuse = (ctx: Context, refusal: Refusal): void => {
    const { status, body, retryAfterSeconds } = { ...pageOf(refusal), ...refusal }
    ctx.set({ ...PAGE_HEADERS, 'Retry-After': String(retryAfterSeconds) })
    ctx.status = status
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = body
    observe?.({ method: ctx.method, route: 'unrouted', status, durationMs: 0 })
  }
  /** Waits until the request is admitted. */
  const wait = async (ctx: Context, turn: () => Promise<E.Either<Refusal, void>>): Promise<E.Either<Refusal, void>> => {
    const memory = settings.bodyMemory.begin()
    if (!takeUnread(ctx, memory)) return E.left({ _tag: 'Overloaded' })
    try {
      return await turn()
    } finally {
      memory.end()
    }
  }
  return async (ctx, next) => {
    const address = settings.clientAddress(ctx.req)
    if (isSignIn(ctx)) {
      const mayEnter = await wait(ctx, () => settings.limits.enterSignIn(address, readDevice(ctx, isHttps(settings)) !== undefined))
      if (E.isLeft(mayEnter)) refuse(ctx, mayEnter.left)
      else if (!ctx.res.destroyed) await next()
      return
    }
    const entered = settings.limits.admit(address, readSession(ctx, isHttps(settings)))
    if (E.isLeft(entered)) return refuse(ctx, entered.left)
    const { waitMs, leave } = entered.right
    try {
      const waited = waitMs > 0 ? await wait(ctx, async () => E.right(await delay(waitMs))) : E.right(undefined)
      if (E.isLeft(waited)) refuse(ctx, waited.left)
      else if (!ctx.res.destroyed) await next()
    } finally {
      leave()
    }
  }
}

/** A form with a password. */
const isSignIn = ({ method, path }: Context): boolean => method === 'POST' && path === SIGN_IN_PATH
