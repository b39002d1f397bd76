import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type ServerHttp2Stream } from 'node:http2'
import { TLSSocket } from 'node:tls'

/** A complete HTTP response. */
export type Reply = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }

const LARGEST_BODY = 4 * 1024 * 1024

/** The body of a request as text; rejects where the client goes away or sends more than 4 MiB. */
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

/** Sends a response. */
export const write = (response: ServerResponse, { status, headers, body }: Reply): void => {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}

/** A reply of the control endpoints. */
export const controlReply = (status: number, value: unknown): Reply => ({
  status, body: `${JSON.stringify(value)}\n`,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
})

/** A control request that is refused, and why, in one sentence. */
export const refusal = (status: number, error: string): Reply => controlReply(status, { error })

/** The origin under which a client reached the simulator. */
export const originOf = (request: IncomingMessage): string =>
  `${'encrypted' in request.socket ? 'https' : 'http'}://${hostOf(request) ?? 'localhost'}`

/** The host and port that the client asked for, which HTTP/2 has in a header of its own. */
export const hostOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}

/** A request whose client may speak HTTP/2. */
type Request = IncomingMessage & { readonly stream?: ServerHttp2Stream }

/** Whether the client can no longer be answered. */
export const isGone = ({ stream, socket }: Request): boolean => (stream ?? socket).destroyed

/** Ends a request without an answer, or in the middle of one: over HTTP/1.1 with its connection, over HTTP/2 with its stream only. */
export const abandon = (request: Request, how: 'reset' | 'close'): void => {
  if (request.stream !== undefined) return request.stream.close(how === 'reset' ? constants.NGHTTP2_INTERNAL_ERROR : constants.NGHTTP2_CANCEL)
  if (how === 'close' || request.socket instanceof TLSSocket) return void request.socket.destroy()
  request.socket.resetAndDestroy()
}
