import { isObject } from '../http.js'
import { graphError, type GraphError, invalidParameter } from './reply.js'

/** The position of a value in a request: names of objects' fields, and indexes of lists. */
export type Path = ReadonlyArray<string | number>

/** The platform's error for an invalid value of a request; undefined if the value is valid. */
export type Rule = (value: unknown, path: Path) => GraphError | undefined

/** A path as sentences of the error 100 write it: `text['body']`. */
export const bracketed = ([first = '', ...rest]: Path): string =>
  `${first}${rest.map((part) => (typeof part === 'number' ? `[${part}]` : `['${part}']`)).join('')}`

/** A missing parameter. */
export const missing = (path: Path): GraphError => graphError(131008, `${path.join('.')} is missing`)

/** A parameter with an invalid value. */
export const wrong = (path: Path, sentence: string): GraphError => invalidParameter(`Param ${bracketed(path)} ${sentence}`)

/** The first error of several rules. */
export const all = (...rules: ReadonlyArray<Rule>): Rule => (value, path) => firstOf(rules, (rule) => rule(value, path))

/** An optional value; null means that it is absent. */
export const optional = (rule: Rule): Rule => (value, path) => (value === undefined || value === null ? undefined : rule(value, path))

/** A string of any length. */
export const string: Rule = (value, path) => {
  if (value === undefined) return missing(path)
  return typeof value === 'string' ? undefined : wrong(path, 'must be a string.')
}

/** A string of `least` to `most` characters, counted as UTF-16 units: how the platform counts is not confirmed. */
export const text = (most = Infinity, least = 1): Rule => all(string, (value, path) => {
  if (value === '' && least > 0) return invalidParameter(`The parameter ${bracketed(path)} is required.`)
  return typeof value === 'string' && value.length > most ? wrong(path, `must be at most ${most} characters long.`) : undefined
})

export const flag: Rule = (value, path) => (typeof value === 'boolean' ? undefined : wrong(path, 'must be a boolean.'))

/** One of some words. */
export const oneOf = (...words: ReadonlyArray<string>): Rule => (value, path) => {
  if (value === undefined) return missing(path)
  return typeof value === 'string' && words.includes(value) ? undefined : wrong(path, `must be one of {${words.join(', ')}}`)
}

/** A web address. Whether it exists is only checked later. */
export const address: Rule = all(text(), (value, path) =>
  (typeof value === 'string' && URL.canParse(value) && /^https?:\/\//i.test(value) ? undefined : wrong(path, 'is not a valid URI.')))

/** An object whose fields are not checked. */
export const anyObject: Rule = (value, path) => {
  if (value === undefined) return missing(path)
  return isObject(value) ? undefined : wrong(path, 'must be a JSON object.')
}

/** An object with these fields and no other, so that a misspelt field is noticed. */
export const object = (fields: Readonly<Record<string, Rule>>): Rule => all(anyObject, (value, path) => {
  if (!isObject(value)) return undefined
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key))
  if (unknown !== undefined) return invalidParameter(`Unexpected key "${unknown}" on param "${bracketed(path)}".`)
  return firstOf(Object.entries(fields), ([key, rule]) => rule(value[key], [...path, key]))
})

/** A list of `least` to `most` values. */
export const list = (least: number, most: number, rule: Rule): Rule => (value, path) => {
  if (value === undefined) return missing(path)
  if (!Array.isArray(value)) return wrong(path, 'must be an array.')
  if (value.length < least || value.length > most) return graphError(131009, `${path.join('.')} has ${value.length} elements; ${least} to ${most} are allowed`)
  return firstOf([...value.entries()], ([index, one]) => rule(one, [...path, index]))
}

/** An object that has exactly one of two fields. */
export const eitherOf = (one: string, other: string): Rule => (value, path) => {
  const [first, second] = [fieldOf(value, one) ?? undefined, fieldOf(value, other) ?? undefined]
  if (first === undefined && second === undefined) return graphError(131008, `${[...path, one].join('.')} or ${[...path, other].join('.')} is missing`)
  return first !== undefined && second !== undefined ? wrong(path, `must have either ${one} or ${other}.`) : undefined
}

/** A medium: the id of an upload, or an address. */
export const media = (besides: Readonly<Record<string, Rule>> = {}): Rule =>
  all(object({ id: optional(text()), link: optional(address), ...besides }), eitherOf('id', 'link'))

/** Checks that all texts differ. */
export const unique = (texts: ReadonlyArray<unknown>, path: Path, what: string): GraphError | undefined =>
  (new Set(texts).size === texts.length ? undefined : graphError(131009, `Duplicated ${what} in ${path.join('.')}`))

/** The elements of an array that a rule accepted; empty if the value is not an array. */
export const elementsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value as ReadonlyArray<unknown> : [])

/** A field of a value that a rule accepted; undefined if it is absent. */
export const fieldOf = (value: unknown, ...[key, ...deeper]: readonly [string, ...string[]]): unknown => {
  const found = isObject(value) ? value[key] : undefined
  const [next, ...rest] = deeper
  return next === undefined ? found : fieldOf(found, next, ...rest)
}

const firstOf = <A>(values: ReadonlyArray<A>, check: (value: A) => GraphError | undefined): GraphError | undefined => {
  for (const value of values) {
    const error = check(value)
    if (error !== undefined) return error
  }
  return undefined
}
