import { connect, createServer, type Socket } from 'node:net'
import { listening } from './listening.js'

/** A TCP proxy to a server on this machine that can be shut. */
export type Gate = {
  readonly port: number
  /** Forwards from now on. */
  readonly open: () => void
  /** Ends every connection, and every new one at once. */
  readonly shut: () => void
  /** Keeps connections and forwards nothing, also on new ones. */
  readonly silence: () => void
} & AsyncDisposable

/** Starts a gate to a port; it is open. */
export const openGate = async (target: number): Promise<Gate> => {
  const sockets = new Set<Socket>()
  let mode: 'open' | 'shut' | 'silent' = 'open'
  const destroyAll = (): void => { for (const socket of sockets) socket.destroy() }
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = await listening(createServer((client) => {
    keep(client)
    if (mode === 'shut') return void client.destroy()
    const upstream = keep(connect(target, '127.0.0.1'))
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      one.on('data', (chunk: Buffer) => { if (mode !== 'silent') other.write(chunk) })
      one.on('close', () => other.destroy())
    }
  }))
  return {
    port: server.port,
    open: () => {
      // What was swallowed is lost, so such a connection makes no sense any more.
      if (mode === 'silent') destroyAll()
      mode = 'open'
    },
    shut: () => {
      mode = 'shut'
      destroyAll()
    },
    silence: () => { mode = 'silent' },
    [Symbol.asyncDispose]: async () => {
      destroyAll()
      await server.close()
    },
  }
}
