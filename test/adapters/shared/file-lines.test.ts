import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type ReadLine, readLines } from '../../../adapters/shared/file-lines.js'
import type { LinesForm, LinesType } from '../../../core/kernel/lines.js'
import type { JsonObject } from '../../../core/kernel/json.js'

type Values = { readonly values: JsonObject }

/** Takes every column and every object. */
const ANYTHING: LinesForm<Values> = {
  ofHead: (names) => E.right((values) => E.right({ values: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) })),
  ofObject: (values) => E.right({ values }),
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = async (file: Buffer | string, type: LinesType = 'csv', size = 7): Promise<ReadonlyArray<ReadLine<Values>>> => {
  const lines: Array<ReadLine<Values>> = []
  for await (const line of readLines(chunksOf(Buffer.from(file), size), type, ANYTHING)) lines.push(line)
  return lines
}

/** The values by their lines, and the codes of problems. */
const outline = async (file: Buffer | string, type?: LinesType, size?: number): Promise<ReadonlyArray<unknown>> =>
  (await read(file, type, size)).map((one): ReadonlyArray<unknown> => (E.isRight(one)
    ? [one.right.line, one.right.values]
    : [one.left.line, one.left.code, ...(one.left.isLast === true ? ['last'] : [])]))

const MARK = Buffer.from([0xef, 0xbb, 0xbf])
const marked = (text: string): Buffer => Buffer.concat([MARK, Buffer.from(text)])
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

const TWO = [[2, { to: '4915123456789', 'body.1': 'Jürgen; "der" Bär' }], [3, { to: '+49 151 23456780', 'body.1': 'Ada' }]]

const WRITTEN_BY: Readonly<Record<string, Buffer>> = {
  'LibreOffice (UTF-8, commas, LF)': Buffer.from('to,body.1\n4915123456789,"Jürgen; ""der"" Bär"\n+49 151 23456780,Ada\n'),
  'Google Sheets (CRLF, no end of the last line)': Buffer.from('to,body.1\r\n4915123456789,"Jürgen; ""der"" Bär"\r\n+49 151 23456780,Ada'),
  'Excel as "CSV UTF-8" (byte order mark)': marked('to,body.1\r\n4915123456789,"Jürgen; ""der"" Bär"\r\n+49 151 23456780,Ada\r\n'),
  'a German Excel (byte order mark, semicolons)': marked('to;body.1\r\n4915123456789;"Jürgen; ""der"" Bär"\r\n+49 151 23456780;Ada\r\n'),
  'Excel as "Unicode Text" (UTF-16, tabs)': utf16('to\tbody.1\r\n4915123456789\t"Jürgen; ""der"" Bär"\r\n+49 151 23456780\tAda\r\n'),
  'Excel for an old Mac (CR)': Buffer.from('to,body.1\r4915123456789,"Jürgen; ""der"" Bär"\r+49 151 23456780,Ada\r'),
  'a spreadsheet with empty rows and formatted columns': Buffer.from(
    'to,body.1,,\n4915123456789,"Jürgen; ""der"" Bär",,\n+49 151 23456780,Ada\n,,,\n\n,,,\n',
  ),
}

describe('Files of lines', () => {
  for (const [program, bytes] of Object.entries(WRITTEN_BY)) {
    it(`reads a CSV of ${program}, however it is divided`, async () => {
      for (const size of [1, 2, 5, 1000]) assert.deepEqual(await outline(bytes, 'csv', size), TWO)
    })
  }

  it('numbers a line by the line of the file on which it begins', async () => {
    const file = 'to,note\r\n1,"one\r\ntwo\nthree"\r\n\r\n2,b\r\n'
    assert.deepEqual(await outline(file), [[2, { to: '1', note: 'one\r\ntwo\nthree' }], [6, { to: '2', note: 'b' }]])
  })

  it('leaves missing values at the end of a line empty', async () => {
    assert.deepEqual(await outline('to,a,b\n1\n2,x\n'), [[2, { to: '1', a: '', b: '' }], [3, { to: '2', a: 'x', b: '' }]])
  })

  it('refuses a value that has no column, and reads the other lines', async () => {
    assert.deepEqual(await outline('to,a\n1,x,y\n2,z\n'), [[2, 'malformed_line'], [3, { to: '2', a: 'z' }]])
  })

  it('refuses a line in Windows-1252 with its column, and reads the other lines', async () => {
    const lines = await read(Buffer.from('to;name\n1;J\xfcrgen\n2;Ada\n', 'latin1'))
    assert.deepInclude(lines[0] && E.isLeft(lines[0]) ? lines[0].left : {}, { line: 2, column: 'name', code: 'not_utf8' })
    assert.deepEqual(lines[1], E.right({ line: 3, values: { to: '2', name: 'Ada' } }))
  })

  it('refuses UTF-16 without a byte order mark', async () => {
    assert.deepEqual(await outline(Buffer.from('to,a\n1,b\n', 'utf16le')), [[1, 'not_utf8', 'last']])
  })

  it('refuses a head that names a column twice, and an empty file', async () => {
    assert.deepEqual(await outline('to,a,To\n1,2,3\n'), [[1, 'duplicate_column', 'last']])
    assert.deepEqual(await outline(''), [[1, 'malformed_line', 'last']])
    assert.deepEqual(await outline(MARK), [[1, 'malformed_line', 'last']])
  })

  it('returns the problem of the head as the last', async () => {
    const problem = { column: 'x', code: 'unknown_column', message: 'x is not known' } as const
    const form: LinesForm<Values> = { ...ANYTHING, ofHead: () => E.left(problem) }
    const lines: Array<unknown> = []
    for await (const line of readLines(chunksOf(Buffer.from('x\n1\n2\n'), 3), 'csv', form)) lines.push(line)
    assert.deepEqual(lines, [E.left({ line: 1, ...problem, isLast: true })])
  })

  it('reads the lines before quotes that do not match, and ends there', async () => {
    assert.deepEqual(await outline('to,a\n1,x\n2,y"z\n3,w\n', 'csv', 1000), [[2, { to: '1', a: 'x' }], [3, 'malformed_line', 'last']])
    assert.deepEqual(await outline('to,a\n1,x\n2,"y\n3,w\n'), [[2, { to: '1', a: 'x' }], [3, 'malformed_line', 'last']])
  })

  it('ends at a line that is too long: a value, empty values, a head, or an object', async () => {
    const long = 'x'.repeat(70_000)
    const inCsv = [[2, { to: '1', a: 'x' }], [3, 'line_too_long', 'last']]
    const inJson = [[1, { to: '1' }], [2, 'line_too_long', 'last']]
    assert.deepEqual(await outline(`to,a\n1,x\n2,${long}\n3,w\n`, 'csv', 1000), inCsv)
    assert.deepEqual(await outline(`to,a\n1,x\n2${','.repeat(300_000)}`, 'csv', 1000), inCsv)
    assert.deepEqual(await outline(long, 'csv', 1000), [[1, 'line_too_long', 'last']])
    assert.deepEqual(await outline(`{"to":"1"}\n{"to":"${long}"}\n{"to":"3"}`, 'ndjson', 1000), inJson)
    assert.deepEqual(await outline(`{"to":"1"}\n{"to":"${long}`, 'ndjson', 100_000), inJson)
  })

  it('reads NDJSON with a byte order mark, CRLF and empty lines, and refuses lines that are not objects', async () => {
    const file = Buffer.concat([MARK, Buffer.from('{"to":"1"}\r\n\r\n[1]\n{"to":\n{"to":"ü"}'), Buffer.from('\n"\xfc"\n', 'latin1')])
    assert.deepEqual(await outline(file, 'ndjson'), [
      [1, { to: '1' }], [3, 'malformed_line'], [4, 'malformed_line'], [5, { to: 'ü' }], [6, 'not_utf8'],
    ])
  })

  it('rejects if the source does', async () => {
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('to\n1\n')
      throw new Error('The connection was closed')
    }
    let failure: unknown
    try {
      for await (const line of readLines(source(), 'csv', ANYTHING)) assert.isTrue(E.isRight(line))
    } catch (error) {
      failure = error
    }
    assert.equal(failure instanceof Error ? failure.message : '', 'The connection was closed')
  })

  it('reads 100,000 lines and refuses the next, in little memory, and reads no further ahead than its blocks', async function () {
    this.timeout(60_000)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let given = 0
    let returned = 0
    let furthest = 0
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('to,body.1\n')
      for (; given < 100_001; given += 100) {
        furthest = Math.max(furthest, given - returned)
        yield Buffer.from(Array.from({ length: 100 }, (_, at) => `49151${String(given + at).padStart(8, '0')},${'text '.repeat(60)}\n`).join(''))
      }
    }
    const heap: Array<number> = []
    let last: ReadLine<Values> | undefined
    for await (const line of readLines(source(), 'csv', ANYTHING)) {
      last = line
      returned += 1
      if (returned % 20_000 !== 1) continue
      collect()
      heap.push(process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers)
    }
    assert.equal(returned, 100_001)
    assert.deepInclude(last && E.isLeft(last) ? last.left : {}, { line: 100_002, code: 'too_many_lines', isLast: true })
    assert.isAtMost(furthest, 500)
    assert.isBelow(Math.max(...heap) - (heap[0] ?? 0), 8 * 1024 * 1024)
  })
})
