const REPLY_ESCAPED = /[\u0080-\uffff/]/g
const WEBHOOK_ESCAPED = /[\u0080-\uffff/<%@]/g

/** Whether a JSON value is an object, neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON; undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON in the format of the platform's replies: `/` as `\/`, everything beyond ASCII as `\uXXXX` in lowercase hexadecimal. */
export const replyJson = (value: unknown): string => JSON.stringify(value).replace(REPLY_ESCAPED, escaped)

/**
 * JSON in the format of the platform's webhooks: in addition to the reply's escapes, `<`, `%` and `@` as `\u003C`, `\u0025`, `\u0040`.
 *
 * The escaped characters can only stand inside strings, so escaping the text as a whole is safe.
 */
export const webhookJson = (value: unknown): string => JSON.stringify(value).replace(WEBHOOK_ESCAPED, escaped)

const escaped = (character: string): string => {
  if (character === '/') return '\\/'
  if (character === '<') return '\\u003C'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
