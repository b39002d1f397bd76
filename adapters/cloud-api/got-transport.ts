import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import got, { type Got, type HandlerFunction, type Request, type RequestError, type RequestFunction } from 'got'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { makeConnectionPool } from '../http-client/connection-pool.js'
import { callOver, type DownloadEvents, downloadOver, endingStream } from './pooled-calls.js'
import {
  type ClosableTransport, type DownloadRequest, type HttpRequest, IDLE_CONNECTION_MS, KEPT_SHORTLY, loggable, MAX_CONNECTIONS,
  MAX_DOWNLOADS, MAX_UPLOADS,
  readResponse, TOO_LATE,
  type TransportOptions, type TransportResult,
} from './transport.js'

/** A transport over got: nothing is retried, redirects are not followed, connections are kept alive. */
export const makeGotTransport = (options: TransportOptions = {}): ClosableTransport => {
  const { connections = MAX_CONNECTIONS, ca } = options
  const client = got.extend({
    retry: { limit: 0 },
    throwHttpErrors: false,
    followRedirect: false,
    // Compression is neither requested nor decoded: answers are small, and the bytes that are read are the bytes on the wire.
    decompress: false,
    handlers: [withoutCacheOptions],
    request: requestWithWhatIsSet,
  })
  const pool = makeConnectionPool({ open: agentOpener(ca), shut: shutAgent, max: connections, ...KEPT_SHORTLY })
  const downloads = makeConnectionPool({ open: agentOpener(ca), shut: shutAgent, max: MAX_DOWNLOADS, ...KEPT_SHORTLY })
  const uploads = makeConnectionPool({ open: agentOpener(ca), shut: shutAgent, max: MAX_UPLOADS, ...KEPT_SHORTLY })
  const http1 = callOver(pool, (agent, request, onResult) => streamOnce(client, agent, request, onResult))
  return {
    send: http1,
    upload: callOver(uploads, (agent, request, onResult) => streamOnce(client, agent, request, onResult)),
    download: downloadOver(downloads, (agent, request, on) => downloadOnce(client, agent, request, on)),
    close: async () => {
      await Promise.all([pool.close(), downloads.close(), uploads.close()])
    },
  }
}

/** Node.js's agent of one connection, in the form that got expects. */
type ConnectionAgent = { readonly http: http.Agent } | { readonly https: https.Agent }

/**
 * A connection that is silent for a minute is probed by TCP, as in undici. Node.js would probe each second, and would close the connection after ten lost probes. A
 * send that waits for the platform would then have an unknown outcome.
 */
const PROBE_MS = MINUTE_MS

const ONE_CONNECTION = { keepAlive: true, keepAliveMsecs: PROBE_MS, maxSockets: 1, timeout: IDLE_CONNECTION_MS }

/** Opens agents of one connection each, which share their TLS sessions. */
const agentOpener = (ca: string | undefined): ((origin: string) => ConnectionAgent) => {
  const options = { ...ONE_CONNECTION, ...(ca !== undefined && { ca }) }
  const sessions = new https.Agent(options)
  return (origin) => {
    if (!origin.startsWith('https:')) return { http: new http.Agent(ONE_CONNECTION) }
    const agent = new https.Agent(options)
    agent.createConnection = sessions.createConnection.bind(sessions)
    return { https: agent }
  }
}

const shutAgent = (agent: ConnectionAgent): void => ('http' in agent ? agent.http : agent.https).destroy()

/**
 * Leaves out the options of a cache, because there is none. got copies them before it adds about thirty options of Node.js, and V8 takes 50 µs to add those to a copy
 * that is not empty.
 */
const withoutCacheOptions: HandlerFunction = (options, next) => {
  options.cacheOptions = {}
  return next(options)
}

/** Leaves out undefined options, which are the majority: Node.js copies each of them three times. */
const requestWithWhatIsSet: RequestFunction = (url, options, callback) => {
  const isSet = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return (url.protocol === 'https:' ? https : http).request(url, isSet, callback)
}

/** Makes one call, with got's stream interface: its promise interface costs a third more processor time. */
const streamOnce = (client: Got, agent: ConnectionAgent, request: HttpRequest, onResult: (result: TransportResult) => void): void => {
  const { method, origin, path, headers, body, stream, mayBegin } = request
  if (mayBegin?.() === false) return onResult({ _tag: 'NotSent', cause: new Error(TOO_LATE) })
  const call = client.stream(`${origin}${path}`, {
    agent, method, headers, ...(body !== undefined && { body }), ...(stream && { body: stream }),
  })
  const answer = readResponse(
    request, { mayBeSent: (code) => mayBeSent(call, origin, code), abort: () => call.destroy() }, endingStream(request, (result) => {
      // If the answer arrived before the whole body was written, the connection cannot be used again.
      if (stream?.readableEnded === false) call.destroy()
      onResult(result)
    }),
  )
  stream?.once('end', answer.sent)
  call.on('request', (sent: ClientRequest) => sent.once('socket', (socket: Socket) => whenConnected(sent, socket, answer.written)))
  call.on('response', ({ statusCode, headers: received }: IncomingMessage) => answer.begin(statusCode ?? 0, received))
  call.on('data', answer.data)
  call.on('end', answer.end)
  call.on('error', (error: RequestError) => answer.fail(loggable(error), error.code))
}

/** Starts one download. Errors of got contain the request with the access token, so only their code and message are passed on. */
const downloadOnce = (
  client: Got, agent: ConnectionAgent, { origin, path, headers }: DownloadRequest, on: DownloadEvents,
): (() => void) => {
  const call = client.stream(`${origin}${path}`, { agent, method: 'GET', headers })
  call.on('error', (error: RequestError) => on.failed(loggable(error)))
  call.on('response', ({ statusCode, headers: received }: IncomingMessage) => on.opened(statusCode ?? 0, received, call))
  return () => void call.destroy()
}

/** Calls back once a request can be written: over TLS after the handshake. */
const whenConnected = ({ reusedSocket }: ClientRequest, socket: Socket, onConnected: () => void): void => {
  if (reusedSocket) onConnected()
  else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', onConnected)
}

/** Codes that occur only while connecting, before anything is written. */
const NEVER_CONNECTED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Whether there was a connection to write to. Over TLS there is none before the certificate was accepted. */
const mayBeSent = ({ reusedSocket, timings }: Request, origin: HttpRequest['origin'], code?: string): boolean => {
  if (NEVER_CONNECTED.has(code)) return false
  return reusedSocket === true || (origin.startsWith('https:') ? timings?.secureConnect : timings?.connect) !== undefined
}
