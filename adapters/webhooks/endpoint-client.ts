import { connect as openSocket } from 'node:net'
import type { buildConnector, Client } from 'undici'
import { type ConnectionPool, makeConnectionPool } from '../http-client/connection-pool.js'
import { skippingInterim } from '../http-client/interim-answers.js'
import { assertMayDial, type CheckedLookupDeps, type EndpointAddress, makeCheckedLookup, type Scheme } from './address.js'
import { codeOf } from './failures.js'

/** A request to an endpoint. */
export type EndpointRequest = {
  readonly address: EndpointAddress
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of a request. */
export type EndpointAnswer = Answered | Unanswered

/** The endpoint answered; `beginning` is the part of the answer that was read. */
export type Answered = {
  readonly _tag: 'Answered'
  readonly status: number
  readonly retryAfter: string | undefined
  readonly beginning: Buffer
}

/** No answer arrived; `error` gives the reason. `isUntried`: the endpoint was not called, because other calls used all connections. */
export type Unanswered = { readonly _tag: 'Unanswered'; readonly error: unknown; readonly isUntried?: boolean }

/** How connections are opened and kept. */
export type EndpointClientDeps = CheckedLookupDeps & {
  readonly maxInUse: number
  /** How many unused connections are kept for the next event. */
  readonly maxIdle: number
  /** Certificates, in PEM, of authorities to trust instead of those that come with Node.js. */
  readonly ca?: string | undefined
}

/** Calls endpoints at addresses that were checked. */
export type EndpointClient = {
  /**
   * Posts to an endpoint and reads the beginning of its answer, until `signal` is aborted; it never rejects.
   *
   * A server may close an idle connection just as a request is sent on it. Such a request gets no answer, so it is sent again.
   */
  readonly call: (request: EndpointRequest, signal: AbortSignal) => Promise<EndpointAnswer>
  /** Closes every connection, including those in use. */
  readonly close: () => void
}

/** How much of an answer is read, in bytes. */
export const MAX_ANSWER_BYTES = 8 * 1024

/** How long a connection is kept for the next event, in milliseconds. */
const IDLE_MS = 20_000

/** How long one of several addresses of a host may take to accept a connection before the next is tried, in milliseconds. */
const NEXT_ADDRESS_MS = 2_000

/** The error codes of a lost connection; undici has a code of its own. */
const LOST: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Creates a client with a pool of connections. undici is loaded with the first call, because it uses some 30 MB, and many gateways have no endpoints. */
export const makeEndpointClient = (deps: EndpointClientDeps): EndpointClient => {
  let pool: Promise<ConnectionPool<Client>> | undefined
  return {
    call: async (request, signal) => {
      const open = await (pool ??= openPool(deps))
      while (!signal.aborted) {
        const { isStale, answer } = await callOnce(open, request, signal)
        if (!isStale) return answer
      }
      return { _tag: 'Unanswered', error: signal.reason }
    },
    close: () => void pool?.then((open) => open.close(), () => undefined),
  }
}

const openPool = async ({ maxInUse, maxIdle, ca, ...lookup }: EndpointClientDeps): Promise<ConnectionPool<Client>> => {
  const undici = await import('undici')
  const connect = skippingInterim(makeCheckedConnector(
    lookup, undici.buildConnector({ allowH2: false, timeout: 0, rejectUnauthorized: true, ...(ca !== undefined && { ca }) }),
  ))
  return makeConnectionPool({
    open: (origin) => new undici.Client(origin, { connect, pipelining: 1, keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0 }),
    shut: (client) => client.destroy(),
    max: maxInUse, maxIdle, idleMs: IDLE_MS, restMs: 0,
  })
}

type Call = { readonly answer: EndpointAnswer; readonly isStale: boolean }

const callOnce = (pool: ConnectionPool<Client>, { address, headers, body }: EndpointRequest, signal: AbortSignal): Promise<Call> =>
  new Promise((resolve) => {
    const lease = pool.acquire(originOf(address))
    if (lease === undefined) {
      return resolve({ answer: { _tag: 'Unanswered', error: new Error('no connection was free'), isUntried: true }, isStale: false })
    }
    let head: Pick<Answered, 'status' | 'retryAfter'> | undefined
    let [length, isEnded] = [0, false]
    const chunks: Buffer[] = []

    /** Once a status has arrived, it counts as an answer, however its body ends. */
    const end = (isReusable: boolean, error?: unknown): void => {
      if (isEnded) return
      isEnded = true
      signal.removeEventListener('abort', abort)
      lease.release(isReusable)
      resolve(head === undefined
        ? { answer: { _tag: 'Unanswered', error }, isStale: !lease.isNew && LOST.has(codeOf(error)) }
        : { answer: { _tag: 'Answered', ...head, beginning: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES) }, isStale: false })
    }
    const abort = (): void => end(false, signal.reason)
    signal.addEventListener('abort', abort)
    lease.connection.dispatch({ method: 'POST', path: address.path, headers, body }, {
      onRequestStart: (controller) => {
        if (isEnded) controller.abort(new Error('The attempt has ended'))
      },
      onResponseStart: (_, status, { 'retry-after': retryAfter }) => {
        if (status >= 200) head = { status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter }
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > MAX_ANSWER_BYTES) end(false)
      },
      onResponseEnd: () => end(true),
      onResponseError: (_, error) => end(false, error),
    })
  })

const originOf = ({ scheme, host, port }: EndpointAddress): string => `${scheme}//${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`

/**
 * Connects to addresses that were checked, and checks the actual remote address of a connection before its first byte is written: before TLS begins, and before the
 * request.
 */
const makeCheckedConnector = (deps: CheckedLookupDeps, secure: buildConnector.connector): buildConnector.connector => {
  const lookups = { 'https:': makeCheckedLookup(deps, 'https:'), 'http:': makeCheckedLookup(deps, 'http:') }
  return (options, callback) => {
    const scheme: Scheme = options.protocol === 'https:' ? 'https:' : 'http:'
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
    const socket = openSocket({
      host, port: Number(options.port) || (scheme === 'https:' ? 443 : 80), lookup: lookups[scheme], noDelay: true,
      autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    })
    const failed = (error: Error): void => callback(error, null)
    socket.once('error', failed)
    socket.once('connect', () => {
      try {
        assertMayDial(deps.guard, socket.remoteAddress ?? '', scheme)
      } catch (error) {
        return void socket.destroy(error as Error)
      }
      socket.off('error', failed)
      if (scheme === 'http:') callback(null, socket)
      // The name that the certificate must be for does not end with the dot of the root.
      else secure({ ...options, servername: (options.servername ?? '').replace(/\.$/, ''), httpSocket: socket }, callback)
    })
  }
}
