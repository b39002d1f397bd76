const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[{}[\]:,]/g

/** A number that is not `SHORT` matches this. Few texts do, and the others need no look at their tokens. */
const MAY_BE_LONG = /[0-9.]{16}|[0-9][eE][+-]?[0-9]{3}/

/**
 * The first number inside a field of a JSON object that JavaScript cannot represent exactly, so that it would be passed on changed.
 *
 * `JSON.parse` must have accepted the text. `1.0` and `1e3` keep their value, so they are exact.
 */
export const inexactNumber = (json: string, field: string): string | undefined => {
  if (!MAY_BE_LONG.test(json)) return undefined
  let depth = 0
  let last = ''
  let inField = false
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token === ':' && depth === 1) inField = JSON.parse(last) === field
    else if (token === ',' && depth === 1) inField = false
    else if (inField && !token.startsWith('"') && !':,'.includes(token) && !isExact(token)) return token
    last = token
  }
  return undefined
}

/** Longer numbers count as inexact without a check, which bounds the work. */
const MAX_DIGITS = 100

/** A number of at most 15 digits and an exponent of two is always exact, as a double keeps 15 digits. */
const SHORT = /^-?[0-9.]{1,15}(?:[eE][+-]?[0-9]{1,2})?$/

const isExact = (token: string): boolean =>
  SHORT.test(token) || (token.length <= MAX_DIGITS && canonical(token) === canonical(String(Number(token))))

/** A decimal number as its significant digits and a power of ten. */
const canonical = (number: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+))?$/i.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return /^-?[0-9]/.test(number) ? '0' : number
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}
