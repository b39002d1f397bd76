import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { AddressRange } from '../../adapters/webhooks/address.js'

/** A delivery as a receiver got it. */
export type Received = { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** A receiver of events on the loopback address. */
export type Receiver = {
  readonly port: number
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** How many connections were opened. */
  readonly connections: () => number
} & AsyncDisposable

/** Answers a delivery that was read whole; `nth` counts from 1. */
export type Answer = (response: ServerResponse, nth: number, socket: Socket) => void

/** The range that tests allow to reach their receivers. */
export const LOOPBACK: AddressRange = { first: '127.0.0.0', prefixLength: 8 }

const OK: Answer = (response) => void response.end('{"ok":true}')

/** Opens a receiver; with a certificate it is called over https. */
export const openReceiver = async (answer: Answer = OK, certificate?: { readonly cert: string; readonly key: string }): Promise<Receiver> => {
  const received: Received[] = []
  let connections = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ method: request.method ?? '', path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() })
      answer(response, received.length, request.socket)
    })
  }
  const server = certificate === undefined ? createServer(listener) : https.createServer(certificate, listener)
  server.on('connection', () => { connections += 1 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
