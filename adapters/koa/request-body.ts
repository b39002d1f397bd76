import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { makeReadBody, type Fields } from './body.js'
import { inexactNumber } from './exact-numbers.js'
import type { BodyFailure, Failures, HttpFailure, InvalidParameter } from './failures.js'
import type { Content, Examples } from './openapi-types.js'
import { decode, type Codec } from './schema.js'

/** The body of a request. */
export type RequestBody<Body> = {
  readonly codec: Codec<Body>
  /** Whether it may be a form; it may always be JSON. */
  readonly forms: boolean
  /** The field that is passed on unchanged, so its numbers must be exact. */
  readonly passedOn?: string
  readonly examples: Examples
}

/** How reading a body can fail, apart from what is missing in it. */
export const BODY_FAILURES: Failures<BodyFailure> = {
  InvalidParameter: true, MalformedBody: true, PayloadTooLarge: true, UnsupportedMediaType: true, BodyTooSlow: true, Overloaded: true,
}

/** A request without a body has no parameters, which is enough where none is required. */
export const needsBody = <Body>({ codec }: RequestBody<Body>): boolean => codec.required.length > 0

/** The body in the document. */
export const contentOf = <Body>({ codec, forms, examples }: RequestBody<Body>): Content =>
  Object.fromEntries(
    ['application/json', ...(forms ? ['multipart/form-data', 'application/x-www-form-urlencoded'] : [])]
      .map((type) => [type, { schema: codec.schema, examples }]))

/** Makes what reads the body of a request and checks it against the codec. */
export const bodyReader = <Body>(body: RequestBody<Body> | undefined): ((ctx: RouterContext) => Promise<E.Either<HttpFailure, Body>>) => {
  if (body === undefined) return async () => E.right(undefined as Body)
  const readFields = makeReadBody({ forms: body.forms })
  return async (ctx) => {
    const read = await readFields(ctx)()
    if (E.isLeft(read)) return read
    const decoded = decode(body.codec, read.right)
    if (E.isLeft(decoded)) return E.left(withHint(decoded.left, read.right))
    if (body.passedOn === undefined) return decoded
    const number = inexactNumber(ctx.request.rawBody ?? '', body.passedOn)
    return number === undefined ? decoded : E.left(notExact(body.passedOn, number))
  }
}

/** Without a given content type curl sends JSON as a form, which then has one field whose name is the JSON. */
const withHint = (failure: HttpFailure, fields: Fields): HttpFailure =>
  failure._tag === 'MissingParameters' && Object.keys(fields)[0]?.startsWith('{') === true
    ? { ...failure, hint: 'The body looks like JSON, but was sent as a form; send it with the header Content-Type: application/json' }
    : failure

const MAX_SHOWN = 40

const notExact = (field: string, number: string): InvalidParameter => ({
  _tag: 'InvalidParameter',
  sentence: `${field} must have no number that would not be passed on exactly, such as ${number.slice(0, MAX_SHOWN)}; write it as a string`,
})
