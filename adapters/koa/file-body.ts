import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Context } from 'koa'
import { makePace, type Yielding } from '../shared/fair-shares.js'
import { endOf } from '../../core/kernel/text.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { type IncomingFile, MAX_FILE_BYTES } from '../../core/messages/files.js'
import { type FilePace, limitsOf, type RawFailure } from './raw-body.js'
import type { BodyFailure, MalformedBody } from './reply.js'
import { codec, type Codec } from './schema.js'

/** The boundary of the parts of a form, and whether other parts may follow its file; such parts are ignored. */
export type FileFormOptions = { readonly boundary: string; readonly mayBeFollowed: boolean }

/** A form with a file, of which only the fields before the file have been read. */
export type FileForm = {
  readonly fields: Readonly<Record<string, unknown>>
  /** The file, which is the last part of the form; without a byte and without a field if the form has none. */
  readonly file: ReadingFile
}

/** A file that is read while it arrives. */
export type ReadingFile = IncomingFile & {
  /** The name of its field; `undefined` if the form has no file. */
  readonly field: string | undefined
  /** Why its bytes ended early, once reading them has thrown. */
  readonly failure: () => BodyFailure | undefined
}

/** The memory for bodies that a form with a file uses, and the part of it that all such forms may use, so that there is room for other requests. */
const MEMORY_BYTES = 512 * 1024
const SHARE = 0.5

/** The maximum number of bytes of the fields before a file. */
const MAX_FIELDS_BYTES = 64 * 1024

/** The name of the form field that contains the file. */
export const FILE_FIELD = 'file'

const isReadingFile = (value: unknown): value is ReadingFile =>
  typeof value === 'object' && value !== null && 'failure' in value && typeof value.failure === 'function'

/** The file of a form. */
export const FormFile: Codec<ReadingFile> = codec('a file', {
  schema: { type: 'string', format: 'binary', description: `The file, which must be the last part of the form; up to ${MAX_FILE_BYTES / (1024 * 1024)} MiB, by its type.` },
}, (value, context) => (isReadingFile(value) ? t.success(value) : t.failure(value, context)))

/** The maximum time for all bytes of a file, in milliseconds. */
export const FILE_MS = 600 * SECOND_MS

const HEADERS_END = '\r\n\r\n'
const IS_FILE = /^content-disposition:[^\r\n]*;[ \t]*filename\*?=/im

/**
 * Reads the fields of a form up to its file, and returns the file, which is read while it arrives.
 *
 * This is a separate reader, because no parser of forms reports where a file begins. With that position the file's size is known before the file has arrived, and the
 * platform expects the size. The fields are read by the parser of other forms. Nothing after the file is read: a form whose file is not its last part is refused.
 */
export const readFileForm = async (
  ctx: Context, { boundary, mayBeFollowed }: FileFormOptions,
  readFields: (form: Buffer) => Promise<E.Either<BodyFailure, FileForm['fields']>>,
): Promise<E.Either<BodyFailure, FileForm>> => {
  const source = piecesOf(ctx)
  if (source === undefined) return E.left({ _tag: 'Overloaded' })
  const head = await readHead(source, boundary)
  if (E.isLeft(head)) return head
  const { fields: bytes, part } = head.right
  const fields = await readFields(bytes)
  return E.map((read: FileForm['fields']) => ({
    fields: read, file: part === undefined ? NO_FILE : fileOf(ctx.req, source, { boundary, mayBeFollowed }, part),
  }))(fields)
}

/** The pieces of a body that is read while it arrives; `undefined` if no memory is free for it. */
export const piecesOf = (ctx: Context): Pieces | undefined => {
  const { memory, deadlineMs, filePace } = limitsOf(ctx)
  const source = piecesIn(ctx.req, { deadlineMs, filePace, onLate: () => { late.add(ctx.req) } })
  return memory.take(MEMORY_BYTES, SHARE, source) ? source : undefined
}

/** Requests whose body did not arrive before the deadline. */
const late = new WeakSet<IncomingMessage>()

/** Whether the body of a form with a file did not arrive before the deadline. */
export const isLate = ({ req }: Context): boolean => late.has(req)

const NO_FILE: ReadingFile = {
  field: undefined, name: undefined, declared: undefined, sizeAtMost: undefined, failure: () => undefined,
  bytes: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }) },
}

/** The part with the file: its header lines, the bytes that arrived with them, and its position in the body. */
type FilePart = { readonly headers: string; readonly first: Buffer; readonly at: number }

type HeadOf = { readonly fields: Buffer; readonly part: FilePart | undefined }

/** Reads until the header lines of a file have arrived, or the form has ended. The fields before it are returned as a separate form. */
const readHead = async (source: Pieces, boundary: string): Promise<E.Either<BodyFailure, HeadOf>> => {
  const delimiter = `--${boundary}`
  let read = Buffer.alloc(0)
  for (;;) {
    const part = filePartIn(read, delimiter)
    if (part !== undefined) {
      return E.right({ fields: Buffer.concat([read.subarray(0, part.delimiterAt), Buffer.from(`${delimiter}--\r\n`)]), part })
    }
    if (read.length > MAX_FIELDS_BYTES) {
      return E.left({ _tag: 'PayloadTooLarge', limit: MAX_FIELDS_BYTES, what: 'part of the form before its file' })
    }
    const next = await source.next()
    if (E.isLeft(next)) return next
    if (next.right === undefined) return E.right({ fields: read, part: undefined })
    read = Buffer.concat([read, next.right])
  }
}

const filePartIn = (read: Buffer, delimiter: string): (FilePart & { readonly delimiterAt: number }) | undefined => {
  for (let at = read.indexOf(delimiter); at !== -1; at = read.indexOf(delimiter, at + delimiter.length)) {
    const headersAt = at + delimiter.length
    const end = read.indexOf(HEADERS_END, headersAt)
    if (end === -1) return undefined
    const headers = textOf(read.subarray(headersAt, end))
    if (IS_FILE.test(headers)) {
      return { delimiterAt: at, headers, first: read.subarray(end + HEADERS_END.length), at: end + HEADERS_END.length }
    }
  }
  return undefined
}

/** Header lines of a part. Bytes that are not UTF-8 come from an older program, which writes names in its own code page, usually this one. */
const textOf = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : new TextDecoder('windows-1252').decode(bytes))

const fileOf = (
  req: IncomingMessage, source: Pieces, { boundary, mayBeFollowed }: FileFormOptions, { headers, first, at }: FilePart,
): ReadingFile => {
  const announced = req.headers['content-length'] === undefined ? undefined : Number(req.headers['content-length'])
  const ending = `\r\n--${boundary}--`
  const state: { failure?: BodyFailure } = {}
  return {
    field: parameterOf(headers, 'name') ?? '',
    name: fileNameIn(headers),
    declared: /^content-type:[ \t]*([^\r\n]+)/im.exec(headers)?.[1],
    sizeAtMost: announced === undefined ? undefined : Math.max(0, announced - at - ending.length),
    bytes: fileBytesOf(source, first, { boundary, mayBeFollowed }, (failure) => { state.failure = failure }),
    failure: () => state.failure,
  }
}

const parameterOf = (headers: string, name: string): string | undefined => {
  const [, quoted, bare] = new RegExp(
    `^content-disposition:[^\\r\\n]*;[ \\t]*${name}=(?:"((?:[^"\\r\\n]|${ESCAPED_QUOTE})*)"|([^;\\s]+))`, 'im',
  ).exec(headers)
    ?? []
  return quoted ?? bare
}

/** A quotation mark in the notation of curl before 7.81. A backslash before the mark that ends the parameter belongs to the name, because browsers do not escape backslashes. */
const ESCAPED_QUOTE = '(?<=\\\\)"(?![ \\t]*(?:;|\\r|\\n|$))'

const LONGEST_NAME = 240

/** The last part of the name of a file, escaped as in browsers, or by RFC 5987. */
const fileNameIn = (headers: string): string | undefined => {
  const [, extended] = /;[ \t]*filename\*=utf-8''([^;\s]+)/i.exec(headers) ?? []
  const given = decoded(extended) ?? parameterOf(headers, 'filename')?.replaceAll('%22', '"').replaceAll('\\"', '"')
  const last = given?.split(/[\\/]/).at(-1)?.replaceAll(/\p{Cc}/gu, '').trim()
  return last === undefined || last === '' ? undefined : endOf(last, LONGEST_NAME)
}

const decoded = (text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * The bytes of a file up to the boundary that ends it, which has to end the form, too. Pieces are passed on unchanged, because a copy of each would create as
 * much garbage as the size of the file.
 */
async function* fileBytesOf(
  source: Pieces, first: Buffer, { boundary, mayBeFollowed }: FileFormOptions, onFailure: (failure: BodyFailure) => void,
): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const fail = (failure: BodyFailure): Error => {
    onFailure(failure)
    return new Error('The file was not received completely')
  }
  const more = async (): Promise<Buffer> => {
    const next = await source.next()
    if (E.isLeft(next)) throw fail(next.left)
    if (next.right === undefined) throw fail(TOO_EARLY)
    return next.right
  }
  source.begins()
  let piece = first
  for (;;) {
    const at = piece.indexOf(delimiter)
    const sure = at === -1 ? piece.length - lengthOfBeginning(delimiter, piece) : at
    if (sure > 0) yield piece.subarray(0, sure)
    let rest = piece.subarray(sure)
    if (at !== -1) {
      while (rest.length < delimiter.length + 2) rest = Buffer.concat([rest, await more()])
      if (!mayBeFollowed && rest.toString('latin1', delimiter.length, delimiter.length + 2) !== '--') throw fail(malformed('The file must be the last part of the form'))
      return
    }
    const next = await more()
    piece = rest.length === 0 ? next : Buffer.concat([rest, next])
  }
}

/** How many of the last bytes of a piece may be the beginning of a delimiter. */
const lengthOfBeginning = (delimiter: Buffer, piece: Buffer): number => {
  const from = Math.max(0, piece.length - delimiter.length + 1)
  for (let at = piece.indexOf(delimiter[0] ?? 0, from); at !== -1; at = piece.indexOf(delimiter[0] ?? 0, at + 1)) {
    if (piece.compare(delimiter, 0, piece.length - at, at) === 0) return piece.length - at
  }
  return 0
}

const malformed = (sentence: string): MalformedBody => ({ _tag: 'MalformedBody', sentence })

const TOO_EARLY = malformed('The body ended too early')

/** The pieces of a body, read on demand. */
export type Pieces = Omit<Yielding<string>, 'key'> & {
  /** The next piece; `undefined` after the last one. */
  readonly next: () => Promise<E.Either<RawFailure, Buffer | undefined>>
  /** What precedes the file was read. From now on the deadlines of files apply. */
  readonly begins: () => void
}

type PiecesOptions = { readonly deadlineMs: number; readonly filePace: FilePace; readonly onLate: () => void }

/**
 * The pieces of a body within its deadlines. Waiting for a file uses up its allowed delay, and its bytes restore it, so that a file that trickles ends soon. Only time
 * in which the gateway waits for the client counts, not time in which the platform keeps both waiting.
 */
const piecesIn = (req: IncomingMessage, { deadlineMs, filePace: { slackMs, bytesPerSecond }, onLate }: PiecesOptions): Pieces => {
  // The reply must be sent after a body that is not read to its end.
  const iterator = req.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  // The fields before the file only have a deadline.
  let [endsAt, slack, mostSlack] = [performance.now() + deadlineMs, Infinity, Infinity]
  const pace = makePace(() => performance.now())
  let hasYielded = false
  let stopWaiting: (() => void) | undefined
  return {
    bytesPerSecond: pace.bytesPerSecond,
    yieldPlace: () => {
      hasYielded = true
      stopWaiting?.()
    },
    begins: () => { [endsAt, slack, mostSlack] = [performance.now() + FILE_MS, slackMs, slackMs] },
    next: async () => {
      if (hasYielded) return E.left({ _tag: 'Overloaded' })
      const since = performance.now()
      const left = Math.max(0, Math.min(slack, endsAt - since))
      let timeout: NodeJS.Timeout | undefined
      const ended = new Promise<'late' | 'yielded'>((resolve) => {
        timeout = setTimeout(() => resolve('late'), left)
        stopWaiting = () => resolve('yielded')
      })
      try {
        const next = await Promise.race([iterator.next(), ended])
        if (next === 'late') {
          onLate()
          return E.left({ _tag: 'BodyTooSlow' })
        }
        if (next === 'yielded') return E.left({ _tag: 'Overloaded' })
        if (next.done === true) return E.right(undefined)
        pace.add(next.value.length)
        slack = Math.min(mostSlack, slack - (performance.now() - since) + (next.value.length / bytesPerSecond) * SECOND_MS)
        return E.right(next.value)
      } catch {
        return E.left(TOO_EARLY)
      } finally {
        clearTimeout(timeout)
      }
    },
  }
}
