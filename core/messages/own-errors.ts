import type { JsonObject } from '../kernel/json.js'

/** The sentence of a message that a gateway had claimed and did not send, because the gateway stood still. It says nothing about other messages. */
export const STOOD_STILL: OwnErrorSentence = 'Its gateway stood still when it was due, and it was too late to send it then'

/** The codes of the API in the error of a message that the gateway itself did not send. */
export type OwnErrorCode =
  | 'insufficient_balance' | 'spending_limit_reached' | 'storage_unavailable' | 'platform_unreachable' | 'queue_expired' | 'window_closed'
  | 'customer_opted_out' | 'consent_required' | 'not_sendable'

/** The sentences of such errors. Errors of earlier releases contain only the sentence, so a sentence is never changed. */
const OWN_ERRORS = {
  'The wallet could not cover the price': 'insufficient_balance',
  'The API key has reached its spending limit': 'spending_limit_reached',
  'Its record could not be written': 'storage_unavailable',
  'The price could not be set aside': 'storage_unavailable',
  'It took too long to set its price aside': 'storage_unavailable',
  'It was never sent: its price was not set aside': 'storage_unavailable',
  'The platform could not be reached': 'platform_unreachable',
  'Its time to be sent had passed': 'queue_expired',
  'The customer service window was closed when it was due': 'window_closed',
  'The customer had stopped such messages when it was due': 'customer_opted_out',
  'The customer had not consented to marketing messages when it was due': 'consent_required',
  'What its customer allows could not be read when it was due': 'storage_unavailable',
  'It could not be sent when it was due': 'not_sendable',
  'Its gateway stood still when it was due, and it was too late to send it then': 'not_sendable',
  'Its sender was replaced, and the user id of its customer belongs to the previous business account': 'not_sendable',
} as const satisfies Readonly<Record<string, OwnErrorCode>>

/** A sentence of the gateway about a message that it did not send. */
export type OwnErrorSentence = keyof typeof OWN_ERRORS

const OWN_CODES: ReadonlySet<unknown> = new Set(Object.values(OWN_ERRORS))

/** Whether a text is one of the codes of the gateway's own errors. */
export const isOwnErrorCode = (code: unknown): code is OwnErrorCode => OWN_CODES.has(code)

/** The error of a message that the gateway did not send. */
export const ownError = (message: OwnErrorSentence): JsonObject => ({ code: OWN_ERRORS[message], message })

const isOwnSentence = (message: unknown): message is OwnErrorSentence => typeof message === 'string' && Object.hasOwn(OWN_ERRORS, message)

/** The gateway's own code of an error; `undefined` if it is an error of the platform. */
export const ownCodeOf = (error: JsonObject | undefined): OwnErrorCode | undefined => {
  const { code, message } = error ?? {}
  if (code === undefined) return isOwnSentence(message) ? OWN_ERRORS[message] : undefined
  return isOwnErrorCode(code) ? code : undefined
}

/** The sentences of a code, which identify errors of earlier releases. */
export const sentencesOf = (code: OwnErrorCode): ReadonlyArray<string> =>
  Object.entries(OWN_ERRORS).flatMap(([sentence, of]) => (of === code ? [sentence] : []))

/** An error as callers read it: an error of the gateway has its code, even if an earlier release stored it without one. */
export const withOwnCode = (error: JsonObject | undefined): JsonObject | undefined => {
  const code = ownCodeOf(error)
  return code === undefined ? error : { code, ...error }
}

/** The code of an error: the platform's, a whole number, or the gateway's own; `undefined` if the error has no such code. */
export const errorCodeOf = (error: JsonObject | undefined): number | OwnErrorCode | undefined => {
  const own = ownCodeOf(error)
  if (own !== undefined) return own
  const code = error?.['code']
  return (typeof code === 'number' || (typeof code === 'string' && /^\d{1,9}$/.test(code))) && Number.isSafeInteger(Number(code))
    ? Number(code)
    : undefined
}
