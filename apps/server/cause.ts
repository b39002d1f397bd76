import { missingPackage } from './missing-package.js'

/** What of a cause may be told: what kind of error it was, its code and its message, without the values of a statement. */
export type Cause = { readonly type: string; readonly code?: string; readonly message: string }

const STATEMENT = /^(select|insert|update|delete|replace|with|begin|commit|rollback|create|alter|drop|pragma|set|savepoint|release)\b/i
const LONGEST = 2_000

/**
 * Reads a cause for the log.
 *
 * A database driver's message begins with its statement and the values bound to it, among them numbers of customers and
 * digests of keys, so only what follows them is kept; the stack repeats the message and is left out.
 */
export const causeOf = (cause: unknown): Cause => {
  if (!(cause instanceof Error)) return { type: typeof cause, message: typeof cause === 'string' ? cause.slice(0, LONGEST) : 'no message' }
  if (cause instanceof AggregateError && cause.message === '' && cause.errors.length > 0) return causeOf(cause.errors[0])
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  const message = missingPackage(cause) ?? (withoutStatement(cause.message).slice(0, LONGEST) || code || 'no message')
  return { type: cause.name, ...(code !== undefined && { code }), message }
}

const withoutStatement = (message: string): string =>
  STATEMENT.test(message) ? (message.split(' - ').at(-1) ?? '') : message
