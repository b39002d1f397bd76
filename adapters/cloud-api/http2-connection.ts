import { validateHeaderName, validateHeaderValue } from 'node:http'
import { connect as connectHttp2, constants, sensitiveHeaders, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { startDeadline, type Deadline } from './deadline.js'
import { IDLE_CONNECTION_MS, loggable, type HttpRequest } from './transport.js'

/** A connection that carries many calls at once. */
export type Http2Connection = {
  /** How many more calls it can carry now; never more than the server allows, so that no call waits inside of it. */
  readonly room: () => number
  /** How many calls it carries at most. */
  readonly streams: () => number
  /** Starts a call. Throws where nothing was written. */
  readonly start: (request: HttpRequest) => ClientHttp2Stream
  /**
   * Whether a call may have reached the application behind the server. `false` is certain: its stream was never numbered, is above the last
   * one that the server's GOAWAY names, or was refused by the server (RFC 9113, sections 6.8 and 8.7).
   */
  readonly mayHaveArrived: (stream: ClientHttp2Stream) => boolean
}

/** What becomes of a connection: first `opened`, `spokeHttp1` or `failed`; after `opened` any number of `changed`, then perhaps `retired`, and at last `closed`. */
export type ConnectionEvents = {
  readonly opened: (connection: Http2Connection) => void
  /** The server chose HTTP/1.1; the connection is closed. */
  readonly spokeHttp1: () => void
  readonly failed: (cause: Error) => void
  /** There may be more room. */
  readonly changed: (connection: Http2Connection) => void
  /** It gets no further calls; those under way go on. */
  readonly retired: (connection: Http2Connection) => void
  readonly closed: (connection: Http2Connection) => void
}

/** Where to connect to, and how to notice that a connection is dead. */
export type ConnectionOptions = {
  readonly origin: string
  readonly ca: string | undefined
  /** How long connecting may take, until the server has said how many calls it takes. */
  readonly timeoutMs: number
  /** How often a connection that carries calls is asked whether it lives. */
  readonly pingEveryMs: number
  /** How long the reply to that may take. */
  readonly pingTimeoutMs: number
}

/** The most calls on one connection: what is lost with it at most. */
export const MAX_STREAMS = 100

/** How long a reply to a ping may take before the connection gets no further calls, in milliseconds. */
const SLOW_PING_MS = 1_000

/** Connects over TLS and offers HTTP/2 and HTTP/1.1. Returns how to close the connection at once, which resolves when it is closed. */
export const openHttp2Connection = (options: ConnectionOptions, on: ConnectionEvents): (() => Promise<void>) => {
  const { origin, ca, timeoutMs } = options
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connectTls({
    host, port: port === '' ? 443 : Number(port), ALPNProtocols: ['h2', 'http/1.1'],
    ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }),
  })
  let isOpening = true
  const settle = (tell: () => void): void => {
    if (!isOpening) return
    isOpening = false
    deadline.clear()
    tell()
  }
  const fail = (cause: Error): void => settle(() => {
    on.failed(cause)
    socket.destroy()
  })
  const deadline = startDeadline(timeoutMs, () => fail(new Error(`No connection within ${timeoutMs} ms`)))
  socket.on('error', (error) => fail(loggable(error)))
  socket.on('close', () => fail(new Error('The connection was closed before it could be used')))
  socket.once('secureConnect', () => {
    if (!isOpening) return
    if (socket.alpnProtocol === 'h2') return carryCalls(socket, options, { settle, fail }, on)
    settle(on.spokeHttp1)
    socket.destroy()
  })
  return () => new Promise((resolve) => {
    if (socket.closed) return resolve()
    socket.once('close', () => resolve())
    fail(new Error('The transport is closed'))
    socket.destroy()
  })
}

type Opening = { readonly settle: (tell: () => void) => void; readonly fail: (cause: Error) => void }

const carryCalls = (socket: TLSSocket, options: ConnectionOptions, { settle, fail }: Opening, on: ConnectionEvents): void => {
  const session = connectHttp2(options.origin, { createConnection: () => socket, settings: { enablePush: false } })
  let active = 0
  let idleSince = performance.now()
  let goaway: { readonly code: number; readonly lastStream: number } | undefined
  const pings = pinger(session, options, () => on.changed(connection))

  const streams = (): number => Math.min(session.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS, MAX_STREAMS)
  const connection: Http2Connection = {
    room: () => (session.closed || session.destroyed || pings.isLate() ? 0 : Math.max(0, streams() - active)),
    streams,
    start: (request) => {
      const stream = session.request(headersOf(request), { endStream: request.body === undefined })
      if (active === 0) session.ref()
      active += 1
      stream.once('close', () => {
        if (active === 1) session.unref()
        active -= 1
        idleSince = performance.now()
        if (active > 0 || !session.closed) return on.changed(connection)
        // Node.js would wait for the server to close the connection too.
        setImmediate(() => socket.destroy())
      })
      if (request.body !== undefined) stream.end(request.body)
      return stream
    },
    mayHaveArrived: ({ id, rstCode }) => {
      if (id === undefined || (goaway !== undefined && id > goaway.lastStream)) return false
      // After a GOAWAY every stream has the code of the connection's error, so this code says nothing of one stream then.
      return rstCode !== constants.NGHTTP2_REFUSED_STREAM || goaway?.code === constants.NGHTTP2_REFUSED_STREAM
    },
  }

  const watch = setInterval(() => {
    if (active > 0) pings.ping()
    else if (performance.now() - idleSince >= IDLE_CONNECTION_MS) session.destroy()
  }, options.pingEveryMs).unref()

  session.on('remoteSettings', () => {
    settle(() => {
      session.unref()
      on.opened(connection)
    })
    on.changed(connection)
  })
  session.on('goaway', (code: number, lastStream: number) => {
    goaway = { code, lastStream }
    if (active === 0) setImmediate(() => socket.destroy())
    // Node.js closes the session only after this event.
    queueMicrotask(() => on.retired(connection))
  })
  session.on('error', (error: Error) => fail(loggable(error)))
  session.once('close', () => {
    clearInterval(watch)
    pings.stop()
    fail(new Error('The connection was closed before it could be used'))
    on.closed(connection)
  })
}

/** Ends a connection on which a ping has no reply. The reply is read before the deadline is over, also where this process was busy. */
const pinger = (session: ClientHttp2Session, { pingTimeoutMs }: ConnectionOptions, onReply: () => void) => {
  let since: number | undefined
  let deadline: Deadline | undefined
  const stop = (): void => {
    since = undefined
    deadline?.clear()
  }
  return {
    stop,
    isLate: () => since !== undefined && performance.now() - since > Math.min(SLOW_PING_MS, pingTimeoutMs),
    ping: () => {
      if (since !== undefined || session.destroyed) return
      since = performance.now()
      deadline = startDeadline(pingTimeoutMs, () => session.destroy(new Error(`No reply to a ping within ${pingTimeoutMs} ms`)))
      session.ping((error) => {
        stop()
        if (error === null) onReply()
      })
    },
  }
}

/** Node.js ends the whole session where the name of a header is wrong, so names and values are checked before. */
const headersOf = ({ method, origin, path, headers, body }: HttpRequest) => {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  return {
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ':method': method, ':scheme': 'https', ':authority': new URL(origin).host, ':path': path,
    // Tokens differ from sender to sender, and stay out of the table that compresses headers.
    [sensitiveHeaders]: ['authorization'],
  }
}
