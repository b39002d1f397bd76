import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import { isExact } from '../../core/kernel/exact-json.js'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import type { TakenBytes } from '../shared/byte-budget.js'
import { LINES_TYPES } from '../shared/file-lines.js'
import { MAX_FILE_BYTES } from '../../core/messages/files.js'
import { FILE_FIELD, FILE_MS, type FileForm as FormWithFile, isLate, readFileForm } from './file-body.js'
import { jsonFault } from './json-fault.js'
import { readLinesBody } from './lines-body.js'
import type { Content, Examples } from './openapi-types.js'
import { discardBody, limitBody, readRaw } from './raw-body.js'
import type { BodyFailure, Failures, HttpFailure, InvalidParameter, MalformedBody, UnsupportedMediaType } from './reply.js'
import { A_FILE, type Codec, decode } from './schema.js'

/** The maximum size of a form in bytes: a text of 4096 characters takes 36 KiB if every byte of it is percent-encoded. */
export const MAX_FORM_BYTES = 64 * 1024

/** The maximum number of fields of a form, and of parts of a multipart body; an operation has far fewer. */
export const MAX_FIELDS = 32

/** The maximum size in bytes of the header lines of one part, which contain the name of a field and its type. */
const MAX_PART_HEADER_BYTES = 1024

/** The maximum number of line breaks of a multipart body: a text of 4096 characters has fewer, and each one costs the parser a comparison. */
const MAX_LINE_BREAKS = 5_000

const CR = '\r'
const HEADERS_END = '\r\n\r\n'

/**
 * Checks a multipart body with fast searches before it is parsed. Returns its fault, or `undefined`.
 *
 * The parser's time grows with the number of parts and of line breaks, and with the square of the number of file names in one
 * header. So a body of the allowed size could block the process for a second.
 */
export const multipartFault = (bytes: Buffer, boundary: string): MalformedBody | undefined => {
  if (!hasAtMost(MAX_LINE_BREAKS, bytes, CR)) return tooMany(`${MAX_LINE_BREAKS} line breaks`)
  const delimiter = `--${boundary}`
  if (!hasAtMost(MAX_FIELDS + 1, bytes, delimiter)) return tooMany(`${MAX_FIELDS} parts`)
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    const end = bytes.indexOf(HEADERS_END, at)
    const next = bytes.indexOf(delimiter, at + delimiter.length)
    const headerEnd = [end, next, bytes.length].filter((place) => place !== -1).reduce((a, b) => Math.min(a, b))
    if (headerEnd - at - delimiter.length > MAX_PART_HEADER_BYTES) return tooMany(`${MAX_PART_HEADER_BYTES} bytes of headers in a part`)
  }
  return undefined
}

/** Checks a urlencoded body before it is parsed. Returns its fault, or `undefined`. */
export const urlencodedFault = (bytes: Buffer): MalformedBody | undefined =>
  hasAtMost(MAX_FIELDS - 1, bytes, '&') ? undefined : tooMany(`${MAX_FIELDS} fields`)

/** Whether a text occurs at most `most` times; the search stops at the first occurrence above that. */
const hasAtMost = (most: number, bytes: Buffer, text: string): boolean => {
  let found = 0
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    found += 1
    if (found > most) return false
  }
  return true
}

const tooMany = (what: string): MalformedBody => ({ _tag: 'MalformedBody', sentence: `The form has more than ${what}` })

/** The body of a request. */
export type RequestBody<Body> = {
  readonly codec: Codec<Body>
  /** Whether it may be a form; JSON is always allowed. */
  readonly forms: boolean
  /** The fields that are passed on unchanged, so their numbers must be exact. */
  readonly passedOn?: ReadonlyArray<string>
  /** The form with a file that is also allowed. */
  readonly fileForm?: FileForm<Body>
  /** Whether it must be that form. */
  readonly isFile?: boolean
  /** Whether it is a file of lines, which is read while it arrives; its codec is `Lines`. */
  readonly isLines?: boolean
  readonly examples: Examples
}

/** A form of the type `multipart/form-data` whose last part is a file. */
export type FileForm<Body> = {
  /** Reads the fields before the file, and the file as the field `file`, by `FormFile`. */
  readonly codec: Codec<Body>
  readonly examples: Examples
  /** Whether fields may follow the file; such fields are ignored. If the file is large, they make its size unknown. */
  readonly mayBeFollowed?: boolean
}

/** How reading a body can fail, apart from missing parameters. */
export const BODY_FAILURES: Failures<BodyFailure> = {
  InvalidParameter: true, MalformedBody: true, PayloadTooLarge: true, UnsupportedMediaType: true, BodyTooSlow: true, Overloaded: true,
}

/** How reading a file of lines can fail, as far as a client can receive the reply. */
export const LINES_FAILURES: Failures<Exclude<BodyFailure, InvalidParameter | MalformedBody>> = {
  PayloadTooLarge: true, UnsupportedMediaType: true, BodyTooSlow: true, Overloaded: true,
}

/** A request without a body has no parameters, which is valid if none is required. */
export const needsBody = <Body>({ codec, isFile = false, isLines = false }: RequestBody<Body>): boolean =>
  isFile || isLines || codec.required.length > 0

/** The body in the document. */
export const contentOf = <Body>({ codec, forms, examples, fileForm, isFile = false, isLines = false }: RequestBody<Body>): Content => ({
  ...(isLines && linesContent(codec, examples)),
  ...Object.fromEntries([...(isFile || isLines ? [] : [JSON_TYPE]), ...(forms ? [MULTIPART_TYPE, URLENCODED_TYPE] : [])]
  .map((type) => [type, { schema: codec.schema, examples }])),
  ...(fileForm && { [MULTIPART_TYPE]: { schema: fileForm.codec.schema, examples: fileForm.examples } }),
})

/** The example of each type has the name of the type. */
const linesContent = ({ schema }: Codec<unknown>, examples: Examples): Content =>
  Object.fromEntries(Object.entries(LINES_TYPES).map(([type, name]) => {
    const example = examples[name]
    return [type, { schema, ...(example && { examples: { [name]: example } }) }]
  }))

/** Creates the function that reads the body of a request and checks it against the codec. */
export const bodyReader = <Body>(
  body: Omit<RequestBody<Body>, 'examples'> | undefined,
): ((ctx: RouterContext) => Promise<E.Either<HttpFailure, Body>>) => {
  if (body === undefined) return async () => E.right(undefined as Body)
  const { forms, fileForm, isFile = false, isLines = false } = body
  if (isLines) return linesReader(body.codec)
  const readFields = makeReadBody({ forms, takesFile: fileForm !== undefined, takesJson: !isFile })
  const readForm = fileForm && fileFormReader(fileForm)
  return async (ctx) => {
    if (readForm !== undefined && ctx.is(MULTIPART_TYPE)) return readForm(ctx)
    const read = await readFields(ctx)
    if (E.isLeft(read)) return read
    const decoded = decode(body.codec, read.right)
    if (E.isLeft(decoded)) return E.left(withHint(decoded.left, read.right))
    if (body.passedOn === undefined) return decoded
    const inexact = inexactNumber(ctx.request.rawBody ?? '', body.passedOn)
    return inexact === undefined ? decoded : E.left(notExact(inexact))
  }
}

const linesReader =
  <Body>(lines: Codec<Body>) =>
  async (ctx: RouterContext): Promise<E.Either<HttpFailure, Body>> => {
    const type = ctx.is(Object.keys(LINES_TYPES))
    const refusal = refusalOf(ctx, Object.keys(LINES_TYPES), type)
    if (refusal !== undefined) return E.left(refusal)
    const read = readLinesBody(ctx, LINES_TYPES[String(type)] ?? 'csv')
    return E.isLeft(read) ? read : decode(lines, read.right)
  }

/** Creates the function that reads a JSON body that is one object, or an array such as a batch of JSON-RPC. The numbers in the fields `passedOn` of each object must be exact. */
export const objectOrArrayReader = (
  passedOn: ReadonlyArray<string>,
): ((ctx: RouterContext) => Promise<E.Either<HttpFailure, JsonObject | ReadonlyArray<Json>>>) => {
  const read = makeRead(
    { forms: false }, (body): E.Either<MalformedBody, unknown> => (Array.isArray(body) ? E.right(body) : fieldsOf(body)),
  )
  return async (ctx) => {
    const body = await read(ctx)
    if (E.isLeft(body)) return body
    const inexact = inexactNumber(ctx.request.rawBody ?? '', passedOn, Array.isArray(body.right) ? 2 : 1)
    return inexact === undefined ? E.right(body.right as JsonObject | ReadonlyArray<Json>) : E.left(notExact(inexact))
  }
}

const fileFormReader =
  <Body>({ codec, mayBeFollowed = false }: Omit<FileForm<Body>, 'examples'>) =>
  async (ctx: RouterContext): Promise<E.Either<HttpFailure, Body>> => {
    const form = await readFormWithFile(ctx, mayBeFollowed)
    if (E.isLeft(form)) return form
    const { fields, file } = form.right
    const decoded = decode(codec, { ...fields, ...(file.field === FILE_FIELD && { [FILE_FIELD]: file }) })
    // Fields after the file are not read, so the hint says where they belong.
    return E.isLeft(decoded) && decoded.left._tag === 'MissingParameters' ? E.left({ ...decoded.left, hint: FILE_HINT }) : decoded
  }

const readFormWithFile = async (ctx: Context, mayBeFollowed: boolean): Promise<E.Either<BodyFailure, FormWithFile>> => {
  const boundary = boundaryOf(ctx)
  const refusal = refusalOf(ctx, [MULTIPART_TYPE], ctx.is(MULTIPART_TYPE)) ?? (boundary === '' ? NO_BOUNDARY : undefined)
  return refusal === undefined ? readFileForm(ctx, { boundary, mayBeFollowed }, (bytes) => formFieldsOf(ctx, bytes)) : E.left(refusal)
}

/** Forms with a file of another app in the same process, such as a console. */
export const fileForms = {
  /** Reads the fields of a form up to its file, which has to be its last part. It uses the app's memory for bodies. */
  read: (ctx: Context, memory: TakenBytes): Promise<E.Either<BodyFailure, FormWithFile>> => {
    limitBody(ctx, memory)
    return readFormWithFile(ctx, false)
  },
  /**
   * Reads the rest of a form after the reply: a browser shows no reply before it has sent everything, and shows a broken connection instead. Little is read of
   * a form that was too slow.
   */
  discard: (ctx: Context): void => (isLate(ctx) ? discardBody(ctx) : discardBody(ctx, MAX_FILE_BYTES + MAX_FORM_BYTES, FILE_MS)),
}

const FILE_HINT = `The file must be the last part of the form, in the field ${FILE_FIELD}`

/** Reads the fields of a form, up to the point that was reached. */
const formFieldsOf = async (ctx: Context, bytes: Buffer): Promise<E.Either<BodyFailure, Fields>> => {
  const fault = multipartFault(bytes, boundaryOf(ctx))
  return fault === undefined ? formFields(ctx, bytes) : E.left(fault)
}

/** Without a given content type curl sends JSON as a form, which then has one field whose name is the JSON. */
const withHint = (failure: HttpFailure, fields: Fields): HttpFailure =>
  failure._tag === 'MissingParameters' && Object.keys(fields)[0]?.startsWith('{') === true
    ? { ...failure, hint: 'The body looks like JSON, but was sent as a form; send it with the header Content-Type: application/json' }
    : failure

const MAX_SHOWN = 40

const notExact = ({ field, number }: InexactNumber): InvalidParameter => ({
  _tag: 'InvalidParameter',
  sentence: `${field} must have no number that would not be passed on exactly, such as ${number.slice(0, MAX_SHOWN)}; write it as a string`,
})

/** The maximum size of a JSON body in bytes. */
export const MAX_BODY_BYTES = 256 * 1024

/** The parameters of a request. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads a request's body, once; a request without a body has no parameters. */
export type ReadBody = (ctx: Context) => Promise<E.Either<BodyFailure, Fields>>

const JSON_TYPE = 'application/json'
const URLENCODED_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data'

/** Names that mark a part as a file or as not UTF-8. The real name of a part cannot begin with a quotation mark. */
const FILE_PREFIX = '"file '
const BROKEN_NAME = '"broken'

const CHARSETS: ReadonlyArray<string> = ['', 'utf-8', 'utf8']

/**
 * Reads bodies of an operation: JSON, and forms if the operation accepts them. Nothing is written to disk. With `takesFile` it accepts forms with a file, which
 * are read elsewhere.
 */
export const makeReadBody = (options: ReadBodyOptions): ReadBody => makeRead(options, fieldsOf)

type ReadBodyOptions = { readonly forms: boolean; readonly takesFile?: boolean; readonly takesJson?: boolean }

const makeRead = <Value>(
  { forms, takesFile = false, takesJson = true }: ReadBodyOptions, valueOf: (body: unknown) => E.Either<MalformedBody, Value>,
): ((ctx: Context) => Promise<E.Either<BodyFailure, Value | Fields>>) => {
  const types = [...(takesJson ? [JSON_TYPE] : []), ...(forms ? [MULTIPART_TYPE, URLENCODED_TYPE] : [])]
  return async (ctx) => {
    // An embedding app may have read the body before us.
    if (ctx.request.body !== undefined) return valueOf(ctx.request.body)
    if (hasNoBody(ctx)) return E.right({})
    const type = types.length > 0 && ctx.is([...types])
    const refusal = refusalOf(ctx, takesFile ? [...types, MULTIPART_TYPE] : types, type)
    if (refusal !== undefined) {
      discardBody(ctx)
      return E.left(refusal)
    }
    const raw = await readRaw(ctx, { limit: type === JSON_TYPE ? MAX_BODY_BYTES : MAX_FORM_BYTES })
    if (E.isLeft(raw)) return raw
    const fault = faultOf(ctx, type, raw.right)
    if (fault !== undefined) return E.left(fault)
    if (type !== JSON_TYPE) return formFields(ctx, raw.right)
    ctx.request.rawBody = raw.right.toString()
    const json = ctx.request.rawBody === '' ? E.right({}) : parseJson(ctx.request.rawBody)
    return E.isLeft(json) ? json : valueOf(json.right)
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
  if (type === MULTIPART_TYPE) {
    const boundary = boundaryOf(ctx)
    return boundary === '' ? NO_BOUNDARY : multipartFault(raw, boundary)
  }
  if (!isUtf8(raw)) return NOT_UTF8
  if (type !== URLENCODED_TYPE) return undefined
  return urlencodedFault(raw) ?? escapeFault(raw.toString())
}

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i

const boundaryOf = (ctx: Context): string => {
  const [, quoted, bare] = BOUNDARY.exec(ctx.get('Content-Type')) ?? []
  return quoted ?? bare ?? ''
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i

/** Why the percent-encoding of a form cannot be decoded. */
const escapeFault = (form: string): MalformedBody | undefined => {
  if (BROKEN_ESCAPE.test(form)) return NOT_ENCODED
  try {
    decodeURIComponent(form)
    return undefined
  } catch {
    return NOT_UTF8
  }
}

type Part = Parameters<NonNullable<NonNullable<KoaBodyMiddlewareOptions['formidable']>['onPart']>>[0]

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

const NOT_ENCODED = malformed('The form has a % that two hexadecimal digits do not follow; write a percent sign as %25')

/** A client that sets this header by hand omits the boundary, which its HTTP library would have added. */
const NO_BOUNDARY = malformed('The Content-Type multipart/form-data has no boundary; do not set that header yourself, and your HTTP client sets it with the boundary')

/** Matches every text that may have a key `__proto__`, even if the key is written with escapes. */
const PERHAPS_PROTO = /__proto__|\\u00/

/**
 * Parses a body as JSON.
 *
 * A field named `__proto__` is refused, because a program that copies the fields one by one would change an object's prototype.
 */
export const parseJson = (text: string): E.Either<MalformedBody, unknown> =>
  E.tryCatch(
    (): unknown => (PERHAPS_PROTO.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text)),
    () => malformed(whyNoJson(text)),
  )

/** It contains the position of the fault, and no part of the body. */
const whyNoJson = (text: string): string => {
  const fault = jsonFault(text)
  return fault === undefined
    ? 'The body has a field named __proto__ or too many levels of nesting, and is not accepted'
    : `The body is not well-formed JSON: at line ${fault.line}, column ${fault.column} there has to be ${fault.expected}`
}

const refuseProto = (key: string, value: unknown): unknown => {
  if (key === '__proto__') throw new SyntaxError('a field is named __proto__')
  return value
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[{}[\]:,]/g

/** Every number that is not `SHORT` matches this. Few texts contain one, and the tokens of all other texts need not be checked. */
const MAY_BE_LONG = /[0-9.]{16}|[0-9][eE][+-]?[0-9]{3}/

/** A number that cannot be passed on, and its field. */
type InexactNumber = { readonly field: string; readonly number: string }

/**
 * The first number inside the given fields of a JSON object that JavaScript cannot represent exactly, so that it would be changed when passed on. In an array of
 * objects their fields are at `level` 2.
 *
 * `JSON.parse` must have accepted the text. `1.0` and `1e3` keep their value, so they are exact.
 */
export const inexactNumber = (json: string, fields: ReadonlyArray<string>, level = 1): InexactNumber | undefined => {
  if (!MAY_BE_LONG.test(json)) return undefined
  let depth = 0
  let last = ''
  let field: string | undefined
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token === ':' && depth === level) field = named(fields, last)
    else if (token === ',' && depth <= level) field = undefined
    else if (field !== undefined && !token.startsWith('"') && !':,'.includes(token) && !isExact(token)) return { field, number: token }
    last = token
  }
  return undefined
}

const named = (fields: ReadonlyArray<string>, token: string): string | undefined => {
  const name: unknown = JSON.parse(token)
  return fields.find((field) => field === name)
}
