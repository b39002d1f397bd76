import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Attachment } from './media.js'

const CHUNK = 65_536

type Part = { readonly first: number; readonly last: number }

/** Sends a file, or the range of its bytes that the request asks for, with these headers in addition to those for its size. */
export const sendFile = (
  request: IncomingMessage, response: ServerResponse, file: Attachment, headers: Readonly<Record<string, string>>,
): void => {
  const range = /^bytes=([0-9]*)-([0-9]*)$/.exec(request.headers.range ?? '')
  const part = range === null ? { first: 0, last: file.size - 1 } : partOf(range[1] ?? '', range[2] ?? '', file.size)
  if (part.first > part.last) return void response.writeHead(416, { 'content-range': `bytes */${file.size}` }).end()
  response.writeHead(range === null ? 200 : 206, {
    ...headers, 'accept-ranges': 'bytes', 'content-length': part.last - part.first + 1,
    ...(range !== null && { 'content-range': `bytes ${part.first}-${part.last}/${file.size}` }),
  })
  sendBytes(response, file, part)
}

const partOf = (first: string, last: string, size: number): Part =>
  (first === ''
    ? { first: Math.max(0, size - Number(last)), last: size - 1 }
    : { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) })

/** Waits for the reader, so that a large file does not fill the memory. */
const sendBytes = (response: ServerResponse, file: Attachment, { first, last }: Part): void => {
  const next = Math.min(first + CHUNK, last + 1)
  const isTaken = response.write(file.bytes(first, next))
  if (next > last) return void response.end()
  const goOn = (): void => sendBytes(response, file, { first: next, last })
  if (isTaken) setImmediate(goOn)
  else response.once('drain', goOn)
}
