import { buildConnector, Client, type Dispatcher } from 'undici'
import { makeConnectionPool } from '../http-client/connection-pool.js'
import { skippingInterim } from '../http-client/interim-answers.js'
import { callOver, type DownloadEvents, downloadOver, endingStream } from './pooled-calls.js'
import {
  type ClosableTransport, type DownloadRequest, type HttpRequest, IDLE_CONNECTION_MS, KEPT_SHORTLY, loggable, MAX_CONNECTIONS,
  MAX_DOWNLOADS, MAX_UPLOADS,
  readResponse, TOO_LATE,
  type TransportOptions, type TransportResult,
} from './transport.js'

/** A transport over undici, for a fifth of got's processor time: nothing is retried, redirects are not followed. */
export const makeUndiciTransport = (options: TransportOptions = {}): ClosableTransport => {
  const { connections = MAX_CONNECTIONS, ca } = options
  // One for all connections, because it keeps the TLS sessions.
  const connect = skippingInterim(buildConnector({ allowH2: false, ...(ca !== undefined && { ca }) }))
  const open = (origin: string): Client => new Client(origin, {
    connect,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // One timer covers the whole call.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const shut = (client: Client): Promise<void> => client.destroy()
  const pool = makeConnectionPool({ open, shut, max: connections, ...KEPT_SHORTLY })
  const downloads = makeConnectionPool({ open, shut, max: MAX_DOWNLOADS, ...KEPT_SHORTLY })
  const uploads = makeConnectionPool({ open, shut, max: MAX_UPLOADS, ...KEPT_SHORTLY })
  const http1 = callOver(pool, dispatchOnce)
  return {
    send: http1,
    download: downloadOver(downloads, downloadOnce),
    upload: callOver(uploads, dispatchOnce),
    close: async () => {
      await Promise.all([pool.close(), downloads.close(), uploads.close()])
    },
  }
}

/** Starts one download; undici reads no more from the connection than the reader of the body can accept. */
const downloadOnce = (client: Client, { path, headers }: DownloadRequest, on: DownloadEvents): (() => void) => {
  const controller = new AbortController()
  const failed = (error: unknown): void => on.failed(loggable(error))
  client.request({ method: 'GET', path, headers, signal: controller.signal }).then(({ statusCode, headers: received, body }) => {
    body.on('error', failed)
    on.opened(statusCode, received, body)
  }, failed)
  return () => controller.abort()
}

/**
 * Dispatches one call.
 *
 * undici announces a request (`onRequestStart`) when it is about to write it to an open connection, including TLS. So a call that fails before that was not sent, and a
 * call that fails after it may have been.
 */
const dispatchOnce = (client: Client, request: HttpRequest, onResult: (result: TransportResult) => void): void => {
  const { method, path, headers, body, stream } = request
  let controller: Dispatcher.DispatchController | undefined
  const answer = readResponse(
    request, { mayBeSent: () => controller !== undefined, abort: (cause) => controller?.abort(cause) }, endingStream(request, onResult),
  )
  stream?.once('end', answer.sent)

  client.dispatch({ method, path, headers, body: stream ?? body ?? null }, {
    onRequestStart: (started) => {
      // If a call failed while it was connecting, it must not be written, and no call is written a second time.
      if (answer.hasResult() || controller !== undefined) return started.abort(new Error('The call has failed already'))
      // This process may have slept while the call was connecting.
      if (request.mayBegin?.() === false) {
        const late = new Error(TOO_LATE)
        answer.fail(late)
        return started.abort(late)
      }
      controller = started
      answer.written()
    },
    onResponseStart: (_, status, received) => {
      if (status >= 200) answer.begin(status, received)
    },
    onResponseData: (_, chunk) => answer.data(chunk),
    onResponseEnd: answer.end,
    onResponseError: (_, error) => answer.fail(loggable(error)),
  })
}
