import { CONNECTION_REST_MS, IDLE_CONNECTION_MS, loggable, type HttpRequest, type Transport, type TransportResult } from './transport.js'

/** Connections to servers, each of which carries one call at a time. */
export type ConnectionPool<Connection> = {
  /** A connection that no other call uses; `undefined` where the pool is closed or `max` connections are in use. */
  readonly acquire: (origin: string) => Lease<Connection> | undefined
  /** Closes every connection, those in use too. */
  readonly close: () => Promise<void>
}

/** The use of a connection by one call. */
export type Lease<Connection> = {
  readonly connection: Connection
  /** Gives the connection back; one that cannot be used again is closed. */
  readonly release: (reusable: boolean) => void
}

/** How a client library opens and closes a connection, and how many may be in use at once. */
export type PoolOptions<Connection> = {
  /** Prepares a connection; the library connects when the first call uses it, and again where the server has closed it. */
  readonly open: (origin: string) => Connection
  readonly shut: (connection: Connection) => unknown
  readonly max: number
}

type Unused<Connection> = { readonly origin: string; readonly connection: Connection; readonly since: number }

/**
 * Makes an empty pool. A connection is used again only after `CONNECTION_REST_MS`.
 *
 * A server may close a connection right after an answer without having said so. A request that is written before the client
 * has seen this gets no answer, and its outcome is unknown. During the rest the client sees that the connection is closed.
 */
export const makeConnectionPool = <Connection>({ open, shut, max }: PoolOptions<Connection>): ConnectionPool<Connection> => {
  const inUse = new Set<Connection>()
  const idle = new Map<string, Unused<Connection>[]>()
  let resting: Unused<Connection>[] = []
  let restTimer: NodeJS.Timeout | undefined
  let closed = false

  const sweeper = setInterval(() => {
    const oldest = performance.now() - IDLE_CONNECTION_MS
    for (const unused of idle.values()) {
      const fresh = unused.findIndex(({ since }) => since > oldest)
      for (const { connection } of unused.splice(0, fresh === -1 ? unused.length : fresh)) shut(connection)
    }
  }, IDLE_CONNECTION_MS / 2).unref()

  /** Between the timer and the immediate Node.js reads its sockets, so a connection that was closed during the rest is known to be. */
  const waitForRest = (delayMs: number): void => {
    restTimer = setTimeout(() => setImmediate(endRest, performance.now()), delayMs).unref()
  }

  const endRest = (now: number): void => {
    const tired = resting.findIndex(({ since }) => since + CONNECTION_REST_MS > now + TIMER_PRECISION_MS)
    for (const rested of resting.splice(0, tired === -1 ? resting.length : tired)) {
      const unused = idle.get(rested.origin)
      if (unused === undefined) idle.set(rested.origin, [rested])
      else unused.push(rested)
    }
    const [next] = resting
    restTimer = undefined
    if (next !== undefined) waitForRest(Math.max(1, next.since + CONNECTION_REST_MS - performance.now()))
  }

  const release = (origin: string, connection: Connection, reusable: boolean): void => {
    if (!inUse.delete(connection)) return
    if (!reusable) return void shut(connection)
    resting.push({ origin, connection, since: performance.now() })
    if (restTimer === undefined) waitForRest(CONNECTION_REST_MS)
  }

  return {
    acquire: (origin) => {
      if (closed || inUse.size >= max) return undefined
      const last = idle.get(origin)?.pop()
      const isFresh = last !== undefined && last.since + IDLE_CONNECTION_MS > performance.now()
      if (last !== undefined && !isFresh) shut(last.connection)
      const connection = isFresh ? last.connection : open(origin)
      inUse.add(connection)
      return { connection, release: (reusable) => release(origin, connection, reusable) }
    },
    close: async () => {
      closed = true
      clearInterval(sweeper)
      clearTimeout(restTimer)
      const unused = [...resting, ...[...idle.values()].flat()].map(({ connection }) => connection)
      resting = []
      idle.clear()
      await Promise.all([...inUse, ...unused].map(shut))
    },
  }
}

/** Node.js's timers may fire this much early by the precise clock. */
const TIMER_PRECISION_MS = 1

/** Makes one call over a connection that no other call uses, and reports its result once. */
export type CallOnce<Connection> = (connection: Connection, request: HttpRequest, onResult: (result: TransportResult) => void) => void

/** Makes each call over a connection of its own. A connection whose call failed is closed; the others are used again. */
export const callOver =
  <Connection>(pool: ConnectionPool<Connection>, call: CallOnce<Connection>): Transport =>
  (request) =>
    new Promise((resolve) => {
      try {
        const lease = pool.acquire(request.origin)
        if (lease === undefined) return resolve({ _tag: 'NotSent', cause: new Error('The transport is closed, or all its connections are in use') })
        call(lease.connection, request, (result) => {
          lease.release(result._tag === 'Answered')
          resolve(result)
        })
      } catch (thrown) {
        // Only an address that is none, or the like, throws: before anything is written.
        resolve({ _tag: 'NotSent', cause: loggable(thrown) })
      }
    })
