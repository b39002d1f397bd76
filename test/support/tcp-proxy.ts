import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy to a server whose connections can go silent without being closed, as in a failover. */
export type TcpProxy = {
  /** The server's URL through the proxy. */
  readonly url: string
  /** Forwards nothing more on the open connections and does not close them; new connections are forwarded. */
  readonly cutOff: () => void
  /** How many connections of clients are open. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

/** Starts a proxy to the server of a URL. */
export const openTcpProxy = async (to: string): Promise<TcpProxy> => {
  const target = new URL(to)
  const port = Number(target.port || (target.protocol.startsWith('postgres') ? 5432 : 3306))
  const sockets = new Set<Socket>()
  const clientSockets = new Set<Socket>()
  let generation = 0
  const server = createServer((client) => {
    const upstream = connect(port, target.hostname)
    const startedIn = generation
    clientSockets.add(client)
    client.on('close', () => clientSockets.delete(client))
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => { if (startedIn === generation) other.write(chunk) })
      one.on('error', () => other.destroy())
      one.on('close', () => { if (startedIn === generation) other.destroy() })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(to)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutOff: () => { generation += 1 },
    open: () => clientSockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
