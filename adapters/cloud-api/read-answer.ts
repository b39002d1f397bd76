import * as E from 'fp-ts/lib/Either.js'
import type { OutcomeUnknown, PlatformError } from '../../core/kernel/failure.js'
import { isDeeperThan, type JsonObject } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import { type Accepted, parsePlatformId } from '../../core/messages/message.js'
import { idsIn } from './contacts.js'
import { classifyError, numberOf } from './error-codes.js'
import { retryAfterOf } from './retry-after.js'
import type { Answered, TransportResult } from './transport.js'
import { isObject, itemsOf, propertyOf } from './unknown-json.js'

/** The deepest error object that is passed on; the platform's own have two levels. */
const DEEPEST_ERROR = 20

/** The longest answer, in characters, whose error object is passed on and stored; the platform's own have a few hundred. */
const LONGEST_ERROR = 16_384

/**
 * Reads what came of a send, as far as it is known.
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

/** The ids of the customer in the answer to a send: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>. */
const customerIn = (body: unknown): Pick<Accepted, 'customer'> => {
  const contact = itemsOf(propertyOf(body, 'contacts'))[0]
  const customer = idsIn(propertyOf(contact, 'wa_id'), propertyOf(contact, 'user_id'))
  return customer === undefined ? {} : { customer }
}

/** Reads the answer to a request that changes nothing: the body of a 2xx answer, or why there is none. */
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

/** An error object below status 400, without a code, or larger than the platform's own, says nothing of the message. */
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

/** The cause names what the platform's support asks for, and quotes nothing that could be a message's text or a secret. */
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
