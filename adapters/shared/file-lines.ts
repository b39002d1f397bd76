import { isUtf8 } from 'node:buffer'
import type { Parser } from 'csv-parse'
import * as E from 'fp-ts/lib/Either.js'
import { parseJsonObject } from '../../core/kernel/exact-json.js'
import {
  type Line, type LineCode, type LineProblem, type LinesForm, type LinesType, MAX_LINE_BYTES, MAX_LINES, type ValueProblem,
} from '../../core/kernel/lines.js'

/** A line of a file, or what is wrong with it. */
export type ReadLine<A> = E.Either<LineProblem, Line<A>>

/** The content type of each type of file. */
export const LINES_TYPES: Readonly<Record<string, LinesType>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' }

/**
 * Reads a file of lines while it arrives, in the order of its lines: CSV as spreadsheets write it, or NDJSON. Empty lines are left out.
 *
 * The memory is bounded: a line has at most `MAX_LINE_BYTES`, and the source is read on only when the caller asks for the next line. A file has at most `MAX_LINES`, without
 * the head of a CSV. A problem with `isLast` ends the file. It rejects if the source does.
 *
 * A CSV is separated by commas, semicolons or tabs, which its head tells. It is UTF-8 with or without a byte order mark, or UTF-16 with one.
 */
export async function* readLines<A>(source: AsyncIterable<Uint8Array>, type: LinesType, form: LinesForm<A>): AsyncGenerator<ReadLine<A>> {
  let count = 0
  for await (const line of type === 'csv' ? ofCsv(source, form) : ofNdjson(source, form)) {
    if (E.isRight(line) || line.left.isLast !== true) count += 1
    if (count > MAX_LINES) {
      const at = E.isRight(line) ? line.right.line : line.left.line
      yield endsAt(at, 'too_many_lines', `A file has at most ${MAX_LINES} lines of data; split it into several files`)
      return
    }
    yield line
    if (E.isLeft(line) && line.left.isLast === true) return
  }
}

const problemAt = (line: number, problem: ValueProblem): E.Either<LineProblem, never> => E.left({ line, ...problem })

const endsAt = (line: number, code: LineCode, message: string): E.Either<LineProblem, never> =>
  E.left({ line, code, message, isLast: true })

const withLine = <A>(line: number, value: E.Either<ValueProblem, A>): ReadLine<A> =>
  (E.isLeft(value) ? problemAt(line, value.left) : E.right({ ...value.right, line }))

const NOT_UTF8 = 'bytes that are not UTF-8; export the file as UTF-8, which Excel calls "CSV UTF-8"'

const TOO_LONG = `The line has more than ${MAX_LINE_BYTES} bytes; in a CSV, a quote that is not closed has this effect`

async function* ofNdjson<A>(source: AsyncIterable<Uint8Array>, form: LinesForm<A>): AsyncGenerator<ReadLine<A>> {
  let line = 0
  for await (const bytes of physicalLines(inUtf8(source))) {
    line += 1
    if (bytes === undefined) {
      yield endsAt(line, 'line_too_long', TOO_LONG)
      return
    }
    if (!isUtf8(bytes)) {
      yield problemAt(line, { code: 'not_utf8', message: `The line has ${NOT_UTF8}` })
      continue
    }
    const text = bytes.toString().trim()
    if (text === '') continue
    const object = parseJsonObject(text)
    yield object === undefined
      ? problemAt(line, { code: 'malformed_line', message: 'The line is not a JSON object; a line contains one whole object' })
      : withLine(line, form.ofObject(object))
  }
}

async function* ofCsv<A>(source: AsyncIterable<Uint8Array>, form: LinesForm<A>): AsyncGenerator<ReadLine<A>> {
  let table: Table<A> | undefined
  for await (const row of rowsOf(source)) {
    if (row._tag === 'End') {
      yield endsAt(row.line, row.code, row.message)
      return
    }
    if (row.fields.every((field) => field.trim() === '')) continue
    if (table === undefined) {
      const read = tableOf(row, form)
      if (E.isLeft(read)) {
        yield E.left({ line: row.line, ...read.left, isLast: true })
        return
      }
      table = read.right
    } else yield withLine(row.line, valuesOf(row, table))
  }
  if (table === undefined) yield endsAt(1, 'malformed_line', 'The file is empty; its first line must name the columns')
}

/** The columns of a CSV that have names, and how their values are read. */
type Table<A> = {
  readonly names: ReadonlyArray<string>
  /** The name of each column of the file; empty for columns without a name. */
  readonly columns: ReadonlyArray<string>
  readonly ofValues: (values: ReadonlyArray<string>) => E.Either<ValueProblem, A>
}

/** Bytes as characters of Latin-1, which is how the parser reads them: so a field that is not UTF-8 is found with its line and its column. */
type Row = { readonly _tag: 'Row'; readonly line: number; readonly fields: ReadonlyArray<string> }

type End = { readonly _tag: 'End'; readonly line: number; readonly code: LineCode; readonly message: string }

/** The maximum number of columns of a CSV. */
const MAX_COLUMNS = 500

/** Spreadsheets write columns without a name if a cell beside the table was formatted. Such a column is refused only where it has values. */
const tableOf = <A>({ fields }: Row, form: LinesForm<A>): E.Either<ValueProblem, Table<A>> => {
  const columns: Array<string> = []
  for (const field of fields) {
    const name = textOf(field)
    if (name === undefined) return E.left({ code: 'not_utf8', message: `The first line has ${NOT_UTF8}` })
    columns.push(name.trim())
  }
  const names = columns.filter((name) => name !== '')
  if (names.length > MAX_COLUMNS) return E.left({ code: 'malformed_line', message: `The first line names more than ${MAX_COLUMNS} columns` })
  const seen = new Set<string>()
  for (const name of names) {
    const folded = name.toLowerCase()
    if (seen.has(folded)) {
      return E.left({ column: name, code: 'duplicate_column', message: `The first line names column ${name} twice; case does not count` })
    }
    seen.add(folded)
  }
  const head = form.ofHead(names)
  return E.isLeft(head) ? head : E.right({ names, columns, ofValues: head.right })
}

const valuesOf = <A>({ fields }: Row, { columns, ofValues }: Table<A>): E.Either<ValueProblem, A> => {
  const values: Array<string> = []
  for (let at = 0; at < Math.max(columns.length, fields.length); at += 1) {
    const column = columns[at] ?? ''
    const text = textOf(fields[at] ?? '')
    if (text === undefined) {
      return E.left({ ...(column !== '' && { column }), code: 'not_utf8', message: `${column === '' ? 'The line' : column} has ${NOT_UTF8}` })
    }
    if (column !== '') values.push(text)
    else if (text.trim() !== '') {
      return E.left({ code: 'malformed_line', message: 'A value has no column; a value that contains the separator needs quotes' })
    }
  }
  return ofValues(values)
}

/** The text of bytes; `undefined` if they are not UTF-8, or have a NUL, as UTF-16 without a byte order mark has. */
const textOf = (field: string): string | undefined => {
  if (field.includes('\0')) return undefined
  if (!/[\x80-\xff]/.test(field)) return field
  const bytes = Buffer.from(field, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/** The rows of a CSV. `line` is the first line of a row, which has several lines if a quoted value has line breaks. */
async function* rowsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Row | End> {
  let line = 1
  let unfinished = 0
  const parsed: Array<ReadonlyArray<string>> = []
  const rows = function* (): Generator<Row> {
    for (const fields of parsed.splice(0)) {
      yield { _tag: 'Row', line, fields }
      line += 1 + breaksIn(fields)
    }
  }
  let parser: Parser | undefined
  for await (const block of firstWith(isLine, inUtf8(source))) {
    parser ??= await makeParser(separatorOf(block), parsed)
    const failure = await written(parser, block)
    unfinished = parsed.length > 0 ? 0 : unfinished + block.length
    yield* rows()
    // The parser limits the values of a row, but not how many empty ones it has.
    if (failure !== undefined || unfinished > 2 * MAX_LINE_BYTES) {
      yield endOf(line, failure ?? ROW_TOO_LONG)
      return
    }
  }
  const failure = parser && await ended(parser)
  yield* rows()
  if (failure !== undefined) yield endOf(line, failure)
}

const ROW_TOO_LONG: ParserFailure = { code: 'CSV_MAX_RECORD_SIZE' }

const endOf = (line: number, { code }: ParserFailure): End =>
  (code === ROW_TOO_LONG.code
    ? { _tag: 'End', line, code: 'line_too_long', message: TOO_LONG }
    : { _tag: 'End', line, code: 'malformed_line', message: QUOTES })

const QUOTES = 'The quotes of the line do not match; a value with quotes in it is written in quotes, with each quote in it doubled'

/** Blocks of which the first is joined from others until it is enough. */
async function* firstWith(isEnough: (first: Buffer) => boolean, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0)
  for await (const block of source) {
    first = first && Buffer.concat([first, block])
    if (first === undefined) yield block
    else if (isEnough(first)) {
      yield first
      first = undefined
    }
  }
  if (first !== undefined && first.length > 0) yield first
}

const isLine = (first: Buffer): boolean => first.length > MAX_LINE_BYTES || first.includes('\n') || first.includes('\r')

const SEPARATORS = [',', ';', '\t'] as const

/** The separator that the first line has most of, outside quotes. */
const separatorOf = (block: Buffer): string => {
  const [head = ''] = block.toString('latin1').split(/[\r\n]/, 1)
  const plain = head.replace(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((separator) => plain.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

type ParserFailure = { readonly code: string }

/** Rows are taken with `on_record`, and not as a stream: a failing stream drops the rows that were parsed before the failure. */
const makeParser = async (delimiter: string, rows: Array<ReadonlyArray<string>>): Promise<Parser> => {
  const { Parser: CsvParser } = await import('csv-parse')
  return new CsvParser({
    delimiter, encoding: 'latin1', record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, max_record_size: MAX_LINE_BYTES,
    on_record: (fields: ReadonlyArray<string>) => {
      rows.push(fields)
      return undefined
    },
  }).on('error', () => undefined).resume()
}

const written = async (parser: Parser, block: Buffer): Promise<ParserFailure | undefined> =>
  new Promise((resolve) => { parser.write(block, (error) => { resolve(failureOf(error)) }) })

const ended = async (parser: Parser): Promise<ParserFailure | undefined> =>
  new Promise((resolve) => {
    parser.once('error', (error) => { resolve(failureOf(error)) }).once('end', () => { resolve(undefined) }).end()
  })

const failureOf = (error: unknown): ParserFailure | undefined => {
  if (error === undefined || error === null) return undefined
  return { code: typeof error === 'object' && 'code' in error ? String(error.code) : '' }
}

const breaksIn = (fields: ReadonlyArray<string>): number =>
  fields.reduce((sum, field) => (/[\r\n]/.test(field) ? sum + field.split(/\r\n|\r|\n/).length - 1 : sum), 0)

/** The lines of a text, without their ends; `undefined` for a line that is too long, which is the last. */
async function* physicalLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const block of source) {
    let begin = 0
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, begin)) {
      const line = rest.length === 0 ? block.subarray(begin, end) : Buffer.concat([rest, block.subarray(begin, end)])
      yield line.length > MAX_LINE_BYTES ? undefined : line
      rest = Buffer.alloc(0)
      begin = end + 1
    }
    rest = Buffer.concat([rest, block.subarray(begin)])
    if (rest.length > MAX_LINE_BYTES) {
      yield undefined
      return
    }
  }
  if (rest.length > 0) yield rest
}

const NEWLINE = 0x0a

const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])], ['utf-16le', Buffer.from([0xff, 0xfe])], ['utf-16be', Buffer.from([0xfe, 0xff])],
] as const

const hasMark = (first: Buffer): boolean => first.length >= 3

/** The encoding that a byte order mark names, and the bytes after the mark. */
const unmarked = (first: Buffer): readonly [encoding: string, rest: Buffer] => {
  const [encoding, mark] = MARKS.find(([, one]) => first.subarray(0, one.length).equals(one)) ?? ['utf-8', Buffer.alloc(0)]
  return [encoding, first.subarray(mark.length)]
}

/** The maximum number of bytes that are parsed together. */
const BLOCK_BYTES = 64 * 1024

/** The bytes of a text in UTF-8 without a byte order mark, in small blocks. A text in UTF-16 is converted; without a mark it is taken for UTF-8. */
async function* inUtf8(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let encoding: string | undefined
  let decoder: TextDecoder | undefined
  for await (const block of firstWith(hasMark, blocksOf(source))) {
    let bytes = block
    if (encoding === undefined) {
      [encoding, bytes] = unmarked(block)
      decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding)
    }
    yield decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }))
  }
  yield Buffer.from(decoder?.decode() ?? '')
}

async function* blocksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of source) {
    for (let at = 0; at < byteLength; at += BLOCK_BYTES) yield Buffer.from(buffer, byteOffset + at, Math.min(BLOCK_BYTES, byteLength - at))
  }
}
