import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** Where a driver's connection has its socket: mysql2 in `stream`, `pg` in `connection.stream`; SQLite has none. */
export type DriverConnection = Partial<Pick<EventEmitter, 'on' | 'listenerCount'>> & {
  readonly stream?: Socket
  readonly connection?: { readonly stream: Socket }
}

/** The socket of a driver's connection; `undefined` for SQLite. */
export const socketOf = (connection: DriverConnection): Socket | undefined => connection.stream ?? connection.connection?.stream

/**
 * Destroys a connection's socket after a time in which no byte was sent or received.
 *
 * A server may disappear without closing its connections, as in a failover. Without this timeout a caller would wait about 15 minutes, until the
 * operating system closes the connection, and the connection would occupy the pool. The pool closes idle connections earlier.
 */
export const setSocketTimeout = (connection: DriverConnection, timeoutMs: number): void => {
  const socket = socketOf(connection)
  socket?.setTimeout(timeoutMs, () => { socket.destroy() })
  ignoreLateErrors(connection)
}

/** Knex removes its listeners from a mysql2 connection that it closes. Without a listener, a later error would end the process. */
export const ignoreLateErrors = (connection: DriverConnection): void => {
  socketOf(connection)?.prependListener('error', () => { if (connection.listenerCount?.('error') === 0) connection.on?.('error', () => undefined) })
}
