import { STATUS_CODES } from '../shared/node-http.js'
import { type HttpFailure, toReply } from './reply.js'

const unreadable = (sentence: string): HttpFailure => ({ _tag: 'MalformedBody', sentence })

/** Node.js refuses such a request before the app runs, so the status is the one that Node.js uses for it. */
const refusalFor = (code: string | undefined): { readonly failure: HttpFailure; readonly status?: number } => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': return { failure: unreadable('The header lines of the request are too long'), status: 431 }
    case 'ERR_HTTP_REQUEST_TIMEOUT': return { failure: { _tag: 'BodyTooSlow' } }
    case undefined: default: return { failure: unreadable('The request is not well-formed HTTP') }
  }
}

/** The bytes of the reply to a request that Node.js could not read, by the code of its error. The connection is closed after it. */
export const connectionErrorReply = (code: string | undefined, now: number): string => {
  const { failure, status } = refusalFor(code)
  const reply = toReply(failure, { base: '', now })
  const head = { ...reply.headers, 'Content-Length': Buffer.byteLength(reply.body), 'Cache-Control': 'no-store', Connection: 'close' }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status ?? reply.status} ${STATUS_CODES[status ?? reply.status] ?? ''}`, ...lines, '', reply.body].join('\r\n')
}
