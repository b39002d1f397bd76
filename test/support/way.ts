import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that can lose its connections without a farewell, as a failover does. */
export type Way = {
  /** The server's URL by this way. */
  readonly url: string
  /** From now on connections that are open lead nowhere; new ones lead to the server as before. */
  readonly cutOff: () => void
  /** How many connections are open on the side of whoever came by this way. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

/** Opens a way to the server that a URL names. */
export const openWay = async (to: string): Promise<Way> => {
  const target = new URL(to)
  const port = Number(target.port || (target.protocol.startsWith('postgres') ? 5432 : 3306))
  const sockets = new Set<Socket>()
  const nearSide = new Set<Socket>()
  let era = 0
  const server = createServer((near) => {
    const far = connect(port, target.hostname)
    const since = era
    nearSide.add(near)
    near.on('close', () => nearSide.delete(near))
    for (const [one, other] of [[near, far], [far, near]] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => { if (since === era) other.write(chunk) })
      one.on('error', () => other.destroy())
      one.on('close', () => { if (since === era) other.destroy() })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(to)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutOff: () => { era += 1 },
    open: () => nearSide.size,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
