import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listening, withBody } from '../../support/listening.js'

/** A request as it arrived, to the last byte. */
export type Arrived = {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly bytes: Buffer
  /** The client's port, so that requests of one connection can be recognized. */
  readonly port: number | undefined
}

/** What a server does with a request that has arrived. */
export type Behaviour = (response: ServerResponse, arrived: Arrived) => void

/** A real HTTP server on loopback that notes what arrives and behaves as a test says. */
export type Network = {
  readonly url: string
  readonly arrived: ReadonlyArray<Arrived>
  readonly behave: (behaviour: Behaviour) => void
  /** From now on requests that begin are read no further than their head. */
  readonly stopReading: () => void
  /** How many requests have begun to arrive. */
  readonly begun: () => number
  /** Ends all connections and refuses new ones. */
  readonly close: () => Promise<void>
  /** Ends all connections, and waits until the other side has ended them too. */
  readonly hangUp: () => Promise<void>
}

export const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const hang: Behaviour = () => undefined

export const reset: Behaviour = (response) => void response.socket?.resetAndDestroy()

export const openNetwork = async (): Promise<Network> => {
  const arrived: Arrived[] = []
  let behaviour: Behaviour = hang
  let [begun, isReading] = [0, true]
  const read = withBody((body, { method, url, headers, socket }, response) => {
    const one = { method, url, headers, body: body.toString(), bytes: body, port: socket.remotePort }
    arrived.push(one)
    behaviour(response, one)
  })
  const server = createServer((request, response) => {
    begun += 1
    if (isReading) read(request, response)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const { url, close } = await listening(server)
  return {
    url, arrived, close,
    behave: (next) => { behaviour = next },
    stopReading: () => { isReading = false },
    begun: () => begun,
    hangUp: async () => {
      await Promise.all([...sockets].map(async (socket) => {
        socket.end()
        await once(socket, 'close')
      }))
    },
  }
}
