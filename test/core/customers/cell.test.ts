import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { parseCellCustomerId } from '../../../core/customers/cell.js'

describe('The customer in a cell of a spreadsheet', () => {
  const ACCEPTED = [
    '4915123456789', '+49 151 23456789', '0049 151 23456789', "'+4915123456789", '+49-151-23456789', '(+49) 151 23456789',
    ' 4915123456789\t',
    '+49\u00a0151\u202f23456789', '\u202a+49 151 23456789\u202c', '+49\u2011151\u201323456789', "'0049.151.23456789", '4.915.123.456.789',
    '(0049) 151 23456789',
  ]
  for (const cell of ACCEPTED) {
    it(`is read from ${JSON.stringify(cell)}`, () => { assert.deepEqual(parseCellCustomerId(cell), E.right('4915123456789')) })
  }

  it('may be a user id', () => {
    assert.deepEqual(parseCellCustomerId(' DE.13491208655302741918 '), E.right('DE.13491208655302741918'))
  })

  const REFUSED: ReadonlyArray<readonly [cell: string, code: string, advice: RegExp]> = [
    ['4.91512E+12', 'number_in_scientific_notation', /format the column as text/],
    ['4,91512E+12', 'number_in_scientific_notation', /format the column as text/],
    ["'4,9e12", 'number_in_scientific_notation', /format the column as text/],
    ['4915123456789.0', 'invalid_phone_number', /format the column as text/],
    ['4915123456789,00', 'invalid_phone_number', /format the column as text/],
    ['0151 23456789', 'invalid_phone_number', /country code/],
    ['+49 (0) 151 23456789', 'invalid_phone_number', /\(0\)/],
    ['4915123456789, 4915123456780', 'invalid_phone_number', /neither/],
    ['#NAME?', 'invalid_phone_number', /neither/],
    ['000 151 23456789', 'invalid_phone_number', /country code/],
  ]
  for (const [cell, code, advice] of REFUSED) {
    it(`is refused if the cell is ${cell}`, () => {
      const read = parseCellCustomerId(cell)
      if (E.isRight(read)) assert.fail(read.right)
      assert.deepEqual([read.left.column, read.left.code, read.left.to], ['to', code, cell])
      assert.match(read.left.message, advice)
    })
  }

  it('is missing if the cell is empty', () => {
    const read = parseCellCustomerId(" ' ")
    assert.equal(E.isLeft(read) && read.left.code, 'missing_parameters')
  })
})
