import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { Socket } from 'node:net'

/** A certificate and its key, in PEM. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** A server that listens. */
export type Listener = {
  /** Its address without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Closes the server and every connection at once. */
  readonly close: () => Promise<void>
}

/** Where a server listens, and with which certificate; without one it speaks HTTP/1.1 without TLS. */
export type ListenerOptions = { readonly host: string; readonly port: number; readonly tls: TlsFiles | undefined }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server. Over TLS it speaks HTTP/2 or HTTP/1.1, as the client chooses. Rejects if the port is taken. */
export const openListener = async ({ host, port, tls }: ListenerOptions, answer: Answer): Promise<Listener> => {
  const timeouts = { keepAliveTimeout: 75_000, requestTimeout: 0 }
  const server = tls === undefined ? createServer(timeouts) : createSecureServer({ ...tls, allowHTTP1: true })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Node.js gives requests and responses of HTTP/2 the interface of those of HTTP/1.1.
  server.on('request', answer)
  // A client that breaks the rules of HTTP/2 loses its connection, and nothing else ends.
  server.on('sessionError', () => undefined)
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The simulator does not listen on a port')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${address.port}`,
    port: address.port,
    close: () => new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    }),
  }
}
