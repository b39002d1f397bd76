import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { PageFailure } from './failure-page.js'

/** The most bytes of a form; the largest has a password of 1,024 characters. */
const MAX_FORM_BYTES = 16 * 1024
/** The same of a message: 4,096 characters have up to nine bytes each in a form. */
const MAX_LARGE_FORM_BYTES = 64 * 1024

/** The parser is loaded for the first form: its modules would make the start of the gateway longer. */
const formParser = (formLimit: number, parameterLimit: number): Middleware => {
  let loading: Promise<Middleware> | undefined
  return async (ctx, next) => {
    loading ??= import('koa-body').then(({ koaBody }) => koaBody({
      json: false, text: false, multipart: false, urlencoded: true, urlencodedTypes: ['application/x-www-form-urlencoded'], formLimit,
      queryString: { allowDots: false, depth: 0, parseArrays: false, parameterLimit },
    }))
    const parse = await loading
    // The parser would wait for ever for a request that has ended meanwhile.
    if (ctx.req.destroyed) throw Object.assign(new Error('The request ended early'), { status: 400 })
    await parse(ctx, next)
  }
}

/** Reads the body of a form of an ordinary page. */
export const parseForm = formParser(MAX_FORM_BYTES, 32)
/** The same of a page that takes messages. */
export const parseLargeForm = formParser(MAX_LARGE_FORM_BYTES, 200)

/** The fields of a form that are texts; left where the body is too large or malformed. */
export const readForm = async (ctx: Context, parse: Middleware): Promise<E.Either<PageFailure, Readonly<Record<string, string>>>> => {
  try {
    await parse(ctx, async () => undefined)
  } catch (error) {
    if (!(error instanceof Error) || !('status' in error)) throw error
    return E.left({ _tag: error.status === 413 ? 'TooLarge' : 'Malformed' })
  }
  const body: unknown = ctx.request.body
  return E.right(typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body).filter(isText)) : {})
}

const isText = (field: [string, unknown]): field is [string, string] => typeof field[1] === 'string'
