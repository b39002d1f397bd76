import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.js'
import { listening } from './listening.js'

/** A TCP proxy to a server whose connections can go silent without being closed, as in a failover. */
export type TcpProxy = {
  /** The server's URL through the proxy. */
  readonly url: string
  /** Stops forwarding on the open connections without closing them; new connections are forwarded. */
  readonly cutOff: () => void
  /** Like `cutOff`, but also stops forwarding on new connections. */
  readonly hang: () => void
  /** Destroys the open connections and refuses new ones. */
  readonly refuse: () => Promise<void>
  /** Destroys a connection instead of forwarding a response on it, after this number of further responses was forwarded. */
  readonly failAfter: (answers: number) => void
  /** Destroys a connection instead of forwarding data from a client, after this number of further requests was forwarded; data that a client sends together counts as one. */
  readonly failBefore: (requests: number) => void
  /** Accepts and forwards new connections again, at the same port. */
  readonly recover: () => Promise<void>
  /** How many connections of clients are open. */
  readonly open: () => number
  /** How many times the server has responded to a client's data, counted for each connection. */
  readonly roundTrips: () => number
  readonly close: () => Promise<void>
}

/** Starts a proxy to the server of a URL. */
export const openTcpProxy = async (to: string): Promise<TcpProxy> => {
  const target = new URL(to)
  const port = Number(target.port || (target.protocol.startsWith('postgres') ? 5432 : 3306))
  const sockets = new Set<Socket>()
  const clientSockets = new Set<Socket>()
  let roundTrips = 0
  let generation = 0
  let hangs = false
  let answersLeft = Infinity
  let requestsLeft = Infinity
  const server = createServer((client) => {
    const upstream = connect(port, target.hostname)
    const startedIn = hangs ? -1 : generation
    clientSockets.add(client)
    let isAnswered = true
    // A connection on which data was withheld must end; otherwise its client would wait for a response that never arrives.
    const endIfFailed = (): void => { if (answersLeft < 0 || requestsLeft < 0) client.destroy() }
    client.on('data', () => {
      isAnswered = false
      requestsLeft -= 1
      endIfFailed()
    })
    upstream.on('data', () => {
      if (!isAnswered) {
        roundTrips += 1
        answersLeft -= 1
      }
      isAnswered = true
      endIfFailed()
    })
    client.on('close', () => clientSockets.delete(client))
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => { if (startedIn === generation && answersLeft >= 0 && requestsLeft >= 0) other.write(chunk) })
      one.on('error', () => other.destroy())
      one.on('close', () => { if (startedIn === generation) other.destroy() })
    }
  })
  // Its port must stay free while the proxy refuses connections.
  const own = await freePort()
  const { close: closeServer } = await listening(server, own)
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await closeServer()
  }
  const url = new URL(to)
  url.host = `127.0.0.1:${own}`
  return {
    url: url.href,
    cutOff: () => { generation += 1 },
    hang: () => {
      generation += 1
      hangs = true
    },
    refuse: close,
    failAfter: (answers) => { answersLeft = answers },
    failBefore: (requests) => { requestsLeft = requests },
    recover: async () => {
      hangs = false
      answersLeft = Infinity
      requestsLeft = Infinity
      if (server.listening) return
      server.listen(own, '127.0.0.1')
      await once(server, 'listening')
    },
    open: () => clientSockets.size,
    roundTrips: () => roundTrips,
    close,
  }
}
