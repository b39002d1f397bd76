import type { IncomingHttpHeaders } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { JsonObject } from '../../core/kernel/json.js'
import type { ByteRange } from '../../core/messages/conversation.js'
import type { Schema } from './openapi-types.js'
import type { HttpFailure } from './reply.js'

/** A codec with the JSON Schema of its input, so that a shape is defined once. */
export type Codec<A> = t.Decoder<unknown, A> & SchemaOf

/** The schema of a codec. */
export type SchemaOf = {
  readonly schema: Schema
  /** The named schemas that `schema` refers to. */
  readonly definitions: Readonly<Record<string, Schema>>
  /** The required fields of an object. */
  readonly required: ReadonlyArray<string>
  /** The failure for a text of a wrong form, if it is not `invalid_parameter`. */
  readonly refusal?: (text: string) => HttpFailure
  /** Whether a text is likely meant for it, if the codec accepts more texts than those; by default each text that it accepts. */
  readonly isLikely?: (text: string) => boolean
  /** The refusals of the codec and of its parts. */
  readonly refusals: ReadonlyArray<HttpFailure>
}

/** The type of a codec's values. */
export type TypeOf<C> = C extends t.Decoder<unknown, infer A> ? A : never

/** The codecs of an object's fields. */
export type Shape = Readonly<Record<string, Codec<unknown>>>

export type NoFields = { readonly [name in never]: never }

/** An object with required fields and optional fields. */
export type FieldsOf<R extends Shape, O extends Shape> =
  { readonly [K in keyof R]: TypeOf<R[K]> } & { readonly [K in keyof O]?: TypeOf<O[K]> }

/** A rule for a text: its schema, its words after "must be", and its check. */
export type Rule = { readonly schema: Schema; readonly must: string; readonly holds: (text: string) => boolean }

/** The value of a form field that was sent as a file. */
export const A_FILE = Symbol('a file')

/** Creates a codec from a schema and its check. */
export const codec = <A>(name: string, described: Partial<SchemaOf>, validate: t.Validate<unknown, A>): Codec<A> => {
  const type = new t.Type<A, A, unknown>(name, (value): value is A => E.isRight(validate(value, [])), validate, t.identity)
  return { schema: {}, definitions: {}, required: [], refusals: [], ...described, name, validate, decode: (value) => type.decode(value) }
}

/** Gives a codec's schema a name, so that the document contains it once. */
export const named = <A>(name: string, inner: Codec<A>): Codec<A> => ({
  ...inner, schema: { $ref: `#/components/schemas/${name}` }, definitions: { ...inner.definitions, [name]: inner.schema },
})

/** The same codec, with a description for the place of its use. */
export const described = <A>(inner: Codec<A>, description: string, ...examples: ReadonlyArray<unknown>): Codec<A> => ({
  ...inner, schema: { ...inner.schema, description, ...(examples.length > 0 && { examples }) },
})

/** The same codec, marked as deprecated in the description of the API. */
export const deprecated = <A>(inner: Codec<A>): Codec<A> => ({ ...inner, schema: { ...inner.schema, deprecated: true } })

/** The same codec, with its own failure for a text of a wrong form; `sample` represents it in the description of the API. */
export const orElse = <A>(inner: Codec<A>, sample: HttpFailure, refusal: (text: string) => HttpFailure = () => sample): Codec<A> =>
  ({ ...inner, refusal, refusals: [sample] })

/** A text of 1 to `most` characters. JSON Schema counts code points; the exact limit is counted in UTF-16 units. */
export const length = (most: number): Rule => ({
  schema: { minLength: 1, maxLength: most, 'x-maxUtf16Length': most },
  must: `a string of 1 to ${most} characters`,
  holds: (text) => text.length >= 1 && text.length <= most,
})

/** A text of at most this many characters, counted as `length` counts them. */
export const atMost = (most: number): Rule => ({
  schema: { maxLength: most, 'x-maxUtf16Length': most }, must: `a string of at most ${most} characters`,
  holds: (text) => text.length <= most,
})

/** A text that matches a pattern. */
export const form = (pattern: RegExp, must: string): Rule => ({
  schema: { pattern: pattern.source }, must, holds: (text) => pattern.test(text),
})

/** A string with rules; the error names the first broken one. */
export const string = (...rules: ReadonlyArray<Rule>): Codec<string> =>
  codec('a string', { schema: withRules(rules.map(({ schema }) => schema)) }, (value, context) => {
    if (value === A_FILE) return t.failure(value, context, 'a text field, not a file')
    if (typeof value !== 'string') return t.failure(value, context, 'a string')
    const broken = rules.find(({ holds }) => !holds(value))
    return broken === undefined ? t.success(value) : t.failure(value, context, broken.must)
  })

/** A value parsed from a string; `parse` returns `undefined` for an invalid string. */
export const parsed = <A>(schema: Schema, must: string, parse: (text: string) => A | undefined): Codec<A> => {
  const text = string()
  return codec(must, { schema }, (value, context) => {
    const given = text.validate(value, context)
    if (E.isLeft(given)) return given
    const result = parse(given.right)
    return result === undefined ? t.failure(value, context, must) : t.success(result)
  })
}

/** One of the given words, each with its meaning. */
export const word = <W extends string>(meanings: Readonly<Record<W, string>>): Codec<W> => {
  const isWord = (value: unknown): value is W => typeof value === 'string' && Object.hasOwn(meanings, value)
  const words = Object.keys(meanings)
  const description = Object.entries(meanings).map(([one, meaning]) => `\`${one}\`${meaning === '' ? '' : `: ${String(meaning)}`}`).join('; ')
  return codec(`one of ${words.join(', ')}`, { schema: { type: 'string', enum: words, description } },
    (value, context) => (isWord(value) ? t.success(value) : t.failure(value, context)))
}

export const literal = <W extends string>(only: W): Codec<W> =>
  codec(`"${only}"`, { schema: { type: 'string', const: only } },
    (value, context) => (value === only ? t.success(only) : t.failure(value, context)))

export const boolean: Codec<boolean> = codec('true or false', { schema: { type: 'boolean' } },
  (value, context) => (typeof value === 'boolean' ? t.success(value) : t.failure(value, context)))

/** A field of a reply that is present only under a condition. */
export const onlyTrue: Codec<true> = codec('true', { schema: { type: 'boolean' } },
  (value, context) => (value === true ? t.success(value) : t.failure(value, context)))

/** A whole number from 0 on, in a reply. */
export const count: Codec<number> = codec('a whole number', { schema: { type: 'integer', minimum: 0 } },
  (value, context) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? t.success(value) : t.failure(value, context)))

/** A whole number within limits, in a body. */
export const wholeNumber = (minimum: number, maximum: number): Codec<number> => {
  const must = `a whole number from ${minimum} to ${maximum}`
  return codec(must, { schema: { type: 'integer', minimum, maximum } }, (value, context) =>
    (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
      ? t.success(value)
      : t.failure(value, context, must)))
}

/** A whole number of at most three digits, in the text of a query. */
export const integer = (minimum: number, maximum: number, ifAbsent: number): Codec<number> => {
  const must = `a whole number from ${minimum} to ${maximum}`
  return codec(must, { schema: { type: 'integer', minimum, maximum, default: ifAbsent } }, (value, context) => {
    const number = typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : Number.NaN
    return number >= minimum && number <= maximum ? t.success(number) : t.failure(value, context, must)
  })
}

/** A value of a codec, or `null`. */
export const nullable = <A>(inner: Codec<A>, description?: string): Codec<A | null> =>
  codec(`${inner.name} or null`, {
    ...inner, schema: { ...orNull(inner.schema), ...(description !== undefined && { description }) },
  }, (value, context) => (value === null ? t.success(null) : inner.validate(value, context)))

/** Bounds of an array; only texts can be unique. */
export type Bounds = { readonly minItems?: 1; readonly maxItems?: number; readonly uniqueItems?: true }

/** An array of a codec's values, within bounds if they are given. The error describes only the first wrong item. */
export const array = <A>(item: Codec<A>, name = 'an array', bounds: Bounds = {}): Codec<ReadonlyArray<A>> => {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = bounds
  const schema: Schema = { type: 'array', items: item.schema, ...bounds }
  return codec(name, { ...partsOf([item]), schema }, (value, context) => {
    if (!Array.isArray(value)) return t.failure(value, context)
    const given: ReadonlyArray<unknown> = value
    if (given.length > maxItems) return t.failure(value, context, `an array of at most ${maxItems} items, not ${given.length}`)
    if (given.length < minItems) return t.failure(value, context, 'an array of at least one item')
    const items: A[] = []
    for (const [index, one] of given.entries()) {
      const read = item.validate(one, t.appendContext(context, String(index), item, one))
      if (E.isLeft(read)) return read
      items.push(read.right)
    }
    if (uniqueItems && new Set(given).size < given.length) return t.failure(value, context, 'an array that names nothing twice')
    return t.success(items)
  })
}

/** The value of a codec of arrays in the text of a query, where commas separate the items. */
export const commaSeparated = <A>(items: Codec<ReadonlyArray<A>>): Codec<ReadonlyArray<A>> =>
  codec('one list, separated by commas', items, (value, context) =>
    (typeof value === 'string' ? items.validate(value.split(','), context) : t.failure(value, context)))

/** An object of which only these fields are read; others are ignored. */
export const fields = <R extends Shape = NoFields, O extends Shape = NoFields>(required?: R, optional?: O): Codec<FieldsOf<R, O>> =>
  objectOf({ ...required, ...optional }, Object.keys(required ?? {}), true)

/** An object with exactly these fields, for replies. */
export const record = <R extends Shape, O extends Shape = NoFields>(required: R, optional?: O): Codec<FieldsOf<R, O>> =>
  objectOf({ ...required, ...optional }, Object.keys(required), false)

/** Creates the function that decides whether the values in an address are likely those of its parameters, and not the words of another address. */
export const likelyValues = (shape: Shape): ((values: Readonly<Record<string, unknown>>) => boolean) => {
  const parameters = fields(shape)
  return (values) =>
    E.isRight(parameters.decode(values)) && Object.entries(shape).every(([name, { isLikely }]) => isLikely?.(String(values[name])) ?? true)
}

export const anyObject: Codec<JsonObject> = codec('an object', { schema: { type: 'object', additionalProperties: true } },
  (value, context) => (isJsonObject(value) ? t.success(value) : t.failure(value, context)))

/** Checks a value with a codec, and returns it unchanged. */
export const untouched = <A>(inner: Codec<unknown>, isOne: (value: unknown) => value is A): Codec<A> =>
  codec(inner.name, inner, (value, context) => {
    const checked = inner.validate(value, context)
    if (E.isLeft(checked)) return checked
    return isOne(value) ? t.success(value) : t.failure(value, context)
  })

/** The definitions and refusals of parts. */
export const partsOf = (parts: ReadonlyArray<Codec<unknown>>): Pick<SchemaOf, 'definitions' | 'refusals'> => ({
  definitions: Object.fromEntries(parts.flatMap(({ definitions }) => Object.entries(definitions))),
  refusals: parts.flatMap(({ refusals }) => refusals),
})

const objectOf = <A>(shape: Shape, required: ReadonlyArray<string>, additionalProperties: boolean): Codec<A> => {
  const entries = Object.entries(shape)
  const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]))
  const schema: Schema = { type: 'object', ...(required.length > 0 && { required }), properties, additionalProperties }
  return codec<A>('an object', { ...partsOf(Object.values(shape)), required, schema }, (value, context) => {
    if (!isJsonObject(value)) return t.failure(value, context)
    const read: Record<string, unknown> = {}
    const errors: Array<t.ValidationError> = []
    for (const [key, part] of entries) {
      const given = value[key]
      if (given === undefined && !required.includes(key)) continue
      const field = part.validate(given, t.appendContext(context, key, part, given))
      if (E.isLeft(field)) errors.push(...field.left)
      else read[key] = field.right
    }
    return errors.length > 0 ? t.failures(errors) : t.success(read as A)
  })
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema has one pattern. Further patterns would need an `allOf`, for which client generators create an unknown type. */
const withRules = (parts: ReadonlyArray<Schema>): Schema => {
  if (parts.filter(({ pattern }) => pattern !== undefined).length > 1) throw new TypeError('a string has more than one pattern')
  return parts.reduce<Schema>((sum, part) => ({ ...sum, ...part }), { type: 'string' })
}

const orNull = (schema: Schema): Schema => {
  if (schema.$ref !== undefined) return { anyOf: [{ $ref: schema.$ref }, { type: 'null' }] }
  return typeof schema.type === 'string' && schema.const === undefined && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

/** Reads parameters with a codec. A required one that is absent or empty is missing, not invalid. */
export const decode = <A>(codec: Codec<A>, parameters: unknown): E.Either<HttpFailure, A> =>
  pipe(codec.decode(parameters), E.mapLeft((errors) => explain(codec.required, errors)))

const explain = (required: ReadonlyArray<string>, errors: t.Errors): HttpFailure => {
  const isMissing = ({ value, context }: t.ValidationError): boolean =>
    (value === undefined || value === '') && required.includes(pathOf(context))
  const names = errors.filter(isMissing).map(({ context }) => pathOf(context))
  if (names.length > 0) return { _tag: 'MissingParameters', names }
  const plain = errors.filter((error) => refusalOf(error) === undefined)
  const [refusal] = errors.flatMap((error) => refusalOf(error) ?? [])
  if (refusal !== undefined && plain.length === 0) return refusal
  return { _tag: 'InvalidParameter', sentence: Array.from(plain.slice(0, MAX_NAMED), sentenceOf).join('; ') }
}

/** A body can break thousands of rules; the message lists the first few. */
const MAX_NAMED = 5

/** The codec's failure for a text of a wrong form. */
const refusalOf = ({ value, context }: t.ValidationError): HttpFailure | undefined => {
  const type: t.Decoder<unknown, unknown> & Partial<Pick<Codec<unknown>, 'refusal'>> | undefined = context.at(-1)?.type
  return typeof value === 'string' ? type?.refusal?.(value) : undefined
}

const sentenceOf = ({ context, message }: t.ValidationError): string =>
  `${pathOf(context)} must be ${message ?? context.at(-1)?.type.name}`

/** The place of an error in the parameters, such as `components[0].type`; the first key is the empty one of the root. */
const pathOf = (context: t.Context): string =>
  context
    .slice(1)
    .map(({ key }, depth) => (/^[0-9]+$/.test(key) ? `[${key}]` : `${depth === 0 ? '' : '.'}${key}`))
    .join('')

const FROM_FIRST = /^bytes=([0-9]{1,15})-([0-9]{0,15})$/
const FROM_END = /^bytes=-([0-9]{1,15})$/

/**
 * The range of a request; `undefined` if it requests none.
 *
 * As RFC 9110 allows, a range of another form is ignored, and so are several ranges. `If-Range` contains a version of the bytes. Replies contain none, so no version
 * matches and all bytes are sent.
 */
export const rangeIn = ({ range = '', 'if-range': version }: IncomingHttpHeaders): ByteRange | undefined => {
  if (version !== undefined) return undefined
  const lastBytes = FROM_END.exec(range)?.[1]
  if (lastBytes !== undefined) return { lastBytes: Number(lastBytes) }
  const [, first, last = ''] = FROM_FIRST.exec(range) ?? []
  if (first === undefined) return undefined
  if (last === '') return { first: Number(first) }
  return Number(first) <= Number(last) ? { first: Number(first), last: Number(last) } : undefined
}
