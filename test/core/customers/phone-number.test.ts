import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { callingCodeIn, callingCodeOf, type PhoneNumber, variantsOf } from '../../../core/customers/customer.js'
import { lastInboundOf } from '../../../core/customers/window.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'

const SPELLINGS: ReadonlyArray<readonly [country: string, long: PhoneNumber, short: PhoneNumber]> = [
  ['Mexico', '5215512345678' as PhoneNumber, '525512345678' as PhoneNumber],
  ['Argentina', '5491123456789' as PhoneNumber, '541123456789' as PhoneNumber],
  ['Brazil', '5511987654321' as PhoneNumber, '551187654321' as PhoneNumber],
]

const WORKSPACE = workspaceIdOf('0'.repeat(32))

describe("A customer's window", () => {
  for (const [country, long, short] of SPELLINGS) {
    it(`is found by either spelling of a number of ${country}, whichever one was recorded`, async () => {
      const { windowClock } = makeMemoryStorage()
      const last = (number: PhoneNumber) => lastInboundOf({ windowClock }, WORKSPACE, number)
      assert.deepEqual(await last(long), E.right(O.none))
      await windowClock.recordInbound(WORKSPACE, { phoneNumber: long }, 5)
      assert.deepEqual([await last(long), await last(short)], [E.right(O.some(5)), E.right(O.some(5))])
      await windowClock.recordInbound(WORKSPACE, { phoneNumber: short }, 7)
      assert.deepEqual([await last(long), await last(short)], [E.right(O.some(7)), E.right(O.some(7))])
    })

    it(`has the two spellings of ${country} lead to each other`, () => {
      assert.deepEqual(variantsOf(long), [long, short])
      assert.deepEqual(variantsOf(short), [short, long])
    })
  }

  it('has one spelling in every other country', () => {
    for (const number of ['15550001111', '4915112345678', '33612345678', '52155123456', '54911234567890', '5512345']) {
      assert.deepEqual(variantsOf(number as PhoneNumber), [number as PhoneNumber])
    }
  })
})

describe('The calling code of a number', () => {
  it('is found with one, two or three digits, and is absent if no country has it', () => {
    const codes = ['15550001111', '4915112345678', '22507123456', '99912345678'].map((number) => callingCodeIn(number as PhoneNumber))
    assert.deepEqual(codes, ['1', '49', '225', undefined])
  })

  it('is known of countries throughout the alphabet', () => {
    const countries = ['AE', 'BR', 'DE', 'FR', 'ID', 'JP', 'KR', 'LU', 'NG', 'PK', 'SG', 'TR', 'ZA', 'US', 'PR', 'XX']
    assert.deepEqual(countries.map(callingCodeOf), [
      '971', '55', '49', '33', '62', '81', '82', '352', '234', '92', '65', '90', '27', '1', '1787', undefined,
    ])
  })
})
