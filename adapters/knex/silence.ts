import type { Socket } from 'node:net'

/** Where a driver's connection keeps its socket: mysql2 at hand, `pg` one deeper; SQLite has none. */
export type Speaking = { readonly stream?: Socket; readonly connection?: { readonly stream: Socket } }

/**
 * Ends a connection on which nothing has come or gone for so many milliseconds.
 *
 * A server that vanished without a farewell, as in a failover, would otherwise keep whoever asked it, and a place in the
 * pool, until the operating system gives up after a quarter of an hour. Idle ones leave the pool earlier by themselves.
 */
export const endWhenSilent = ({ stream, connection }: Speaking, silentMs: number): void => {
  const socket = stream ?? connection?.stream
  socket?.setTimeout(silentMs, () => {
    socket.destroy(Object.assign(new Error('the database fell silent'), { code: 'ETIMEDOUT' }))
  })
}
