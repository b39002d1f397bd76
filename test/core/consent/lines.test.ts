import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { CONSENT_COLUMNS, type ConsentLine, consentLines, exportedLine } from '../../../core/consent/lines.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { parseJsonObject } from '../../../core/kernel/exact-json.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { ValueProblem } from '../../../core/kernel/lines.js'
import { DAY_MS } from '../../../core/kernel/time.js'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const TO = '4915123456789'

const row = (cells: Readonly<Record<string, string>>): E.Either<ValueProblem, ConsentLine> => {
  const head = consentLines(NOW).ofHead(Object.keys(cells))
  return E.isLeft(head) ? head : head.right(Object.values(cells))
}

const object = (value: JsonObject): E.Either<ValueProblem, ConsentLine> => consentLines(NOW).ofObject(value)

const problemOf = (read: E.Either<ValueProblem, unknown>): unknown => (E.isLeft(read) ? [read.left.code, read.left.column] : read.right)

const GRANTED = { to: TO, of: 'marketing', status: 'granted' }

describe('The lines of a file of consents', () => {
  it('say what a customer allowed or stopped, since when, and how it is known', () => {
    const cells = {
      At: '2026-11-27T10:00:00+01:00', Status: ' Withdrawn', of: 'ALL', to: '+49 151 23456789', source: 'shop ', note: 'by phone,\n twice',
    }
    assert.deepEqual(row(cells), E.right({
      to: TO as CustomerId,
      fact: { topic: 'all', status: 'withdrawn', since: Date.parse('2026-11-27T09:00:00Z'), source: 'shop', note: 'by phone, twice' },
    }))
  })

  it('count from now and have the source import if they say nothing else', () => {
    const line: ConsentLine = { to: TO as CustomerId, fact: { topic: 'marketing', status: 'granted', since: NOW, source: 'import' } }
    assert.deepEqual(row(GRANTED), E.right(line))
    assert.deepEqual(object({ ...GRANTED, at: null, source: null, note: '' }), E.right(line))
  })

  it('do not count from a time to come', () => {
    const read = row({ ...GRANTED, at: '2026-11-28T12:04:00Z' })
    assert.equal(E.isRight(read) && read.right.fact.since, NOW)
    assert.deepEqual(problemOf(row({ ...GRANTED, at: '2026-11-29' })), ['invalid_parameter', 'at'])
  })

  it('need the columns to, of and status, and no others than the known ones', () => {
    assert.deepEqual(problemOf(row({ to: TO, status: 'granted' })), ['missing_column', 'of'])
    assert.deepEqual(problemOf(row({ ...GRANTED, name: 'Ada' })), ['unknown_column', 'name'])
    assert.deepEqual(problemOf(object({ ...GRANTED, name: 'Ada' })), ['unknown_column', undefined])
  })

  const REFUSED: ReadonlyArray<readonly [line: JsonObject, code: string, column: string]> = [
    [{ ...GRANTED, to: '4.91512E+12' }, 'number_in_scientific_notation', 'to'],
    [{ of: 'all', status: 'granted' }, 'missing_parameters', 'to'],
    [{ ...GRANTED, to: 4915123456789 }, 'invalid_parameter', 'to'],
    [{ ...GRANTED, of: 'sms' }, 'invalid_parameter', 'of'],
    [{ ...GRANTED, status: 'yes' }, 'invalid_parameter', 'status'],
    [{ ...GRANTED, at: '27.11.2026' }, 'invalid_parameter', 'at'],
    [{ ...GRANTED, source: 'x'.repeat(101) }, 'invalid_parameter', 'source'],
    [{ ...GRANTED, note: 'a\0b' }, 'invalid_parameter', 'note'],
  ]
  for (const [line, code, column] of REFUSED) {
    it(`are refused if they are ${JSON.stringify(line).slice(0, 90)}`, () => { assert.deepEqual(problemOf(object(line)), [code, column]) })
  }

  it('can be imported again as they are exported', () => {
    for (const note of [undefined, 'by phone']) {
      const fact = { topic: 'all', status: 'withdrawn', source: 'word', since: NOW - DAY_MS, ...(note !== undefined && { note }) } as const
      const line = { to: TO as CustomerId, fact }
      const listed = { id: TO as CustomerId, ...fact }
      const cells = exportedLine('csv', listed).trim().split(',')
      const exported = Object.fromEntries(CONSENT_COLUMNS.map((column, at) => [column, cells[at] ?? '']))
      assert.deepEqual([row(exported), object(parseJsonObject(exportedLine('ndjson', listed)) ?? {})], [E.right(line), E.right(line)])
    }
  })
})
