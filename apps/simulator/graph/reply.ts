import { randomBytes } from 'node:crypto'
import { type Reply, replyJson } from '../http.js'

/** An error of the platform, as in replies and `failed` statuses; titles and HTTP statuses follow the published tables. */
export type GraphError = {
  readonly code: number
  readonly status: number
  readonly title: string
  readonly details?: string
  readonly subcode?: number
  readonly type?: 'GraphMethodException'
  readonly isTransient?: boolean
  /** Whether the message has no `(#code)` prefix, as for credentials and unknown objects. */
  readonly bare?: boolean
}

const KNOWN: Readonly<Record<number, readonly [status: number, title: string]>> = {
  1: [500, 'An unknown error has occurred.'],
  2: [503, 'An unexpected error has occurred. Please retry your request later.'],
  4: [400, 'Application request limit reached'],
  10: [403, 'Application does not have permission for this action'],
  100: [400, 'Invalid parameter'],
  190: [401, 'Error validating access token: Session has expired.'],
  200: [403, 'You do not have the necessary permissions to read the templates of this WhatsApp Business Account'],
  368: [403, 'Temporarily blocked for policies violations'],
  613: [429, 'Calls to this api have exceeded the rate limit.'],
  80007: [400, 'Rate limit issues'],
  130429: [429, 'Rate limit hit'],
  130472: [400, 'User\'s number is part of an experiment'],
  131000: [500, 'Something went wrong'],
  131005: [403, 'Access denied'],
  131008: [400, 'Required parameter is missing'],
  131009: [400, 'Parameter value is not valid'],
  131016: [500, 'Service unavailable'],
  131021: [400, 'Recipient cannot be sender'],
  131026: [400, 'Message undeliverable'],
  131030: [400, 'Recipient phone number not in allowed list'],
  131031: [403, 'Business account locked'],
  131042: [400, 'Business eligibility payment issue'],
  131047: [400, 'Re-engagement message'],
  131048: [400, 'Spam rate limit hit'],
  131049: [400, 'This message was not delivered to maintain healthy ecosystem engagement.'],
  131050: [400, 'User has stopped marketing messages'],
  131051: [400, 'Unsupported message type'],
  131053: [400, 'Media upload error'],
  131056: [400, '(Business Account, Consumer Account) pair rate limit hit'],
  131062: [400, 'Business-scoped User ID (BSUID) recipients are not supported for this message.'],
  132000: [400, 'Number of parameters does not match the expected number of params'],
  132001: [404, 'Template name does not exist in the translation'],
  132005: [400, 'Translated text too long'],
  132012: [400, 'Parameter format does not match format in the created template'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  132018: [400, 'Issue with template parameters'],
  132068: [400, 'Flow is blocked'],
  132069: [400, 'Flow is throttled'],
  134100: [400, 'Only marketing messages are supported'],
  133004: [503, 'Server is temporarily unavailable'],
  138000: [400, 'Calling is not enabled'],
  138009: [400, 'Call permission request limit reached'],
  138018: [400, 'Call permission requests are not enabled'],
}

/** The error for a code, perhaps with details of this case. */
export const graphError = (code: number, details?: string): GraphError => {
  const [status, title] = KNOWN[code] ?? [400, 'Unknown error']
  return {
    code, status, title,
    ...(details !== undefined && { details }), ...(code === 2 && { isTransient: true }), ...(code < 3 && { bare: true }),
  }
}

/** Error 100, Invalid parameter, with one sentence instead of title and details. */
export const invalidParameter = (sentence: string): GraphError => ({ code: 100, status: 400, title: sentence })

/** A token that is missing, wrong or expired. */
export const badToken: GraphError = { ...graphError(190), subcode: 463, bare: true }

/** The error for a phone number id, or any other object, that the token cannot access. */
export const unknownObject = (id: string, method: 'get' | 'post' | 'delete'): GraphError => ({
  code: 100, status: 400, subcode: 33, type: 'GraphMethodException', bare: true,
  title: `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, `
    + 'or does not support this operation. Please read the Graph API documentation at '
    + 'https://developers.facebook.com/docs/graph-api',
})

/** The message of an error in a reply. */
export const messageOf = ({ code, title, bare }: GraphError): string => (bare ? title : `(#${code}) ${title}`)

/** The body of an error reply. */
export const errorEnvelope = (error: GraphError, traceId: string) => ({
  error: {
    message: messageOf(error),
    type: error.type ?? 'OAuthException',
    code: error.code,
    ...(error.subcode !== undefined && { error_subcode: error.subcode }),
    ...(error.details !== undefined && { error_data: { messaging_product: 'whatsapp', details: error.details } }),
    ...(error.isTransient && { is_transient: true }),
    fbtrace_id: traceId,
  },
})

/** The entry of `errors` in a `failed` status. */
export const statusError = ({ code, title, details }: GraphError) => ({
  code, title, message: title,
  error_data: { details: details ?? title },
  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
})

/** The values of the request that the headers of a reply contain. */
export type GraphContext = {
  readonly version: string
  /** The id of the object in the request's path; its usage is reported. */
  readonly objectId: string
  /** The used share of the throughput, in percent. */
  readonly usage: number
}

/** A successful reply. */
export const graphReply = (context: GraphContext, value: unknown): Reply => {
  const trace = traceId()
  return { status: 200, headers: headersOf(context, trace), body: replyJson(value) }
}

/** An error reply. */
export const graphErrorReply = (context: GraphContext, error: GraphError): Reply => {
  const trace = traceId()
  const kind = error.code === 190 ? 'invalid_token' : 'invalid_request'
  const challenge = `OAuth "Facebook Platform" "${kind}" "${printable(messageOf(error))}"`
  return {
    status: error.status,
    headers: { ...headersOf(context, trace), ...(error.status < 500 && { 'www-authenticate': challenge }) },
    body: replyJson(errorEnvelope(error, trace)),
  }
}

const traceId = (): string => `A${randomBytes(16).toString('base64url')}`

const headersOf = ({ version, objectId, usage }: GraphContext, trace: string): Reply['headers'] => ({
  'content-type': 'application/json; charset=UTF-8',
  'cache-control': 'no-store',
  'facebook-api-version': version,
  'x-fb-trace-id': trace,
  'x-fb-request-id': trace.slice(0, 16),
  'x-fb-rev': '1030000000',
  'x-fb-debug': trace,
  'x-app-usage': JSON.stringify({ call_count: usage, total_cputime: 0, total_time: 0 }),
  'x-business-use-case-usage': JSON.stringify({
    [objectId]: [{ type: 'whatsapp', call_count: usage, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 }],
  }),
})

/** A header carries printable ASCII only. */
const printable = (text: string): string => text.replace(/[^ -~]/g, '?').replaceAll('"', '\'')
