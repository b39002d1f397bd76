import type { IncomingMessage } from 'node:http'

/** The bytes of a body that have passed so far. */
export type WatchedBytes = { readonly bytes: () => Buffer }

/** A form has a handful of fields; one with more file names than this is not meant to be read. */
const MAX_FILE_NAMES = 100
const FILE_NAME = 'filename='

/**
 * Watches a body on its way to the parser, and fails the request's stream where it must not be read on.
 *
 * The multipart parser bounds fields but not the headers of a part, and its reading of file names takes time that grows
 * with the square of their number: a quarter of a MiB of them would occupy the process for seconds. The bytes are also
 * the only witness of whether decoding them lost anything. Watching begins when the parser does, as an earlier listener
 * would set the stream flowing before anyone reads it.
 */
export const watchBytes = (req: IncomingMessage, limit: number): WatchedBytes => {
  const chunks: Array<Buffer> = []
  let size = 0
  let names = 0
  let tail = ''
  const fail = (status: number): void => {
    req.off('data', see)
    req.emit('error', Object.assign(new Error('The body was not read to its end'), { status }))
  }
  const see = (chunk: Buffer): void => {
    size += chunk.length
    chunks.push(chunk)
    if (size > limit) return fail(413)
    if (req.headers['content-type']?.startsWith('multipart/') !== true) return
    const seen = tail + chunk.toString('latin1').toLowerCase()
    names += seen.split(FILE_NAME).length - 1
    tail = seen.slice(1 - FILE_NAME.length)
    if (names > MAX_FILE_NAMES) fail(400)
  }
  const begin = (event: string | symbol): void => {
    if (event !== 'data') return
    req.off('newListener', begin)
    req.on('data', see)
  }
  req.on('newListener', begin)
  return { bytes: () => Buffer.concat(chunks) }
}
