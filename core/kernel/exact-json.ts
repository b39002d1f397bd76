import type { JsonObject } from './json.js'

declare global {
  // Node.js has these since version 21, but the compiler's libraries do not declare them yet.
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
    parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  }
}

/** Longer numbers count as inexact without a check, which bounds the work. */
const MAX_DIGITS = 100

/** A number of at most 15 digits and an exponent of at most two digits is always exact, because a double keeps 15 digits. */
const SHORT = /^-?[0-9.]{1,15}(?:[eE][+-]?[0-9]{1,2})?$/

/** Whether a number written in JSON keeps its value as a double. */
export const isExact = (token: string): boolean =>
  SHORT.test(token) || (token.length <= MAX_DIGITS && canonical(token) === canonical(String(Number(token))))

/** A decimal number as its significant digits and a power of ten. */
const canonical = (number: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+))?$/i.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return /^-?[0-9]/.test(number) ? '0' : number
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}

/** A text that does not match this contains only `SHORT` numbers. */
const MAY_BE_LONG = /[:,[\s]-?(?:[0-9.]{16}|[0-9.]+[eE][+-]?[0-9]{3})/

/**
 * Parses JSON that is passed on. A number that a double would change, such as an id of 18 digits, becomes a value that `JSON.stringify` writes with the
 * original digits (`JSON.rawJSON`). Every other number is an ordinary number. It throws if the text is not JSON.
 */
export const parseExactJson = (text: string): unknown =>
  (MAY_BE_LONG.test(text)
    ? JSON.parse(text, (_key: string, value: unknown, { source }: { readonly source?: string }) =>
      (typeof value === 'number' && source !== undefined && !isExact(source) ? JSON.rawJSON(source) : value))
    : JSON.parse(text))

/** The JSON object of a text; `undefined` if the text is something else. A number that a double would change keeps its digits. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  try {
    const value = parseExactJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A parsed value that is an object is a JSON object. */
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
