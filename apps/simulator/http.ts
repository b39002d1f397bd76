import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

const REPLY_ESCAPED = /[\u0080-\uffff/]/g
const WEBHOOK_ESCAPED = /[\u0080-\uffff/<%@]/g

/** Whether a JSON value is an object, neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON; undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON in the format of the platform's replies: `/` as `\/`, everything beyond ASCII as `\uXXXX` in lowercase hexadecimal. */
export const replyJson = (value: unknown): string => JSON.stringify(value).replace(REPLY_ESCAPED, escaped)

/**
 * JSON in the format of the platform's webhooks: in addition to the reply's escapes, `<`, `%` and `@` as `\u003C`, `\u0025`, `\u0040`.
 *
 * The escaped characters can only stand inside strings, so escaping the text as a whole is safe.
 */
export const webhookJson = (value: unknown): string => JSON.stringify(value).replace(WEBHOOK_ESCAPED, escaped)

const escaped = (character: string): string => {
  if (character === '/') return '\\/'
  if (character === '<') return '\\u003C'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A complete HTTP response. */
export type Reply = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }

const LARGEST_BODY = 4 * 1024 * 1024

/** The body of a request as text; rejects if the client disconnects or sends more than 4 MiB. */
export const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > LARGEST_BODY) throw new Error('The request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Sends a response, which may also have bytes as its body. */
export const write = (
  response: ServerResponse, { status, headers, body }: Omit<Reply, 'body'> & { readonly body: string | Buffer },
): void => {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}

/** A reply of the control endpoints. */
export const controlReply = (status: number, value: unknown): Reply => ({
  status, body: `${JSON.stringify(value)}\n`,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
})

/** A refused control request; `error` says why, in one sentence. */
export const refusal = (status: number, error: string): Reply => controlReply(status, { error })

/** The origin under which a client reached the simulator. */
export const originOf = (request: IncomingMessage): string =>
  `${'encrypted' in request.socket ? 'https' : 'http'}://${hostOf(request) ?? 'localhost'}`

/** The host and port that the client asked for. */
export const hostOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => headers.host

/** Whether the client has disconnected, so that it can no longer be answered. */
export const isGone = ({ socket }: IncomingMessage): boolean => socket.destroyed

/** Ends a request and its connection without a response, or in the middle of one. */
export const abandon = (request: IncomingMessage, how: 'reset' | 'close'): void => {
  if (how === 'close' || request.socket instanceof TLSSocket) return void request.socket.destroy()
  request.socket.resetAndDestroy()
}

/** A certificate and its key, in PEM. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** A server that listens. */
export type Listener = {
  /** Its address without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Closes the server and all connections immediately. */
  readonly close: () => Promise<void>
}

/** The address at which a server listens, and its certificate; without a certificate it serves plain HTTP. */
export type ListenerOptions = { readonly host: string; readonly port: number; readonly tls: TlsFiles | undefined }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server. Rejects if the port is taken. */
export const openListener = async ({ host, port, tls }: ListenerOptions, answer: Answer): Promise<Listener> => {
  const timeouts = { keepAliveTimeout: 75_000, requestTimeout: 0 }
  const server = tls === undefined ? createServer(timeouts) : createSecureServer({ ...timeouts, ...tls })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', answer)
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

/** Timers that can be stopped together, so that none is left when the simulator closes. */
export type Timers = {
  readonly after: (ms: number, act: () => void) => void
  readonly clear: () => void
}

/** A set of timers, none running. */
export const makeTimers = (): Timers => {
  const running = new Set<NodeJS.Timeout>()
  return {
    after: (ms, act) => {
      const timer = setTimeout(() => {
        running.delete(timer)
        act()
      }, ms)
      running.add(timer)
    },
    clear: () => {
      running.forEach((timer) => clearTimeout(timer))
      running.clear()
    },
  }
}
