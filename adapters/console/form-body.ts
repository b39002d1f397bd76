import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { TakenBytes } from '../shared/byte-budget.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { IncomingFile } from '../../core/messages/files.js'
import type { PageFailure } from './failure-page.js'

/** The maximum size of a form in bytes; the largest has a password of 1,024 characters. */
const MAX_FORM_BYTES = 16 * 1024
/** The maximum size of a form with a message: 4,096 characters have up to nine bytes each in a form. */
const MAX_LARGE_FORM_BYTES = 64 * 1024

/** The share of the memory for bodies that forms may use: any client can send a form, and requests with a key need the rest. */
const MEMORY_SHARE = 0.25
/** How long a form may take to arrive, in milliseconds. */
const DEADLINE_MS = 10 * SECOND_MS

/** The text fields of a form. */
export type FormFields = Readonly<Record<string, string>>

/** A form whose last part is a file, which is read while it arrives. */
export type FileForm<Fields = FormFields> = {
  readonly fields: Fields
  readonly file: IncomingFile & {
    /** The reason why the file was not complete, after reading it has thrown. */
    readonly failure: () => { readonly _tag: string } | undefined
  }
}

/** How forms with a file are read. The app passes it, because they are read like those of the API. */
export type FileForms = {
  /** Reads the fields before the file. */
  readonly read: (
    ctx: Context, memory: TakenBytes,
  ) => Promise<E.Either<{ readonly _tag: string }, FileForm<Readonly<Record<string, unknown>>>>>
  /** Reads the rest of a form that was already answered, so that the browser shows the answer. */
  readonly discard: (ctx: Context) => void
}

/** Parses a form of a limited size. */
export type FormParser = { readonly limit: number; readonly parse: Middleware }

/** The parser is loaded for the first form; loading its modules earlier would slow the start of the gateway. */
const formParser = (formLimit: number, parameterLimit: number): FormParser => {
  let loading: Promise<Middleware> | undefined
  const parse: Middleware = async (ctx, next) => {
    loading ??= import('koa-body').then(({ koaBody }) => koaBody({
      json: false, text: false, multipart: false, urlencoded: true, urlencodedTypes: ['application/x-www-form-urlencoded'], formLimit,
      queryString: { allowDots: false, depth: 0, parseArrays: false, parameterLimit },
    }))
    const parser = await loading
    // The parser would wait forever for a request that has ended meanwhile.
    if (ctx.req.destroyed) throw Object.assign(new Error('The request ended early'), { status: 400 })
    await parser(ctx, next)
  }
  return { limit: formLimit, parse }
}

/** Parses the body of a form of an ordinary page. */
export const parseForm = formParser(MAX_FORM_BYTES, 32)
/** Parses the body of a form with a message. */
export const parseLargeForm = formParser(MAX_LARGE_FORM_BYTES, 200)

/** Reserves memory for the part of a body that may have arrived before it is read, because Node reads ahead. Returns `false` if no memory is free. */
export const takeUnread = ({ req }: Context, memory: TakenBytes): boolean => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers
  const bytes = encoding === undefined ? Number(length ?? 0) : Infinity
  return memory.take(Math.min(bytes, req.readableHighWaterMark), MEMORY_SHARE)
}

/** The text fields of a form. A form that is too large, or for which no memory is free, is refused before it is read. */
export const readForm = async (
  ctx: Context, { limit, parse }: FormParser, memory: TakenBytes,
): Promise<E.Either<PageFailure, FormFields>> => {
  // A form in chunks does not declare its length.
  const length = Number(ctx.req.headers['content-length'] ?? limit)
  if (length > limit) return E.left({ _tag: 'TooLarge' })
  if (!memory.take(length, MEMORY_SHARE)) return E.left({ _tag: 'Overloaded' })
  const late = Symbol('late')
  let timer: NodeJS.Timeout | undefined
  try {
    const deadline = new Promise<typeof late>((resolve) => { timer = setTimeout(resolve, DEADLINE_MS, late) })
    if (await Promise.race([parse(ctx, async () => undefined) as Promise<void>, deadline]) === late) return endLate(ctx)
  } catch (error) {
    if (!(error instanceof Error) || !('status' in error)) throw error
    return E.left({ _tag: error.status === 413 ? 'TooLarge' : 'Malformed' })
  } finally {
    clearTimeout(timer)
  }
  const body: unknown = ctx.request.body
  return E.right(typeof body === 'object' && body !== null ? textsOf(body) : {})
}

/** The rest of the body is not read: the connection ends after the response. */
const endLate = ({ req, res }: Context): E.Either<PageFailure, never> => {
  res.setHeader('Connection', 'close')
  res.once('finish', () => req.destroy())
  return E.left({ _tag: 'TooSlow' })
}

/** The fields of a form with a file, and the file. It uses the memory of the workspace that sends it. */
export const readFileForm = async (
  ctx: Context, { read }: FileForms, memory: TakenBytes, workspace: WorkspaceId,
): Promise<E.Either<PageFailure, FileForm>> => {
  memory.belongTo(workspace)
  const form = await read(ctx, memory)
  if (E.isRight(form)) return E.right({ ...form.right, fields: textsOf(form.right.fields) })
  switch (form.left._tag) {
    case 'PayloadTooLarge': return E.left({ _tag: 'TooLarge' })
    case 'BodyTooSlow': return E.left({ _tag: 'TooSlow' })
    case 'Overloaded': return E.left({ _tag: 'Overloaded' })
    default: return E.left({ _tag: 'Malformed' })
  }
}

const textsOf = (fields: object): FormFields => Object.fromEntries(Object.entries(fields).filter(isText))

const isText = (field: [string, unknown]): field is [string, string] => typeof field[1] === 'string'
