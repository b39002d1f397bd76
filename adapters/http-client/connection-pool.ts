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
  /** Whether no call has used it before. */
  readonly isNew: boolean
  /** Gives the connection back; one that cannot be used again is closed. */
  readonly release: (reusable: boolean) => void
}

/** How a client library opens and closes a connection, and how long and how many are kept. */
export type PoolOptions<Connection> = {
  /** Prepares a connection; the library connects when the first call uses it, and again where the server has closed it. */
  readonly open: (origin: string) => Connection
  readonly shut: (connection: Connection) => unknown
  /** How many may be in use at once. */
  readonly max: number
  /** How many unused ones are kept; with one more, the oldest of the server that was used longest ago is closed. As many as there are where nothing is said. */
  readonly maxIdle?: number
  /** How long an unused connection is kept, in milliseconds. */
  readonly idleMs: number
  /** How long a connection is not used after an answer, in milliseconds: 0 where a call that met its end may be made again. */
  readonly restMs: number
}

type Unused<Connection> = { readonly origin: string; readonly connection: Connection; readonly since: number }

/**
 * Makes an empty pool. A connection is used again only after `restMs`.
 *
 * A server may close a connection right after an answer without having said so. A request that is written before the client
 * has seen this gets no answer, and its outcome is unknown. During the rest the client sees that the connection is closed.
 */
export const makeConnectionPool = <Connection>({
  open, shut, max, maxIdle = Infinity, idleMs, restMs,
}: PoolOptions<Connection>): ConnectionPool<Connection> => {
  const inUse = new Set<Connection>()
  /** By server, and the server whose connection was given back last at the end. */
  const idle = new Map<string, Unused<Connection>[]>()
  let [idling, resting, closed] = [0, [] as Unused<Connection>[], false]
  let restTimer: NodeJS.Timeout | undefined

  const sweeper = setInterval(() => {
    const oldest = performance.now() - idleMs
    for (const [origin, unused] of idle) {
      const fresh = unused.findIndex(({ since }) => since > oldest)
      drop(origin, unused, fresh === -1 ? unused.length : fresh)
    }
  }, idleMs / 2).unref()

  /** Closes the connections to a server that have been unused longest. */
  const drop = (origin: string, unused: Unused<Connection>[], count: number): void => {
    for (const { connection } of unused.splice(0, count)) shut(connection)
    idling -= count
    if (unused.length === 0) idle.delete(origin)
  }

  const keep = (rested: Unused<Connection>): void => {
    const unused = idle.get(rested.origin) ?? []
    unused.push(rested)
    idle.delete(rested.origin)
    idle.set(rested.origin, unused)
    idling += 1
    const [oldest] = idling > maxIdle ? idle : []
    if (oldest !== undefined) drop(...oldest, 1)
  }

  const takeLast = (origin: string): Unused<Connection> | undefined => {
    const unused = idle.get(origin)
    const last = unused?.pop()
    if (last !== undefined) idling -= 1
    if (unused?.length === 0) idle.delete(origin)
    return last
  }

  /** Between the timer and the immediate Node.js reads its sockets, so a connection that was closed during the rest is known to be. */
  const waitForRest = (delayMs: number): void => {
    restTimer = setTimeout(() => setImmediate(endRest, performance.now()), delayMs).unref()
  }

  const endRest = (now: number): void => {
    const tired = resting.findIndex(({ since }) => since + restMs > now + TIMER_PRECISION_MS)
    for (const rested of resting.splice(0, tired === -1 ? resting.length : tired)) keep(rested)
    const [next] = resting
    restTimer = undefined
    if (next !== undefined) waitForRest(Math.max(1, next.since + restMs - performance.now()))
  }

  const release = (origin: string, connection: Connection, reusable: boolean): void => {
    if (!inUse.delete(connection)) return
    if (!reusable) return void shut(connection)
    const unused = { origin, connection, since: performance.now() }
    if (restMs === 0) return keep(unused)
    resting.push(unused)
    if (restTimer === undefined) waitForRest(restMs)
  }

  return {
    acquire: (origin) => {
      if (closed || inUse.size >= max) return undefined
      const last = takeLast(origin)
      const isFresh = last !== undefined && last.since + idleMs > performance.now()
      if (last !== undefined && !isFresh) shut(last.connection)
      const connection = isFresh ? last.connection : open(origin)
      inUse.add(connection)
      return { connection, isNew: !isFresh, release: (reusable) => release(origin, connection, reusable) }
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
