import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Server as TlsServer } from 'node:tls'

/** A server on a port of this machine. */
export type Listening = AsyncDisposable & {
  readonly port: number
  readonly url: string
  /** Ends every connection and frees the port; closing it again does nothing. */
  readonly close: () => Promise<void>
}

/** More connections may wait than the system allows by default, because some tests open thousands at the same time. */
const BACKLOG = 4_096

/** Starts listening with a server, on a free port unless one is given. */
export const listening = async (server: Server, at = 0): Promise<Listening> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))))
  server.listen(at, '127.0.0.1', BACKLOG)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  return { port, url: `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close }
}

/** Answers a request after its body was read; a request that the client aborts gets no response. */
export const withBody = (answer: (body: Buffer, request: IncomingMessage, response: ServerResponse) => unknown): RequestListener =>
  (request, response) => void buffer(request).then((body) => answer(body, request, response), () => undefined)
