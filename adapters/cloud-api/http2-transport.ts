import { constants, type ClientHttp2Stream } from 'node:http2'
import { makeHttp2Pool, type Http2Pool } from './http2-pool.js'
import type { Http2Connection } from './http2-connection.js'
import { readResponse } from './response-reader.js'
import { loggable, MAX_CONNECTIONS, type HttpRequest, type Transport, type TransportOptions, type TransportResult } from './transport.js'

/** How many HTTP/2 connections there may be to one server; each carries up to a hundred calls. */
export const MAX_HTTP2_CONNECTIONS = 256

/** How often a connection with calls is pinged, and how long the reply may take, in milliseconds. */
const PING_EVERY_MS = 2_000
const PING_TIMEOUT_MS = 5_000

/** Calls over HTTP/2. */
export type Http2Transport = { readonly send: Transport; readonly close: () => Promise<void> }

/**
 * Makes calls over HTTP/2 where the server chooses it during the TLS handshake, and over `http1` where it does not.
 *
 * Both transports share this, since with the clients' own HTTP/2 it is not known of each call whether a server that ends a connection has
 * left it unprocessed.
 */
export const makeHttp2Transport = (
  http1: Transport, { connections = MAX_CONNECTIONS, http2Connections = MAX_HTTP2_CONNECTIONS, ca, pingEveryMs = PING_EVERY_MS, pingTimeoutMs = PING_TIMEOUT_MS }: TransportOptions,
): Http2Transport => {
  const pool = makeHttp2Pool({ max: http2Connections, ca, pingEveryMs, pingTimeoutMs })
  let calls = 0
  return {
    send: async (request) => {
      if (!request.origin.startsWith('https:')) return http1(request)
      if (calls >= connections) return notSent(new Error('All calls that may be under way are'))
      calls += 1
      const begun = performance.now()
      const result = await callOver(pool, request)
      calls -= 1
      return result === 'http/1.1' ? http1({ ...request, connectMs: Math.max(1, request.timeoutMs - (performance.now() - begun)) }) : result
    },
    close: pool.close,
  }
}

const notSent = (cause: Error): TransportResult => ({ _tag: 'NotSent', cause })

const callOver = (pool: Http2Pool, request: HttpRequest): Promise<TransportResult | 'http/1.1'> =>
  new Promise((resolve) => {
    try {
      pool.acquire(request.origin, request.timeoutMs, (got) => {
        if (got === 'http/1.1') resolve(got)
        else if (got instanceof Error) resolve(notSent(got))
        else callOnce(got, request, resolve)
      })
    } catch (thrown) {
      // Only an address that is none throws.
      resolve(notSent(loggable(thrown)))
    }
  })

/** Makes one call. It counts as sent as soon as its stream has a number, until the server says that it has not processed that stream. */
const callOnce = (connection: Http2Connection, request: HttpRequest, onResult: (result: TransportResult) => void): void => {
  let started: ClientHttp2Stream | undefined
  let hasBegun = false
  let received = 0
  let announced: number | undefined
  const answer = readResponse(request, {
    mayBeSent: () => started !== undefined && (hasBegun || connection.mayHaveArrived(started)),
    abort: () => started?.close(constants.NGHTTP2_CANCEL),
  }, onResult)
  try {
    started = connection.start(request)
  } catch (thrown) {
    return answer.fail(loggable(thrown))
  }
  const stream = started
  answer.written()
  stream.on('response', ({ ':status': status = 0, ...headers }) => {
    hasBegun = true
    announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
    answer.begin(status, headers)
  })
  stream.on('data', (chunk: Buffer) => {
    // Data may be reported before the headers that came with it.
    hasBegun = true
    received += chunk.length
    answer.data(chunk)
  })
  // A stream that the server resets ends too; then the answer may lack a part.
  stream.on('end', () => { if (stream.rstCode === constants.NGHTTP2_NO_ERROR && received === (announced ?? received)) answer.end() })
  stream.on('error', (error) => answer.fail(loggable(error)))
  stream.once('close', () => answer.fail(new Error(`The server ended the call without an answer, with code ${stream.rstCode}`)))
}
