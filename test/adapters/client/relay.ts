import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening, withBody } from '../../support/listening.js'
import { inNode } from '../koa/request-options.js'

/**
 * What a relay does with a request: it passes it on; passes it on and loses the reply, all of it or the second half; cuts the connection before; never answers; or
 * answers itself.
 */
export type Act =
  | 'pass'
  | 'lose'
  | 'halve'
  | 'cut'
  | 'hang'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** A request as the relay got it. */
export type Relayed = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Opens a server before a gateway that does what it is told with one request after another, and passes on all that come later. */
export const relayTo = async (gatewayUrl: string, ...acts: ReadonlyArray<Act>) => {
  const received: Relayed[] = []
  const waiting = [...acts]
  const act = async (body: Buffer, request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { method = '', url = '', headers } = request
    received.push({ method, path: url, headers, body })
    const next = waiting.shift() ?? 'pass'
    if (next === 'hang') return undefined
    if (next === 'cut') return request.socket.destroy()
    if (typeof next === 'object') return response.writeHead(next.status, next.headers).end(next.body)
    const reply = await fetch(
      gatewayUrl + url, inNode({ method, headers: passedOn(headers), redirect: 'manual', ...(body.length > 0 && { body }) }),
    )
    const bytes = Buffer.from(await reply.arrayBuffer())
    if (next === 'lose') return request.socket.destroy()
    response.writeHead(reply.status, { ...Object.fromEntries(reply.headers), 'content-length': bytes.length })
    if (next === 'pass') return response.end(bytes)
    return response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
  }
  const server = await listening(createServer(withBody((body, request, response) => act(body, request, response))))
  return {
    url: server.url,
    /** The requests so far. */
    received,
    /** The idempotency keys of the requests so far. */
    keys: () => received.map(({ headers }) => headers['idempotency-key']),
    [Symbol.asyncDispose]: server.close,
  }
}

/** Headers of one connection are not those of the next. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

const passedOn = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || OF_THE_CONNECTION.has(name) ? [] : [[name, String(value)]])),
  )
