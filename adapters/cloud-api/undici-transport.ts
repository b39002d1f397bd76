/**
 * The transport over undici, an optional package, which costs a fifth of got's processor time.
 *
 * @packageDocumentation
 */
import { Agent, type Dispatcher } from 'undici'
import {
  IDLE_CONNECTION_MS, loggable, MAX_ANSWER_BYTES, MAX_CONNECTIONS,
  type Answered, type ClosableTransport, type HttpRequest, type TransportResult,
} from './transport.js'

/** A transport over undici's pool, for a fifth of the processor time: nothing is retried, redirects are not followed. */
export const makeUndiciTransport = (options: UndiciOptions = {}): ClosableTransport => {
  const agent = new Agent({
    connections: options.connections ?? MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // What the server itself promises may be longer, but not for ever: its promise is not always kept by what stands before it.
    keepAliveMaxTimeout: 30_000,
    // One timer a call, below, covers the whole of it.
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
 * Dispatches one call and tells its result exactly once.
 *
 * undici announces a request (`onRequestStart`) when it is about to write it to a connection that is up, TLS included. So
 * whatever fails before that was not sent, and whatever fails after it may have been.
 */
const dispatchOnce = (
  agent: Agent,
  { method, origin, path, headers, body, timeoutMs }: HttpRequest,
  tell: (result: TransportResult) => void,
): void => {
  let controller: Dispatcher.DispatchController | undefined
  let head: Pick<Answered, 'status' | 'headers'> | undefined
  let told = false
  const chunks: Buffer[] = []
  let size = 0

  const end = (result: TransportResult): void => {
    if (told) return
    told = true
    clearTimeout(deadline)
    tell(result)
  }
  const fail = (cause: Error): void => end({ _tag: controller === undefined ? 'NotSent' : 'Lost', cause })
  const giveUp = (reason: string): void => {
    const cause = new Error(reason)
    fail(cause)
    controller?.abort(cause)
  }
  const giveUpLength = (): void => giveUp(`The answer is longer than ${MAX_ANSWER_BYTES} bytes`)
  const deadline = setTimeout(giveUp, timeoutMs, `No whole answer within ${timeoutMs} ms`)

  agent.dispatch({ method, origin, path, headers, body: body ?? null }, {
    onRequestStart: (started) => {
      // A call that was given up while it waited is not sent after all, and none is written a second time.
      if (told || controller !== undefined) return started.abort(new Error('Given up'))
      controller = started
    },
    onResponseStart: (_, status, responseHeaders) => {
      if (status < 200) return
      if (Number(responseHeaders['content-length']) > MAX_ANSWER_BYTES) return giveUpLength()
      head = { status, headers: responseHeaders }
    },
    onResponseData: (_, chunk) => {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) return giveUpLength()
      chunks.push(chunk)
    },
    onResponseEnd: () => {
      if (head === undefined) fail(new Error('The answer ended before it began'))
      else end({ _tag: 'Answered', ...head, body: Buffer.concat(chunks, size).toString('utf8') })
    },
    onResponseError: (_, error) => fail(loggable(error)),
  })
}
