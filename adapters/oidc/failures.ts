import type * as OpenIdClient from 'openid-client'
import type { IdentityRefused } from '../../core/access/members.js'
import { type PortFailure, portFailure } from '../../core/kernel/failure.js'
import { UnreadAnswer } from './bounded-fetch.js'

/** The sentences for people, without a full stop; none of them quotes what a browser or a provider sent, except an error's code. */
export const NOT_BEGUN_HERE = 'This sign-in was not begun in this browser, or more than 10 minutes ago, so sign in again'
export const USED = 'This sign-in was used already, so sign in again'
export const NOT_VALID = "The identity provider's answer is not valid for this sign-in, so sign in again"
const DENIED = 'The identity provider did not let you in, or you cancelled; ask its administrator whether you may use Postern'

/** A refusal with a sentence for people. */
export const refused = (reason: string): IdentityRefused => ({ _tag: 'IdentityRefused', reason })

/**
 * What the log may know of a failure: a sentence and a code. The package's errors have the request's parameters and the whole answer in their
 * causes, among them codes and tokens, so no cause is kept.
 */
export const unavailable = (error: unknown): PortFailure => portFailure('IdentityProvider')(new Error(`the identity provider failed: ${sentenceOf(error)}`))

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.cause instanceof UnreadAnswer) return error.cause.message
  if ('error' in error && typeof error.error === 'string' && ERROR_CODE.test(error.error)) return `its answer is the error ${error.error}`
  return 'code' in error && typeof error.code === 'string' ? `${error.message} (${error.code})` : error.message
}

/** The form of an error's code in OAuth. */
const ERROR_CODE = /^[a-z_]{1,40}$/

/** Answers that say something of this sign-in, and not of the provider's health. */
const NOT_VALID_CODES: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', 'OAUTH_KEY_SELECTION_FAILED',
])

/** Tells a sign-in that is refused from a provider that fails. */
export const failureOf = (client: typeof OpenIdClient, error: unknown): IdentityRefused | PortFailure => {
  if (error instanceof client.AuthorizationResponseError) return refused(error.error === 'access_denied' ? DENIED : endedWith(error.error))
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return refused(USED)
  if (error instanceof client.ClientError && error.code !== undefined && NOT_VALID_CODES.has(error.code)) return refused(NOT_VALID)
  return unavailable(error)
}

const endedWith = (code: string): string =>
  ERROR_CODE.test(code) ? `The identity provider ended the sign-in with the error ${code}` : 'The identity provider ended the sign-in with an error'
