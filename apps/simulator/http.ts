import type { IncomingMessage, ServerResponse } from 'node:http'

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
