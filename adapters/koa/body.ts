import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import { koaBody, type KoaBodyMiddlewareOptions } from 'koa-body'
import { A_FILE } from './codecs.js'
import type { BodyFailure, MalformedBody, UnsupportedMediaType } from './failures.js'
import { watchBytes } from './watch-bytes.js'

/** The most bytes a request's body may have. */
export const MAX_BODY_BYTES = 256 * 1024

/** The parameters a request brings. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads a request's body, once; a request without one brings no parameters. */
export type ReadBody = (ctx: Context) => TE.TaskEither<BodyFailure, Fields>

const JSON_TYPE = 'application/json'
const URLENCODED_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data'

/** Mark the name of a part that came as a file, or that is not UTF-8; no part's own name can begin with a quotation mark. */
const FILE_PREFIX = '"file '
const BROKEN_NAME = '"broken'

const CHARSETS: ReadonlyArray<string> = ['', 'utf-8', 'utf8']

/** Where koa-body leaves its caller: here, whatever comes next is ours. */
const comeBack = async (): Promise<void> => {}

/** Reads bodies of an operation: JSON, and forms where it takes them. Nothing is ever written to disk. */
export const makeReadBody = ({ forms }: { readonly forms: boolean }): ReadBody => {
  const types = forms ? [JSON_TYPE, MULTIPART_TYPE, URLENCODED_TYPE] : [JSON_TYPE]
  const parse = koaBody({
    text: false,
    urlencoded: forms,
    multipart: forms,
    jsonTypes: [JSON_TYPE],
    urlencodedTypes: [URLENCODED_TYPE],
    multipartTypes: [MULTIPART_TYPE],
    jsonLimit: MAX_BODY_BYTES,
    formLimit: MAX_BODY_BYTES,
    jsonStrict: false,
    includeUnparsed: true,
    queryString: { allowDots: false, depth: 0, parseArrays: false, throwOnLimitExceeded: true },
    formidable: {
      maxFields: Infinity,
      maxFieldsSize: MAX_BODY_BYTES,
      onPart: (part, handle) => {
        // A file is read as a field is, which keeps it off the disk, and is told from one by its name.
        if (part.originalFilename !== null) part.name = `${FILE_PREFIX}${part.name}`
        else watchText(part)
        // What has a type and no file name is a field all the same; its transfer encoding is undone by now.
        handle(Object.assign(part, { mimetype: null, transferEncoding: 'utf-8' }))
      },
    },
  })
  return (ctx) => async () => {
    // An embedding app may have read the body before us.
    if (ctx.request.body !== undefined) return fieldsOf(ctx.request.body)
    if (hasNoBody(ctx)) return E.right({})
    const type = ctx.is(types)
    const refusal = refusalOf(ctx, types, type)
    if (refusal !== undefined) return E.left(refusal)
    if (Number(ctx.get('Content-Length')) > MAX_BODY_BYTES) return E.left({ _tag: 'PayloadTooLarge', limit: MAX_BODY_BYTES })
    const watched = watchBytes(ctx.req, MAX_BODY_BYTES)
    try {
      await parse(ctx, comeBack)
    } catch (error) {
      return E.left(failureOf(ctx, error))
    }
    const { body, rawBody } = ctx.request
    if (type === MULTIPART_TYPE && isFields(body)) return BROKEN_NAME in body ? E.left(NOT_UTF8) : E.right(withFiles(body))
    return isLossy(type, rawBody, watched.bytes) ? E.left(NOT_UTF8) : fieldsOf(body)
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

/** What the parsers throw bears the status they think it deserves; whatever does not is a defect. */
const failureOf = (ctx: Context, error: unknown): BodyFailure => {
  // What is left is let through unread, so that the caller gets to read our reply.
  ctx.req.resume()
  const status = statusOf(error)
  if (status === undefined) throw error
  if (status === 413) return { _tag: 'PayloadTooLarge', limit: MAX_BODY_BYTES }
  return malformed(
    error instanceof SyntaxError
      ? 'The body is not well-formed JSON, or has a field named __proto__'
      : 'The body is incomplete, or is not well-formed in its content type',
  )
}

const statusOf = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  if ('status' in error) return error.status
  return 'httpCode' in error ? error.httpCode : undefined
}

type Part = Parameters<NonNullable<NonNullable<KoaBodyMiddlewareOptions['formidable']>['onPart']>>[0]

/** Watches the bytes of a text field, since the parser drops what it cannot decode; the name is read once they have all come. */
const watchText = (part: Part): void => {
  const chunks: Array<Buffer> = []
  part.on('data', (chunk: Buffer) => chunks.push(chunk))
  part.on('end', () => {
    if (!isUtf8(Buffer.concat(chunks))) part.name = BROKEN_NAME
  })
}

/** Whether reading a body as UTF-8 has lost something: where a replacement character stands, the bytes have to say so too. */
const isLossy = (type: string | false | null, raw: string | undefined = '', bytes: () => Buffer): boolean =>
  (raw.includes('\ufffd') && !isUtf8(bytes())) || (type === URLENCODED_TYPE && !isDecodable(raw))

const isDecodable = (form: string): boolean => {
  try {
    decodeURIComponent(form)
    return true
  } catch {
    return false
  }
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
