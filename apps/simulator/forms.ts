import type { IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { formidable, multipart, querystring } from 'formidable'

/** A form, with at most one file. */
export type Form = { readonly fields: Readonly<Record<string, string>>; readonly file: UploadedFile | undefined }

export type UploadedFile = { readonly name: string; readonly type: string; readonly data: Buffer }

/** Why a form could not be read: the file is too large, the body is not a form, or the body ended early. */
export type UnreadableForm = 'tooLarge' | 'broken'

const MAX_FIELDS = 100
const LARGEST_FIELDS = 100_000

/** Reads a form, the file chunk by chunk into memory. A file that is too large is also read to its end, so that the client receives the response. */
export const readForm = async (request: IncomingMessage, largestFile: number): Promise<Form | UnreadableForm> => {
  const chunks: Buffer[] = []
  const form = formidable({
    enabledPlugins: [multipart, querystring], maxFiles: 1, maxFileSize: largestFile, minFileSize: 0, allowEmptyFiles: true,
    maxFields: MAX_FIELDS, maxFieldsSize: LARGEST_FIELDS,
    fileWriteStreamHandler: () => new Writable({
      write: (chunk: Buffer, _, done) => {
        chunks.push(chunk)
        done()
      },
    }),
  })
  try {
    const [fields, files] = await form.parse(request)
    const [[name, sent] = []] = Object.entries(files).map(([field, list]) => [field, list?.[0]] as const)
    const given = Object.entries(fields).flatMap(([field, values]) => (values?.[0] === undefined ? [] : [[field, values[0]]]))
    return {
      fields: Object.fromEntries(given) as Form['fields'],
      file: name === undefined || sent === undefined
        ? undefined
        : { name: sent.originalFilename ?? '', type: sent.mimetype ?? '', data: Buffer.concat(chunks) },
    }
  } catch (error) {
    await drained(request)
    return isTooLarge(error) ? 'tooLarge' : 'broken'
  }
}

const isTooLarge = (error: unknown): boolean => error instanceof Error && 'httpCode' in error && error.httpCode === 413

const drained = (request: IncomingMessage): Promise<void> => new Promise((resolve) => {
  if (request.readableEnded || request.destroyed) return resolve()
  request.once('end', resolve).once('close', resolve).resume()
})
