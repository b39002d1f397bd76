import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** A driver's connection and where it keeps its socket: mysql2 at hand, `pg` one deeper; SQLite has none. */
export type Speaking = Partial<Pick<EventEmitter, 'on' | 'listenerCount'>> & {
  readonly stream?: Socket
  readonly connection?: { readonly stream: Socket }
}

/**
 * Ends a connection on which nothing has come or gone for so many milliseconds.
 *
 * A server that vanished without a farewell, as in a failover, would otherwise keep whoever asked it, and a place in the
 * pool, until the operating system gives up after a quarter of an hour. Idle ones leave the pool earlier by themselves.
 */
export const endWhenSilent = (connection: Speaking, silentMs: number): void => {
  const socket = connection.stream ?? connection.connection?.stream
  socket?.setTimeout(silentMs, () => { socket.destroy() })
  // knex stops listening to a connection of mysql2 that it closes; what is heard of it afterwards would end the process.
  socket?.prependListener('error', () => { if (connection.listenerCount?.('error') === 0) connection.on?.('error', () => undefined) })
}
