import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { EndpointAddress } from './endpoint-address.js'
import { codeOf } from './failed-call.js'

/** A request to an endpoint. */
export type EndpointRequest = {
  readonly address: EndpointAddress
  readonly agent: http.Agent
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** What came of a request. */
export type EndpointAnswer = Answered | Unanswered

/** The endpoint answered; `beginning` is what was read of its answer. */
export type Answered = { readonly _tag: 'Answered'; readonly status: number; readonly retryAfter: string | undefined; readonly beginning: Buffer }

/** No answer came; `error` says why. `isUntried`: it was not called, because others had all connections. */
export type Unanswered = { readonly _tag: 'Unanswered'; readonly error: unknown; readonly isStale?: boolean; readonly isUntried?: boolean }

/** How much of an answer is read, in bytes. */
export const MAX_ANSWER_BYTES = 8 * 1024

/**
 * Posts to an endpoint and reads the beginning of its answer, until `signal` is aborted; it never rejects.
 *
 * A server may close a connection while it waits for the next request. A request that meets this gets no answer, so it is sent again.
 */
export const callEndpoint = async (request: EndpointRequest, signal: AbortSignal): Promise<EndpointAnswer> => {
  for (;;) {
    const answer = await callOnce(request, signal)
    if (answer._tag === 'Answered' || answer.isStale !== true || signal.aborted) return answer
  }
}

const callOnce = ({ address: { scheme, host, port, path, serverName }, agent, headers, body }: EndpointRequest, signal: AbortSignal): Promise<EndpointAnswer> =>
  new Promise((resolve) => {
    const options = { method: 'POST', agent, headers, protocol: scheme, hostname: host, port, path }
    const request = scheme === 'https:' ? https.request({ ...options, servername: serverName }) : http.request(options)
    let responded = false
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', abort)
      if (!responded) resolve({ _tag: 'Unanswered', error, isStale: request.reusedSocket && STALE.has(codeOf(error)) })
    }
    const abort = (): void => {
      request.destroy(signal.reason as Error)
      fail(signal.reason)
    }
    signal.addEventListener('abort', abort)
    request.on('response', (response) => {
      responded = true
      void readBeginning(response).then((beginning) => {
        signal.removeEventListener('abort', abort)
        resolve({ _tag: 'Answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], beginning })
      })
    })
    request.on('error', (error) => fail(error))
    request.on('close', () => fail(new Error('closed without an answer')))
    request.end(body)
  })

/** Reads until the end, the bound or the loss of the connection, whichever comes first. */
const readBeginning = (response: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_ANSWER_BYTES) response.destroy()
    })
    response.on('error', () => undefined)
    response.on('close', () => resolve(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)))
  })

const STALE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE'])
