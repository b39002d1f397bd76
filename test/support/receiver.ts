import { createServer, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { AddressRange } from '../../adapters/shared/address.js'
import { listening, withBody } from './listening.js'

/** A delivery as a receiver received it. */
export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A receiver of events on the loopback address. */
export type Receiver = {
  readonly port: number
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** How many connections were opened. */
  readonly connections: () => number
} & AsyncDisposable

/** Answers a delivery that was read completely; `nth` counts from 1. */
export type Answer = (response: ServerResponse, nth: number, socket: Socket) => void

/** The range that tests allow, so that gateways can reach their receivers. */
export const LOOPBACK: AddressRange = { first: '127.0.0.0', prefixLength: 8 }

const OK: Answer = (response) => void response.end('{"ok":true}')

/** Opens a receiver; with a certificate it uses https. */
export const openReceiver = async (
  answer: Answer = OK, certificate?: { readonly cert: string; readonly key: string },
): Promise<Receiver> => {
  const received: Received[] = []
  let connections = 0
  const listener = withBody((body, request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    received.push({ method: request.method ?? '', path: request.url ?? '', headers, body: body.toString() })
    answer(response, received.length, request.socket)
  })
  const server = certificate === undefined ? createServer(listener) : https.createServer(certificate, listener)
  server.on('connection', () => { connections += 1 })
  const { port, url, close } = await listening(server)
  return { port, url: `${url}/hook`, received, connections: () => connections, [Symbol.asyncDispose]: close }
}
