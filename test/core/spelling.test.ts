import { assert } from 'chai'
import type { PhoneNumber } from '../../core/message.js'
import { windowNumber } from '../../core/spelling.js'

const SPELLINGS: ReadonlyArray<readonly [country: string, long: string, short: string]> = [
  ['Mexico', '5215512345678', '525512345678'],
  ['Argentina', '5491123456789', '541123456789'],
  ['Brazil', '5511987654321', '551187654321'],
]

describe("A customer's window", () => {
  for (const [country, long, short] of SPELLINGS) {
    it(`is the same under both spellings of a number of ${country}`, () => {
      assert.equal(windowNumber(long as PhoneNumber), short)
      assert.equal(windowNumber(short as PhoneNumber), short)
    })
  }

  it('is kept under the number as it is in every other country', () => {
    for (const number of ['15550001111', '4915112345678', '33612345678', '5511876543210', '52155123456', '54911234567890', '5512345']) {
      assert.equal(windowNumber(number as PhoneNumber), number)
    }
  })
})
