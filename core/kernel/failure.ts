import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from './json.js'
import { beginningOf } from './text.js'
import { DAY_MS, type Instant, SECOND_MS } from './time.js'

/** The platform did not accept the message and never will as it is; `error` is its complete error object. */
export type PlatformRejected = { readonly _tag: 'PlatformRejected'; readonly error: JsonObject }

/** The platform did not accept the message because too many were sent; it may later. */
export type PlatformThrottled = {
  readonly _tag: 'PlatformThrottled'
  readonly error: JsonObject
  readonly retryAfterSeconds?: number
}

/** The platform refuses the sender's credentials, permissions or account; nothing was accepted. The operator has to fix it. */
export type CredentialsRefused = { readonly _tag: 'CredentialsRefused'; readonly error: JsonObject }

/** The platform was never reached, so nothing was sent; `cause` is for the log. */
export type PlatformUnreachable = { readonly _tag: 'PlatformUnreachable'; readonly cause: unknown }

/** The platform may or may not have accepted the message; `cause` is for the log. */
export type OutcomeUnknown = { readonly _tag: 'OutcomeUnknown'; readonly cause: unknown }

/**
 * The platform was not reached, or its answer does not tell the result of a request that may be repeated without harm; `cause` is for the log.
 * A send never fails with this, because repeating it could send a message twice.
 */
export type PlatformUnanswered = { readonly _tag: 'PlatformUnanswered'; readonly cause: unknown }

/** Every answer of the platform except an accepted id. */
export type PlatformError =
  | PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable | OutcomeUnknown

/** Infrastructure failed: which port, and the cause, which is for the log and never leaves it. */
export type PortFailure = { readonly _tag: 'PortFailure'; readonly port: string; readonly cause: unknown }

/** Creates the function that turns a thrown value into the `PortFailure` of a port, as `attempt` expects it. */
export const portFailure =
  (port: string) =>
  (cause: unknown): PortFailure => ({ _tag: 'PortFailure', port, cause })

/** Runs work that may throw or reject. Right: the value that it resolves to. Left: the failure that is made from the thrown value. */
export const attempt = async <A, Failure>(
  work: () => Promise<A>, failureOf: (cause: unknown) => Failure,
): Promise<E.Either<Failure, A>> => {
  try {
    return E.right(await work())
  } catch (cause) {
    return E.left(failureOf(cause))
  }
}

/** What the log and an operator may see of an error: its type, code and message, without secrets. */
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

/** Whether a text from a caller contains something like an API key, an endpoint's secret or an access token of the platform. If so, it must not be logged or stored. */
export const mayBeSecret = (text: string): boolean => /pst_|whsec_|(?<![A-Za-z0-9])EAA[A-Za-z0-9]{12}/i.test(text)

/**
 * Whether a text contains a complete API key, endpoint secret or access token of the platform. Unlike `mayBeSecret`, it decides whether a text is refused: a name
 * such as `post_pst_7` is not a secret. Nor is a random identifier or a digest that happens to start with `eaa`: access tokens are longer, and have letters that
 * hexadecimal digits do not have.
 */
export const hasSecret = (text: string): boolean =>
  /pst_[0-9a-f]{16}_[0-9a-f]{16}|whsec_[A-Za-z0-9+/]{16}|(?<![A-Za-z0-9])EAA(?=[A-Za-z0-9]*[G-Z])[A-Za-z0-9]{60}/i.test(text)

/**
 * Describes a cause. The stack is left out because it repeats the message. Everything that looks like a key, token or phone number is left out too.
 *
 * The message of a database driver begins with its statement and the values bound to it, including customers' numbers and
 * digests of keys. So only the text after the statement is kept.
 */
export const describeCause = (cause: unknown): Cause => {
  if (!(cause instanceof Error)) return { type: typeof cause, message: typeof cause === 'string' ? scrub(cause) : 'no message' }
  if (cause instanceof AggregateError && cause.message === '' && cause.errors.length > 0) return describeCause(cause.errors[0])
  const code = codeOf(cause)
  return { type: cause.name, ...(code !== undefined && { code }), message: scrub(withoutStatement(cause.message)) || code || 'no message' }
}

/** The code of an error of the platform, to be added to a sentence: ` (error code 190)`, or an empty text if the platform gave no code. */
export const describePlatformCode = ({ code }: JsonObject): string => (typeof code === 'number' ? ` (error code ${code})` : '')

const codeOf = (error: Error): string | undefined => {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
}

const withoutStatement = (message: string): string =>
  STATEMENT.test(message) ? (message.split(' - ').at(-1) ?? '') : message

const scrub = (text: string): string =>
  SECRETS.reduce((left, [secret, instead]) => left.replace(secret, instead), beginningOf(text, MAX_LENGTH))

/**
 * How long the header `Retry-After` asks to wait, in milliseconds, at most a day; `undefined` if it cannot be read. It is a number of seconds or a date:
 * <https://www.rfc-editor.org/rfc/rfc9110#name-retry-after>.
 */
export const retryAfterMs = (header: string | undefined, now: Instant): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text) * SECOND_MS, DAY_MS)
  // An HTTP date begins with the name of a day. `Date.parse` alone would accept almost any text as a date.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now, 0), DAY_MS)
}
