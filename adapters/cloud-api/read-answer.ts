import * as E from 'fp-ts/lib/Either.js'
import { parseWrittenPhoneNumber } from '../../core/customers/customer.js'
import type { OutcomeUnknown, PlatformError } from '../../core/kernel/failure.js'
import { isDeeperThan, type JsonObject } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import { type Accepted, parsePlatformId } from '../../core/messages/message.js'
import { idsIn } from './contacts.js'
import { type Answered, isObject, itemsOf, propertyOf, retryAfterOf, type TransportResult } from './transport.js'

/** The meaning of an error code for the message: refused for one of three reasons, or possibly accepted. */
export type ErrorClass = 'rejected' | 'throttled' | 'credentials' | 'unknown'

/**
 * The platform's error codes, from its error reference (support/error-codes, read September 2026). Codes missing there are from the public clients pywa and courier. An
 * answer is classified by its code; its HTTP status varies between sources.
 *
 * `credentials`: every message through this sender would be refused in the same way, so the operator has to act. `rejected`: another message through the same sender
 * might be accepted.
 */
const CODES: ReadonlyArray<readonly [ErrorClass, ReadonlyArray<number>]> = [
  // Not accepted, and the reference advises to try again later: call, throughput and pair limits, maintenance of at most a minute
  // (131057), a number deleted within 5 minutes (133015), an account still being set up for 10 (134101). 80008 is the limit of calls
  // that read templates: https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
  ['throttled', [4, 613, 80007, 80008, 130429, 131056, 131057, 132069, 133015, 133016, 134101]],
  // The token and its permissions (0, 3, 10, 104, 190, 131005; 200 to 299 below); the number: deleted (33), display name
  // (131037), certificate (131045), registration (1330xx); the account: blocked (368), locked (131031), not paying (131042).
  ['credentials', [
    0, 3, 10, 33, 104, 190, 368, 131005, 131031, 131037, 131042, 131045, 133000, 133005, 133006, 133008, 133009, 133010,
  ]],
  // Faults of the platform, which may occur after it has accepted the message.
  ['unknown', [1, 2, 131000, 131016, 133004]],
  // The message, its template or its recipient. 131048 is called a limit, but waiting does not lift it: customers blocked
  // or reported the number, and sending again makes it worse.
  ['rejected', [
    100, 130403, 130472, 130497, 131008, 131009, 131020, 131021, 131026, 131030, 131041, 131047, 131048, 131049, 131050,
    131051, 131052, 131053, 131055, 131059, 131060, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008, 132012,
    132015, 132016, 132018, 132068, 134011, 134100, 134102, 135000, 137000,
  ]],
]

const CLASS_OF: ReadonlyMap<number, ErrorClass> = new Map(
  CODES.flatMap(([errorClass, codes]) => codes.map((code) => [code, errorClass] as const)),
)

/** Subcode of 100 for an object that does not exist or may not be seen: here, the phone number id. */
const OBJECT_NOT_FOUND = 33

/**
 * Classifies an error object by its code, and by the HTTP status of the answer that carried it.
 *
 * A code that is not listed means that the message was not accepted, unless it arrived with a 5xx or the platform calls the fault transient: then the message may have
 * been accepted.
 */
export const classifyError = (code: number, error: JsonObject, status: number): ErrorClass => {
  if (code === 100 && numberOf(error['error_subcode']) === OBJECT_NOT_FOUND) return 'credentials'
  if (code >= 200 && code <= 299) return 'credentials'
  return CLASS_OF.get(code) ?? (status >= 500 || error['is_transient'] === true ? 'unknown' : 'rejected')
}

/** A whole number, even if it was written as a string of digits; `undefined` for anything else. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^[0-9]{1,15}$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

/** The deepest error object that is passed on; the platform's own objects have two levels. */
const DEEPEST_ERROR = 20

/** The longest answer, in characters, whose error object is passed on and stored; the platform's own answers have a few hundred. */
const LONGEST_ERROR = 16_384

/**
 * Reads the result of a send, as far as it is known.
 *
 * | result | reading |
 * |---|---|
 * | not sent | `PlatformUnreachable` |
 * | no answer | `OutcomeUnknown` |
 * | 2xx with a message id | accepted |
 * | 4xx or 5xx with an error object and no message id | by its code: `classifyError` |
 * | anything else | `OutcomeUnknown` |
 *
 * The error object is passed on whole. `now` turns a `Retry-After` that is a date into seconds.
 */
export const readAnswer = (result: TransportResult, now: Instant): E.Either<PlatformError, Accepted> => {
  if (result._tag !== 'Answered') return E.left(failureOf(result))
  const body = parseBody(result.body)
  const id = propertyOf(itemsOf(propertyOf(body, 'messages'))[0], 'id')
  if (!isSuccess(result)) return E.left(id === undefined ? readError(result, body, now) : unknown(result, body))
  const platformId = parsePlatformId(id)
  return platformId === undefined ? E.left(unknown(result, body)) : E.right({ platformId, ...customerIn(body) })
}

/** The ids of the customer in the answer to a send, and in its `input` the number that was dialled: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>. */
const customerIn = (body: unknown): Pick<Accepted, 'customer' | 'dialled'> => {
  const contact = itemsOf(propertyOf(body, 'contacts'))[0]
  const customer = idsIn(propertyOf(contact, 'wa_id'), propertyOf(contact, 'user_id'))
  const input = propertyOf(contact, 'input')
  const dialled = typeof input === 'string' ? parseWrittenPhoneNumber(input) : undefined
  return customer === undefined ? {} : { customer, ...(dialled !== undefined && E.isRight(dialled) && { dialled: dialled.right }) }
}

/** Reads the answer to a request that changes nothing: the body of a 2xx answer, or the reason why there is none. */
export const readBody = (result: TransportResult, now: Instant): E.Either<PlatformError, JsonObject> => {
  if (result._tag !== 'Answered') return E.left(failureOf(result))
  const body = parseBody(result.body)
  if (!isSuccess(result)) return E.left(readError(result, body, now))
  return isObject(body) ? E.right(body) : E.left(unknown(result, body))
}

const isSuccess = ({ status }: Answered): boolean => status >= 200 && status <= 299

const failureOf = (result: Exclude<TransportResult, Answered>): PlatformError => {
  switch (result._tag) {
    case 'NotSent': return { _tag: 'PlatformUnreachable', cause: result.cause }
    case 'NoAnswer': return { _tag: 'OutcomeUnknown', cause: result.cause }
  }
}

/** An error object below status 400, without a code, or larger than the platform's own objects, is no evidence about the message. */
const readError = (answer: Answered, body: unknown, now: Instant): PlatformError => {
  const error = propertyOf(body, 'error')
  const code = numberOf(propertyOf(error, 'code'))
  if (answer.status < 400 || !isObject(error) || code === undefined) return unknown(answer, body)
  if (answer.body.length > LONGEST_ERROR || isDeeperThan(DEEPEST_ERROR, error)) return unknown(answer, body)
  switch (classifyError(code, error, answer.status)) {
    case 'rejected': return { _tag: 'PlatformRejected', error }
    case 'credentials': return { _tag: 'CredentialsRefused', error }
    case 'unknown': return unknown(answer, body)
    case 'throttled': {
      const retryAfterSeconds = retryAfterOf(answer.headers, code, now)
      return { _tag: 'PlatformThrottled', error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    }
  }
}

/** The cause contains the ids that the platform's support asks for. It never contains values that could be a message's text or a secret. */
const unknown = (answer: Answered, body: unknown): OutcomeUnknown => {
  const error = propertyOf(body, 'error')
  const code = numberOf(propertyOf(error, 'code'))
  const trace = propertyOf(error, 'fbtrace_id')
  return {
    _tag: 'OutcomeUnknown',
    cause: [
      `The platform answered ${answer.status}`,
      code === undefined ? 'with a body that makes no sense' : `with error code ${code}`,
      ...(typeof trace === 'string' && /^[\w-]{1,64}$/.test(trace) ? [`(trace ${trace})`] : []),
    ].join(' '),
  }
}

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
