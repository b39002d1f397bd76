import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Attachment } from '../media.js'
import { isAuthorised, type SimulatorState } from '../state.js'

const CHUNK = 65_536

type Part = { readonly first: number; readonly last: number }

/** Answers the download of an attachment, or of a range of its bytes, from an address that was just given. */
export const answerDownload = (state: SimulatorState, url: URL, request: IncomingMessage, response: ServerResponse): void => {
  request.resume()
  const attachment = state.media.at(url.searchParams, Date.now())
  if (!isAuthorised(state, request.headers.authorization)) return refuse(response, 401)
  if (request.method !== 'GET' || attachment === undefined) return refuse(response, 404)
  const headers = { 'content-type': attachment.type, 'cache-control': 'private, max-age=3600', 'accept-ranges': 'bytes' }
  const range = /^bytes=([0-9]*)-([0-9]*)$/.exec(request.headers.range ?? '')
  const part = range === null ? { first: 0, last: attachment.size - 1 } : partOf(range[1] ?? '', range[2] ?? '', attachment.size)
  if (part.first > part.last) return void response.writeHead(416, { 'content-range': `bytes */${attachment.size}` }).end()
  response.writeHead(range === null ? 200 : 206, {
    ...headers, 'content-length': part.last - part.first + 1,
    ...(range !== null && { 'content-range': `bytes ${part.first}-${part.last}/${attachment.size}` }),
  })
  sendBytes(response, attachment, part)
}

const refuse = (response: ServerResponse, status: number): void => void response.writeHead(status, { 'content-type': 'text/plain' }).end()

const partOf = (first: string, last: string, size: number): Part =>
  (first === ''
    ? { first: Math.max(0, size - Number(last)), last: size - 1 }
    : { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) })

/** Waits for the reader, so that a large attachment takes no memory. */
const sendBytes = (response: ServerResponse, attachment: Attachment, { first, last }: Part): void => {
  const next = Math.min(first + CHUNK, last + 1)
  const isTaken = response.write(attachment.bytes(first, next))
  if (next > last) return void response.end()
  const goOn = (): void => sendBytes(response, attachment, { first: next, last })
  if (isTaken) setImmediate(goOn)
  else response.once('drain', goOn)
}
