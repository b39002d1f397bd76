import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { got, type Got, type HandlerFunction, type Request, type RequestError, type RequestFunction } from 'got'
import { expectAnswer } from './one-answer.js'
import { IDLE_CONNECTION_MS, loggable, MAX_CONNECTIONS, type ClosableTransport, type HttpRequest, type TransportResult } from './transport.js'

/** A transport over got: nothing is retried, redirects are not followed, connections are kept alive. */
export const makeGotTransport = (): ClosableTransport => {
  // An agent's `timeout` ends connections that idle; a call under way has got's deadline alone.
  const connections = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS }
  const agent = { http: new http.Agent(connections), https: new https.Agent(connections) }
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    throwHttpErrors: false,
    followRedirect: false,
    // No compression is asked for, so none is undone: answers are small, and what is read is what came over the wire.
    decompress: false,
    handlers: [withoutCacheOptions],
    request: requestWithWhatIsSet,
  })
  let closed = false

  return {
    send: async (request) =>
      closed
        ? { _tag: 'NotSent', cause: new Error('The transport is closed') }
        : new Promise((resolve) => streamOnce(client, request, resolve)),
    close: async () => {
      closed = true
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}

/**
 * Leaves out the options of a cache, of which there is none. Node.js's options begin as a copy of these, and to add some thirty
 * properties to a copy that is not empty takes V8 50 µs.
 */
const withoutCacheOptions: HandlerFunction = (options, next) => {
  options.cacheOptions = {}
  return next(options)
}

/** Leaves out the options that are undefined, which most of thirty are: Node.js copies each of them three times. */
const requestWithWhatIsSet: RequestFunction = (url, options, callback) => {
  const isSet = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return (url.protocol === 'https:' ? https : http).request(url, isSet, callback)
}

/** Makes one call. It is got's stream, since the promise it makes of one costs a third more processor time. */
const streamOnce = (client: Got, request: HttpRequest, tell: (result: TransportResult) => void): void => {
  const { method, origin, path, headers, body } = request
  const call = client.stream(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) })
  const answer = expectAnswer(request, { mayBeSent: (code) => mayBeSent(call, origin, code), abort: () => call.destroy() }, tell)
  call.on('response', ({ statusCode, headers: received }: IncomingMessage) => answer.begin(statusCode ?? 0, received))
  call.on('data', answer.data)
  call.on('end', answer.end)
  call.on('error', (error: RequestError) => answer.fail(loggable(error), error.code))
}

/** Codes that speak of connecting alone, so that the request cannot have been written whatever else is known. */
const NEVER_CONNECTED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Whether there was a connection to write to. Over TLS there is none before the certificate has been accepted. */
const mayBeSent = ({ reusedSocket, timings }: Request, origin: HttpRequest['origin'], code?: string): boolean => {
  if (NEVER_CONNECTED.has(code)) return false
  return reusedSocket === true || (origin.startsWith('https:') ? timings?.secureConnect : timings?.connect) !== undefined
}
