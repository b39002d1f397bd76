import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants, sensitiveHeaders } from 'node:http2'
import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import {
  type Deadline, type HttpRequest, IDLE_CONNECTION_MS, loggable, MAX_CONNECTIONS, readResponse, startDeadline, type Transport, type TransportOptions,
  type TransportResult,
} from './transport.js'

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

/** HTTP/2 connections to servers, each of which carries many calls. */
export type Http2Pool = {
  /** Calls `start` once: with a connection that has room, which it must use at once, with word that the server speaks HTTP/1.1, or with why there is none. */
  readonly acquire: (origin: string, timeoutMs: number, start: (got: Acquired) => void) => void
  /** Closes every connection; calls that wait get an error. */
  readonly close: () => Promise<void>
}

export type Acquired = Http2Connection | 'http/1.1' | Error

/** How many connections there may be to one server, and how to open them. */
export type Http2PoolOptions = Omit<ConnectionOptions, 'origin' | 'timeoutMs'> & { readonly max: number }

/** How long a server that speaks HTTP/1.1 is not asked for HTTP/2 again, in milliseconds. */
const HTTP1_FOR_MS = 600_000

type Server = {
  readonly origin: string
  readonly open: Set<Http2Connection>
  /** How many connections are being opened. */
  opening: number
  /** In the order in which they came. */
  readonly waiting: Set<(got: Acquired) => void>
  /** How many calls a connection carried by what the server said last. */
  streams: number | undefined
  http1Until: number
}

/**
 * Makes an empty pool.
 *
 * A call that finds no room waits here, where nothing of it is written. For calls that wait, further connections are opened, as many as
 * they need by what the server has said that a connection carries; of a server that has not said anything yet, one.
 */
export const makeHttp2Pool = ({ max, ...options }: Http2PoolOptions): Http2Pool => {
  const servers = new Map<string, Server>()
  const closers = new Set<() => Promise<void>>()
  let closed = false

  const serve = (server: Server, timeoutMs: number): void => {
    for (const start of server.waiting) {
      const connection = connectionWithRoom(server)
      if (connection === undefined) break
      server.waiting.delete(start)
      start(connection)
    }
    while (!closed && server.waiting.size > coming(server) && mayOpen(server, max)) open(server, timeoutMs)
  }

  const open = (server: Server, timeoutMs: number): void => {
    const ended = (): void => {
      server.opening -= 1
    }
    server.opening += 1
    const close = openHttp2Connection({ ...options, origin: server.origin, timeoutMs }, {
      opened: (connection) => {
        ended()
        server.open.add(connection)
      },
      spokeHttp1: () => {
        ended()
        closers.delete(close)
        server.http1Until = performance.now() + HTTP1_FOR_MS
        startAll(server, server.waiting.size, 'http/1.1')
      },
      failed: (cause) => {
        ended()
        closers.delete(close)
        startAll(server, server.waiting.size - coming(server), cause)
      },
      changed: (connection) => {
        server.streams = connection.streams()
        serve(server, timeoutMs)
      },
      retired: (connection) => {
        if (server.open.delete(connection)) serve(server, timeoutMs)
      },
      closed: (connection) => {
        closers.delete(close)
        if (server.open.delete(connection)) serve(server, timeoutMs)
      },
    })
    closers.add(close)
  }

  return {
    acquire: (origin, timeoutMs, start) => {
      if (closed) return start(new Error('The transport is closed'))
      const server = servers.get(origin) ?? newServer(origin)
      servers.set(origin, server)
      if (performance.now() < server.http1Until) return start('http/1.1')
      const deadline = startDeadline(timeoutMs, () => {
        if (server.waiting.delete(waiting)) start(new Error(`No connection had room for the call within ${timeoutMs} ms`))
      })
      const waiting = (got: Acquired): void => {
        deadline.clear()
        start(got)
      }
      server.waiting.add(waiting)
      serve(server, timeoutMs)
    },
    close: async () => {
      closed = true
      for (const server of servers.values()) startAll(server, server.waiting.size, new Error('The transport is closed'))
      await Promise.all([...closers].map((close) => close()))
    },
  }
}

const newServer = (origin: string): Server =>
  ({ origin, open: new Set(), opening: 0, waiting: new Set(), streams: undefined, http1Until: -Infinity })

const connectionWithRoom = ({ open }: Server): Http2Connection | undefined => {
  for (const connection of open) if (connection.room() > 0) return connection
  return undefined
}

/** How many calls the connections that are being opened will carry. */
const coming = ({ opening, streams }: Server): number => (opening === 0 ? 0 : opening * Math.max(1, streams ?? Infinity))

/** A server that allows no calls at all is not sent more connections. */
const mayOpen = ({ open, opening, streams }: Server, max: number): boolean => open.size + opening < max && (streams !== 0 || open.size + opening === 0)

/** Takes so many calls that wait longest off the queue. */
const startAll = ({ waiting }: Server, count: number, got: Acquired): void => {
  for (const start of [...waiting].slice(0, Math.max(0, count))) {
    waiting.delete(start)
    start(got)
  }
}

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
