import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { got, RequestError } from 'got'
import {
  IDLE_CONNECTION_MS, loggable, MAX_ANSWER_BYTES, MAX_CONNECTIONS,
  type ClosableTransport, type HttpRequest,
} from './transport.js'

/** A transport over got: nothing is retried, redirects are not followed, connections are kept alive. */
export const makeGotTransport = (): ClosableTransport => {
  // An agent's `timeout` ends connections that idle; a call under way has got's deadline alone.
  const connections = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS }
  const agent = { http: new HttpAgent(connections), https: new HttpsAgent(connections) }
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    throwHttpErrors: false,
    followRedirect: false,
    // No compression is asked for, so none is undone: answers are small, and what is read is what came over the wire.
    decompress: false,
  })
  let closed = false

  return {
    send: async ({ method, origin, path, headers, body, timeoutMs }) => {
      if (closed) return { _tag: 'NotSent', cause: new Error('The transport is closed') }
      const call = client(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) })
      let reason: string | undefined
      const giveUp = (why: string): void => {
        reason = why
        call.cancel()
      }
      // Not got's own timeout, which waits for ever where an answer switches protocols; cancelling always ends the call.
      const deadline = setTimeout(giveUp, timeoutMs, `No whole answer within ${timeoutMs} ms`)
      void call.on('downloadProgress', ({ transferred, total }) => {
        if (Math.max(transferred, total ?? 0) > MAX_ANSWER_BYTES) giveUp(`The answer is longer than ${MAX_ANSWER_BYTES} bytes`)
      })
      try {
        const response = await call
        return { _tag: 'Answered', status: response.statusCode, headers: response.headers, body: response.rawBody.toString('utf8') }
      } catch (thrown) {
        const cause = reason === undefined ? loggable(thrown) : new Error(reason)
        return { _tag: mayBeSent(thrown, origin) ? 'Lost' : 'NotSent', cause }
      } finally {
        clearTimeout(deadline)
      }
    },
    close: async () => {
      closed = true
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}

/** Codes that speak of connecting alone, so that the request cannot have been written whatever else is known. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Whether there was a connection to write to. Over TLS there is none before the certificate has been accepted. */
const mayBeSent = (thrown: unknown, origin: HttpRequest['origin']): boolean => {
  if (!(thrown instanceof RequestError)) return true
  if (NEVER_CONNECTED.has(thrown.code)) return false
  const { request, timings } = thrown
  return request?.reusedSocket === true || (origin.startsWith('https:') ? timings?.secureConnect : timings?.connect) !== undefined
}
