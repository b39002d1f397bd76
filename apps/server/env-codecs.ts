import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** A codec of one environment variable. `undefined` and the empty text both mean that the variable is not set. */
export type Variable<A> = t.Type<A, unknown>

/** A variable that may be absent; it then reads as `absent`. */
export const optional = <A, const D>(variable: Variable<A>, absent: D): Variable<A | D> =>
  new t.Type<A | D, unknown>(
    variable.name,
    (value): value is A | D => value === absent || variable.is(value),
    (input, context) => (input === undefined || input === '' ? t.success(absent) : variable.validate(input, context)),
    t.identity,
  )

/** A text that a rule holds for; `rule` ends the sentence "NAME must be …". */
export const text = (rule: string, holds: (text: string) => boolean): Variable<string> =>
  reading(rule, (input) => (holds(input) ? E.right(input) : E.left(rule)))

/** A text of a URL or the like; `read` gives the text, or what the variable must be. */
export const textReadBy = (read: (text: string) => E.Either<string, unknown>): Variable<string> =>
  reading('a text', (input) => pipe(read(input), E.map(() => input)))

/** One of a few words. */
export const oneOf = <Word extends string>(...words: ReadonlyArray<Word>): Variable<Word> => {
  const rule = `one of ${words.join(', ')}`
  return reading(rule, (input) => E.fromNullable(rule)(words.find((word) => word === input)))
}

/** A whole number between two bounds, both included. */
export const wholeNumber = (least: number, most: number): Variable<number> => {
  const rule = `a whole number from ${least} to ${most}`
  return reading(rule, (input) => within(rule, /^[0-9]{1,15}$/, input, least, most))
}

/** A number with at most six decimals between two bounds, both included. */
export const decimalNumber = (least: number, most: number): Variable<number> => {
  const rule = `a number from ${least} to ${most}`
  return reading(rule, (input) => within(rule, /^[0-9]{1,15}(\.[0-9]{1,6})?$/, input, least, most))
}

/** One or more values with commas between them. */
export const listOf = <A>(rule: string, parse: (text: string) => O.Option<A>): Variable<ReadonlyArray<A>> =>
  reading(rule, (input) => pipe(input.split(','), O.traverseArray((one) => parse(one.trim())), E.fromOption(() => rule)))

/** An address of a server, without a trailing slash. */
export const httpUrl = (): Variable<string> => {
  const rule = 'an address that begins with http:// or https://, without credentials, query or fragment'
  return reading(rule, (input) => {
    const url = URL.canParse(input) ? new URL(input) : undefined
    const fits = url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
    return fits ? E.right(input.replace(/\/+$/, '')) : E.left(rule)
  })
}

/** One line for each wrong variable. It does not contain the value, since the value may be a secret. */
export const faults = (errors: t.Errors): ReadonlyArray<string> =>
  errors.map(({ context, message }) => `${context.at(-1)?.key ?? ''} must be ${message ?? 'something else'}.`)

const reading = <A>(rule: string, read: (input: string) => E.Either<string, A>): Variable<A> =>
  new t.Type<A, unknown>(
    rule,
    (value): value is A => value !== undefined,
    (input, context) => {
      const result = typeof input === 'string' ? read(input) : E.left(rule)
      return E.isRight(result) ? t.success(result.right) : t.failure(input, context, result.left)
    },
    t.identity,
  )

const within = (rule: string, form: RegExp, input: string, least: number, most: number): E.Either<string, number> => {
  const number = Number(input)
  return form.test(input) && number >= least && number <= most ? E.right(number) : E.left(rule)
}
