import type { Context } from 'koa'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { TemplateNotApproved, TemplateParameters } from '../../../core/templates/check.js'
import { type ContentInvalid, type HttpFailure, jsonReply, type MissingParameters, NO_KEY, refusalOf, type TextReply } from '../reply.js'
import { appOf } from '../request.js'

/** The path of the Graph-compatible API: every address below it follows the platform's own contract. */
export const GRAPH_PATH = '/graph'

/** A request, in the form that an error of the platform describes it, and the time of the reply. */
export type Asked = { readonly id: string; readonly method: string; readonly path: string; readonly now: Instant }

/** Whether a request is for the Graph-compatible API. */
export const isGraphRequest = ({ path }: Pick<Context, 'path'>): boolean => path === GRAPH_PATH || path.startsWith(`${GRAPH_PATH}/`)

const VERSION = /^\/v[0-9]{1,3}\.[0-9]{1,2}(?=\/|$)/

/** Whether the address of a request to the Graph-compatible API begins with a version of the platform's API. */
export const namesVersion = ({ path }: Pick<Context, 'path'>): boolean => VERSION.test(path.slice(GRAPH_PATH.length))

/** The reply of a failure to a request to the Graph-compatible API. */
export const graphReply = (ctx: Context, failure: HttpFailure): TextReply =>
  toGraphReply(failure, {
    id: ctx.response.get('X-Request-Id'), method: ctx.method.toLowerCase(), path: ctx.path.slice(GRAPH_PATH.length), now: appOf(ctx).now(),
  })

/** The reply of a failure in the platform's form. The log and the metrics use the code that the same failure has below `/v1`. */
export const toGraphReply = (failure: HttpFailure, asked: Asked): TextReply => {
  const { code, headers } = refusalOf(failure, asked.now)
  const { status, error } = graphErrorOf(failure, asked)
  return { ...jsonReply(status, { error }, headers), code }
}

/** An error of the platform with the HTTP status of its code in the platform's published tables, if they contain one. */
export type GraphError = { readonly status: number; readonly error: JsonObject }

/**
 * The table from failures to the platform's errors. It has no default case: a new tag does not compile until it has a row here, and one in `reply.ts`.
 *
 * Clients repeat transient errors. So an error is transient only if the request certainly had no effect, or is harmless to repeat. An unknown outcome gets the status
 * of a bad request, because HTTP libraries repeat requests that were answered with a 5xx.
 */
export const graphErrorOf = (failure: HttpFailure, asked: Asked): GraphError => {
  const { message } = refusalOf(failure, asked.now)
  const parts: Parts = { details: message, id: asked.id }
  switch (failure._tag) {
    case 'MissingParameters':
      return numbered(400, 100, whatIsMissing(failure), parts)
    case 'ContentInvalid':
      return numbered(400, 100, INVALID, { ...parts, details: whatIsBroken(failure) })
    case 'InvalidParameter': case 'MediaInvalid': case 'InvalidIdempotencyKey': case 'InvalidPhoneNumber': case 'MalformedBody':
    case 'IdempotencyKeyReused': case 'RangeNotSatisfiable':
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': case 'UnknownEventType': case 'InvalidDescription': case 'InvalidEventId':
    case 'EndpointDisabled':
    case 'TooManyEndpoints': case 'WrongBatchState': case 'BatchChanged': case 'PreflightChanged': case 'NothingToSend': case 'ContentGone':
    case 'UnreadableFile':
      return numbered(400, 100, INVALID, parts)
    case 'PayloadTooLarge':
      return numbered(413, 100, INVALID, parts)
    case 'UnsupportedMediaType':
      return numbered(415, 100, INVALID, parts)
    case 'UnknownApiKey':
      return { status: 401, error: bare('OAuthException', 190, `Invalid OAuth access token - ${NO_KEY}. Send a Postern API key`, asked) }
    case 'BadSignature':
      return { status: 401, error: bare('OAuthException', 190, message, asked) }
    case 'MissingScope': case 'Forbidden': case 'VerificationRefused':
      return numbered(403, 10, 'Application does not have permission for this action', parts)
    case 'NotFound':
      return failure.object === undefined
        ? { status: 404, error: bare('OAuthException', 2500, `Unknown path components: ${asked.path}`, asked) }
        : noObject(failure.object, asked)
    case 'MediaGone': case 'EndpointNotFound': case 'EventNotFound':
      return noObject(asked.path.replace(VERSION, '').split('/')[1] ?? '', asked)
    case 'MethodNotAllowed':
      return { status: 405, error: bare('GraphMethodException', 100, `Unsupported ${asked.method} request. ${message}`, asked) }
    case 'TimezoneUnknown': case 'AlreadySent':
      return numbered(400, 100, INVALID, parts)
    case 'WindowClosed':
      return numbered(400, 131047, 'Re-engagement message', parts)
    case 'InsufficientBalance': case 'SpendingLimitReached':
      return numbered(400, 131042, 'Business eligibility payment issue', parts)
    case 'CustomerOptedOut': case 'ConsentRequired':
      return numbered(400, 131050, 'User has stopped marketing messages', parts)
    case 'PhoneNumberRequired':
      return numbered(400, 131062, 'Business-scoped User ID (BSUID) recipients are not supported for this message.', parts)
    case 'TemplateNotFound':
      return numbered(404, 132001, NO_TEMPLATE, parts)
    case 'TemplateNotApproved':
      return whatState(failure, parts)
    case 'TemplateParameters':
      return whatMismatch(failure, parts)
    case 'PlatformRejected':
      return { status: 400, error: failure.error }
    case 'PlatformThrottled':
      return typeof failure.error['code'] === 'number'
        ? { status: 429, error: failure.error }
        : numbered(429, 130429, 'Rate limit hit', { ...parts, isTransient: true })
    case 'SenderLimitReached': case 'PortfolioLimitReached':
      return numbered(429, 130429, 'Rate limit hit', { ...parts, isTransient: true })
    case 'PairLimitReached':
      return numbered(429, 131056, '(Business Account, Consumer Account) pair rate limit hit', { ...parts, isTransient: true })
    case 'CredentialsRefused':
      return numbered(403, 131031, message, parts)
    case 'SenderNotConfigured': case 'UnknownSender':
      return numbered(400, 133010, 'Phone number not registered', parts)
    case 'RateLimited': case 'TooManyRequests':
      return numbered(429, 80007, 'Rate limit issues', { ...parts, isTransient: true })
    case 'IdempotencyInProgress':
      return { status: 409, error: { ...bare('OAuthException', 2, message, asked), is_transient: true } }
    case 'BodyTooSlow':
      return { status: 408, error: { ...bare('OAuthException', 2, message, asked), is_transient: true } }
    case 'PlatformUnreachable': case 'PlatformUnanswered': case 'PortFailure': case 'NotYetKnown': case 'Overloaded':
      return numbered(503, 131016, 'Service unavailable', { ...parts, isTransient: true })
    case 'OutcomeUnknown':
      return numbered(400, 131000, SOMETHING, { ...parts, isTransient: false })
    case 'Defect':
      return numbered(500, 131000, SOMETHING, { ...parts, isTransient: false })
  }
}

const INVALID = 'Invalid parameter'
const NO_TEMPLATE = 'Template name does not exist in the translation'
const SOMETHING = 'Something went wrong'

/** The parts of an error in addition to its number and its title. */
type Parts = { readonly details: string; readonly id: string; readonly isTransient?: boolean }

const numbered = (status: number, code: number, title: string, { details, id, isTransient }: Parts): GraphError => ({
  status,
  error: {
    message: `(#${code}) ${title}`, type: 'OAuthException', code, error_data: { messaging_product: 'whatsapp', details },
    ...(isTransient !== undefined && { is_transient: isTransient }), fbtrace_id: id,
  },
})

/** An error of the platform's API as a whole, which has neither the number in its message nor details. */
const bare = (type: string, code: number, message: string, { id }: Asked): JsonObject => ({ message, type, code, fbtrace_id: id })

const noObject = (object: string, asked: Asked): GraphError => {
  const message = `Unsupported ${asked.method} request. Object with ID '${object}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`
  return { status: 400, error: { message, type: 'GraphMethodException', code: 100, error_subcode: 33, fbtrace_id: asked.id } }
}

const whatIsMissing = ({ names }: MissingParameters): string =>
  (names.length === 1 ? `The parameter ${names.join()} is required.` : `The parameters ${names.join(', ')} are required.`)

/** Content can break a limit tens of thousands of times. */
const MAX_BREACHES = 10

const whatIsBroken = ({ breaches }: ContentInvalid): string =>
  breaches.slice(0, MAX_BREACHES).map(({ path, rule, given }) => `${path} must be ${rule} (given: ${given ?? 'nothing'})`).join('; ') +
  (breaches.length > MAX_BREACHES ? `; and ${breaches.length - MAX_BREACHES} more` : '')

const whatState = ({ status }: TemplateNotApproved, parts: Parts): GraphError => {
  switch (status) {
    case 'paused': return numbered(400, 132015, 'Template is paused', parts)
    case 'disabled': return numbered(400, 132016, 'Template is disabled', parts)
    default: return numbered(404, 132001, NO_TEMPLATE, parts)
  }
}

const whatMismatch = ({ mismatch }: TemplateParameters, parts: Parts): GraphError => {
  switch (mismatch) {
    case 'count': return numbered(400, 132000, 'Number of parameters does not match the expected number of params', parts)
    case 'missing': return numbered(400, 131008, 'Required parameter is missing', parts)
    case 'name': return numbered(400, 100, INVALID, parts)
    case 'format': return numbered(400, 132012, 'Parameter format does not match format in the created template', parts)
    case 'other': return numbered(400, 132018, 'Issue with template parameters', parts)
  }
}
