import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Context } from 'koa'
import { type LinesType, MAX_LINE_BYTES, MAX_LINES } from '../../core/kernel/lines.js'
import { FILE_MS, isLate, piecesOf } from './file-body.js'
import { discardBody } from './raw-body.js'
import type { BodyFailure, InvalidParameter, MalformedBody } from './reply.js'
import { codec, type Codec } from './schema.js'

/** A file of lines that is read while it arrives. */
export type ReadingLines = {
  readonly type: LinesType
  /** They reject if the body does not arrive completely; `failure` then says why. */
  readonly bytes: AsyncIterable<Uint8Array>
  readonly failure: () => BodyFailure | undefined
}

/** The maximum size of a file of lines in bytes. */
export const MAX_LINES_BYTES = 256 * 1024 * 1024

/** The content types of files of lines. */
export const CSV_TYPE = 'text/csv'
export const NDJSON_TYPE = 'application/x-ndjson'

const isReadingLines = (value: unknown): value is ReadingLines =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'failure' in value && typeof value.failure === 'function'

/** A body that is a file of lines. */
export const Lines: Codec<ReadingLines> = codec('a file of lines', {
  schema: {
    type: 'string', format: 'binary',
    description: `CSV or NDJSON: at most ${MAX_LINES} lines of at most ${MAX_LINE_BYTES} bytes each, and ${MAX_LINES_BYTES / (1024 * 1024)} MiB. A CSV is separated by commas, `
      + 'semicolons or tabs, in UTF-8, or in UTF-16 with a byte order mark, and its first line names the columns.',
  },
}, (value, context) => (isReadingLines(value) ? t.success(value) : t.failure(value, context)))

/** Begins to read a body that is a file of lines. */
export const readLinesBody = (ctx: Context, type: LinesType): E.Either<BodyFailure, ReadingLines> => {
  if (Number(ctx.get('Content-Length')) > MAX_LINES_BYTES) return E.left(TOO_LARGE)
  const source = piecesOf(ctx)
  if (source === undefined) return E.left({ _tag: 'Overloaded' })
  const state: { failure?: BodyFailure } = {}
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    let size = 0
    source.begins()
    begun.add(ctx.req)
    for (;;) {
      const next = await source.next()
      if (E.isRight(next) && next.right === undefined) return
      size += E.isRight(next) ? next.right?.length ?? 0 : 0
      if (E.isLeft(next) || size > MAX_LINES_BYTES) {
        state.failure = E.isLeft(next) ? next.left : TOO_LARGE
        throw new Error('The lines were not received completely')
      }
      if (next.right !== undefined) yield next.right
    }
  }
  return E.right({ type, bytes: bytes(), failure: () => state.failure })
}

/** A failure of the body of lines, for the reply. A body that broke off has no client that reads the reply, so it counts as a body that did not arrive. */
export const linesFailure = (failure: BodyFailure | undefined): Exclude<BodyFailure, InvalidParameter | MalformedBody> | undefined =>
  (failure?._tag === 'InvalidParameter' || failure?._tag === 'MalformedBody' ? { _tag: 'BodyTooSlow' } : failure)

const TOO_LARGE: BodyFailure = { _tag: 'PayloadTooLarge', limit: MAX_LINES_BYTES }

/** Requests of which lines were read. */
const begun = new WeakSet<Context['req']>()

/**
 * Reads the rest of a body, because most clients read no reply before they have sent everything. Little is read of a body that was too slow, or that was refused before its
 * first line.
 */
export const discardLines = (ctx: Context): void => {
  if (!begun.has(ctx.req) || isLate(ctx)) return discardBody(ctx)
  discardBody(ctx, MAX_LINES_BYTES, FILE_MS)
}
