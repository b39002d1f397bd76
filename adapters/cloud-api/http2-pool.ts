import { startDeadline } from './deadline.js'
import { openHttp2Connection, type ConnectionOptions, type Http2Connection } from './http2-connection.js'

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
