import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context, Middleware } from 'koa'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import { A_FILE } from './codecs.js'
import type { BodyFailure, MalformedBody, UnsupportedMediaType } from './failures.js'
import { MAX_FIELDS, MAX_FORM_BYTES, multipartFault, urlencodedFault } from './form-limits.js'
import { discardBody, readRaw } from './read-raw.js'

/** The most bytes a JSON body may have. */
export const MAX_BODY_BYTES = 256 * 1024

/** The parameters of a request. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads a request's body, once; a request without a body has no parameters. */
export type ReadBody = (ctx: Context) => TE.TaskEither<BodyFailure, Fields>

const JSON_TYPE = 'application/json'
const URLENCODED_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data'

/** Names that mark a part as a file or as not UTF-8. The real name of a part cannot begin with a quotation mark. */
const FILE_PREFIX = '"file '
const BROKEN_NAME = '"broken'

const CHARSETS: ReadonlyArray<string> = ['', 'utf-8', 'utf8']

/** Reads bodies of an operation: JSON, and forms if the operation takes them. Nothing is written to disk. */
export const makeReadBody = ({ forms }: { readonly forms: boolean }): ReadBody => {
  const types = forms ? [JSON_TYPE, MULTIPART_TYPE, URLENCODED_TYPE] : [JSON_TYPE]
  return (ctx) => async () => {
    // An embedding app may have read the body before us.
    if (ctx.request.body !== undefined) return fieldsOf(ctx.request.body)
    if (hasNoBody(ctx)) return E.right({})
    const type = ctx.is(types)
    const refusal = refusalOf(ctx, types, type)
    if (refusal !== undefined) {
      discardBody(ctx)
      return E.left(refusal)
    }
    const raw = await readRaw(ctx, { limit: type === JSON_TYPE ? MAX_BODY_BYTES : MAX_FORM_BYTES })()
    if (E.isLeft(raw)) return raw
    const fault = faultOf(ctx, type, raw.right)
    if (fault !== undefined) return E.left(fault)
    if (type !== JSON_TYPE) return formFields(ctx, raw.right)
    ctx.request.rawBody = raw.right.toString()
    return jsonFields(ctx.request.rawBody)
  }
}

const hasNoBody = ({ req: { headers } }: Context): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'

const refusalOf = (ctx: Context, types: ReadonlyArray<string>, type: string | false | null): UnsupportedMediaType | undefined => {
  if (!type) return { _tag: 'UnsupportedMediaType', sentence: `The body must be ${types.join(' or ')}` }
  if (!CHARSETS.includes(ctx.request.charset.toLowerCase())) {
    return { _tag: 'UnsupportedMediaType', sentence: 'The body must be in UTF-8' }
  }
  return (ctx.get('Content-Encoding') || 'identity').toLowerCase() === 'identity'
    ? undefined
    : { _tag: 'UnsupportedMediaType', sentence: 'The body must not be compressed' }
}

/** A fault of a body that is visible before it is parsed. A multipart body may contain a file, which need not be UTF-8. */
const faultOf = (ctx: Context, type: string | false | null, raw: Buffer): MalformedBody | undefined => {
  if (type === MULTIPART_TYPE) return multipartFault(raw, boundaryOf(ctx))
  if (!isUtf8(raw)) return NOT_UTF8
  if (type !== URLENCODED_TYPE) return undefined
  return urlencodedFault(raw) ?? (isDecodable(raw.toString()) ? undefined : NOT_UTF8)
}

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i

const boundaryOf = (ctx: Context): string => {
  const [, quoted, bare] = BOUNDARY.exec(ctx.get('Content-Type')) ?? []
  return quoted ?? bare ?? ''
}

const isDecodable = (form: string): boolean => {
  try {
    decodeURIComponent(form)
    return true
  } catch {
    return false
  }
}

type Part = Parameters<NonNullable<NonNullable<KoaBodyMiddlewareOptions['formidable']>['onPart']>>[0]

const jsonFields = (text: string): E.Either<MalformedBody, Fields> => {
  const body = text === '' ? E.right({}) : parseJson(text)
  return E.isLeft(body) ? body : fieldsOf(body.right)
}

const FORM_OPTIONS: Partial<KoaBodyMiddlewareOptions> = {
  json: false,
  text: false,
  multipart: true,
  urlencodedTypes: [URLENCODED_TYPE],
  multipartTypes: [MULTIPART_TYPE],
  formLimit: MAX_FORM_BYTES,
  queryString: { allowDots: false, depth: 0, parseArrays: false, parameterLimit: MAX_FIELDS, throwOnLimitExceeded: true },
  formidable: {
    maxFields: MAX_FIELDS,
    maxFieldsSize: MAX_FORM_BYTES,
    onPart: (part, handle) => {
      // A file is read like a field, so that it is not written to disk; its name marks it as a file.
      if (part.originalFilename !== null) part.name = `${FILE_PREFIX}${part.name}`
      else markUnlessUtf8(part)
      // A part with a type and without a file name is a field too; its transfer encoding is already decoded.
      handle(Object.assign(part, { mimetype: null, transferEncoding: 'utf-8' }))
    },
  },
}

let formParser: Promise<Middleware> | undefined

/** The parser is loaded for the first form: its 120 modules would make the start longer, and most clients send JSON. */
const loadFormParser = (): Promise<Middleware> => {
  formParser ??= import('koa-body').then(({ koaBody }) => koaBody(FORM_OPTIONS))
  return formParser
}

/** The parser drops bytes that are not UTF-8, so they are checked here. The parser reads the name after the last byte. */
const markUnlessUtf8 = (part: Part): void => {
  const chunks: Array<Buffer> = []
  part.on('data', (chunk: Buffer) => chunks.push(chunk))
  part.on('end', () => {
    if (!isUtf8(Buffer.concat(chunks))) part.name = BROKEN_NAME
  })
}

const formFields = async (ctx: Context, raw: Buffer): Promise<E.Either<BodyFailure, Fields>> => {
  const parseForm = await loadFormParser()
  try {
    await parseForm(withBytes(ctx, raw), async () => {})
  } catch (error) {
    return E.left(formFailure(error))
  }
  const body: unknown = ctx.request.body
  if (!isFields(body)) return fieldsOf(body)
  return BROKEN_NAME in body ? E.left(NOT_UTF8) : E.right(withFiles(body))
}

/** The same context for the parser, with a request whose body is the bytes that were already read. */
const withBytes = (ctx: Context, raw: Buffer): Context => {
  const req = new Readable({
    read() {
      this.push(raw)
      this.push(null)
    },
  })
  return Object.create(ctx, { req: { value: Object.assign(req, { headers: ctx.req.headers }) } }) as Context
}

/** The parsers' errors have a status; an error without one is a defect. */
const formFailure = (error: unknown): MalformedBody => {
  if (!(error instanceof Error) || !('status' in error || 'httpCode' in error)) throw error
  return malformed('The body is incomplete, or is not well-formed in its content type')
}

const withFiles = (fields: Fields): Fields => {
  const files = Object.keys(fields).filter((name) => name.startsWith(FILE_PREFIX)).map((name) => name.slice(FILE_PREFIX.length))
  return files.length === 0 ? fields : { ...fields, ...Object.fromEntries(files.map((name) => [name, A_FILE])) }
}

const fieldsOf = (body: unknown): E.Either<MalformedBody, Fields> => {
  if (body === '') return E.right({})
  return isFields(body) ? E.right(body) : E.left(malformed('The body must be a JSON object'))
}

const isFields = (body: unknown): body is Fields => typeof body === 'object' && body !== null && !Array.isArray(body)

const malformed = (sentence: string): MalformedBody => ({ _tag: 'MalformedBody', sentence })

const NOT_UTF8 = malformed('The body is not UTF-8')

/** Matches every text that may have a key `__proto__`, even if the key is written with escapes. */
const PERHAPS_PROTO = /__proto__|\\u00/

/**
 * Parses a body as JSON.
 *
 * A field named `__proto__` is refused, because a program that copies the fields one by one would change an object's prototype.
 */
const parseJson = (text: string): E.Either<MalformedBody, unknown> =>
  E.tryCatch(
    (): unknown => (PERHAPS_PROTO.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text)),
    (): MalformedBody => ({ _tag: 'MalformedBody', sentence: 'The body is not well-formed JSON, or has a field named __proto__' }),
  )

const refuseProto = (key: string, value: unknown): unknown => {
  if (key === '__proto__') throw new SyntaxError('a field is named __proto__')
  return value
}
