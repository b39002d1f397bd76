/**
 * The transport over undici, an optional package, which costs a fifth of got's processor time.
 *
 * @packageDocumentation
 */
import { Agent, type Dispatcher } from 'undici'
import { expectAnswer } from './one-answer.js'
import { IDLE_CONNECTION_MS, loggable, MAX_CONNECTIONS, type ClosableTransport, type HttpRequest, type TransportResult } from './transport.js'

/** A transport over undici's pool, for a fifth of the processor time: nothing is retried, redirects are not followed. */
export const makeUndiciTransport = (options: UndiciOptions = {}): ClosableTransport => {
  const agent = new Agent({
    connections: options.connections ?? MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // What the server itself promises may be longer, but not for ever: its promise is not always kept by what stands before it.
    keepAliveMaxTimeout: 30_000,
    // One timer a call covers the whole of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    send: (request) => new Promise((resolve) => dispatchOnce(agent, request, resolve)),
    close: () => agent.destroy(),
  }
}

/** How the pool is laid out. */
export type UndiciOptions = {
  /** How many connections to one server at most; 512 where nothing is said. */
  readonly connections?: number
}

/**
 * Dispatches one call.
 *
 * undici announces a request (`onRequestStart`) when it is about to write it to a connection that is up, TLS included. So
 * whatever fails before that was not sent, and whatever fails after it may have been.
 */
const dispatchOnce = (agent: Agent, request: HttpRequest, tell: (result: TransportResult) => void): void => {
  const { method, origin, path, headers, body } = request
  let controller: Dispatcher.DispatchController | undefined
  const answer = expectAnswer(request, { mayBeSent: () => controller !== undefined, abort: (cause) => controller?.abort(cause) }, tell)

  agent.dispatch({ method, origin, path, headers, body: body ?? null }, {
    onRequestStart: (started) => {
      // A call that was given up while it waited is not sent after all, and none is written a second time.
      if (answer.isTold() || controller !== undefined) return started.abort(new Error('Given up'))
      controller = started
    },
    onResponseStart: (_, status, received) => {
      if (status >= 200) answer.begin(status, received)
    },
    onResponseData: (_, chunk) => answer.data(chunk),
    onResponseEnd: answer.end,
    onResponseError: (_, error) => answer.fail(loggable(error)),
  })
}
