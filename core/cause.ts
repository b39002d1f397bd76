/** What the log and an operator may know of an error: what kind it was, its code and its message, without secrets. */
export type Cause = { readonly type: string; readonly code?: string; readonly message: string }

const STATEMENT = /^(select|insert|update|delete|replace|with|begin|commit|rollback|create|alter|drop|pragma|set|savepoint|release)\b/i
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bpst_[\w-]+/g, 'pst_…'],
  [/\bEAA\w+/g, 'EAA…'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 …'],
  [/:\/\/[^\s/@]+@/g, '://…@'],
  [/\bwamid\.[\w+/=-]+/g, 'wamid.…'],
  [/(?<![0-9a-f-])\+?[0-9]{7,15}(?![0-9a-f-])/gi, '…'],
]
const MAX_LENGTH = 2_000

/**
 * Describes a cause. The stack is left out, since it repeats the message, and so is what looks like a key, token or phone number.
 *
 * The message of a database driver begins with its statement and the values bound to it, among them numbers of customers and
 * digests of keys, so only what follows the statement is kept.
 */
export const describeCause = (cause: unknown): Cause => {
  if (!(cause instanceof Error)) return { type: typeof cause, message: typeof cause === 'string' ? scrub(cause) : 'no message' }
  if (cause instanceof AggregateError && cause.message === '' && cause.errors.length > 0) return describeCause(cause.errors[0])
  const code = codeOf(cause)
  return { type: cause.name, ...(code !== undefined && { code }), message: scrub(withoutStatement(cause.message)) || code || 'no message' }
}

const codeOf = (error: Error): string | undefined => {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
}

const withoutStatement = (message: string): string =>
  STATEMENT.test(message) ? (message.split(' - ').at(-1) ?? '') : message

const scrub = (text: string): string =>
  SECRETS.reduce((left, [secret, instead]) => left.replace(secret, instead), text.slice(0, MAX_LENGTH))
