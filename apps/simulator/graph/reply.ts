import { randomBytes } from 'node:crypto'
import { errorEnvelope, messageOf, type GraphError } from './error.js'
import type { Reply } from '../http.js'
import { replyJson } from '../json.js'

/** What the headers of a reply say about its request. */
export type GraphContext = {
  readonly version: string
  /** The object in the request's path; its usage is reported. */
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
