import type { IncomingMessage } from 'node:http'

/** A form as a browser sends it, with at most one file. */
export type Form = { readonly fields: Readonly<Record<string, string>>; readonly file: UploadedFile | undefined }

export type UploadedFile = { readonly name: string; readonly type: string; readonly data: Buffer }

/** As large as the largest image or audio of the platform. */
export const LARGEST_FORM = 16 * 1024 * 1024

/** Reads a form; undefined if it is too large. The rest of a large one is read too, so that the browser gets to the answer. */
export const readForm = async (request: IncomingMessage): Promise<Form | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > LARGEST_FORM) chunks.length = 0
    else chunks.push(chunk)
  }
  if (size > LARGEST_FORM) return undefined
  const [body, type] = [Buffer.concat(chunks), request.headers['content-type'] ?? '']
  const boundary = /^multipart\/form-data;.*boundary="?([^";]{1,200})"?/i.exec(type)?.[1]
  return boundary === undefined
    ? { fields: Object.fromEntries(new URLSearchParams(type.startsWith('application/x-www-form-urlencoded') ? body.toString('utf8') : '')), file: undefined }
    : readParts(body.toString('latin1'), boundary)
}

/** The text has one character for each byte. */
const readParts = (text: string, boundary: string): Form => {
  const parts = `\r\n${text}`.split(`\r\n--${boundary}`).slice(1, -1).map(readPart)
  const [file] = parts.flatMap(({ filename, type, data }) => (filename === undefined || filename === '' ? [] : [{ name: filename, type, data }]))
  return {
    fields: Object.fromEntries(parts.flatMap(({ name, filename, data }) => (filename === undefined ? [[name, data.toString('utf8')]] : []))),
    file,
  }
}

const readPart = (part: string) => {
  const end = part.indexOf('\r\n\r\n')
  const head = Buffer.from(part.slice(0, Math.max(0, end)), 'latin1').toString('utf8')
  return {
    name: /\bname="([^"]*)"/i.exec(head)?.[1] ?? '',
    filename: /\bfilename="([^"]*)"/i.exec(head)?.[1],
    type: /^content-type: *([\w.+-]+\/[\w.+-]+)/im.exec(head)?.[1] ?? 'application/octet-stream',
    data: Buffer.from(end < 0 ? '' : part.slice(end + 4), 'latin1'),
  }
}
