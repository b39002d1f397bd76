import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { currencyOf, formatMicros, MAX_MICROS, parseCurrency, parseMicros } from '../../../core/kernel/money.js'

describe('Money', () => {
  it('reads a decimal string of up to six decimals', () => {
    const read: ReadonlyArray<readonly [string, bigint]> = [
      ['0', 0n], ['12.34', 12_340_000n], ['0.0625', 62_500n], ['0.000001', 1n],
      ['1.000000', 1_000_000n], ['7', 7_000_000n], ['0.1', 100_000n],
    ]
    for (const [text, micros] of read) assert.deepEqual(parseMicros(text), E.right(micros), text)
  })

  it('refuses everything that is not a plain decimal number', () => {
    for (const text of [
      '', ' ', '.', '.5', '5.', '01', '00', '-1', '+1', '1e3', '1,5', '1_000', ' 1', '1 ', '1\n', '0x10', 'NaN', 'Infinity',
      '1.0000000', '1.1.1', '١٢', '１２', '12.３',
    ]) {
      assert.isTrue(E.isLeft(parseMicros(text)), JSON.stringify(text))
    }
  })

  it('reads up to the largest amount, and not a micro more', () => {
    assert.deepEqual(parseMicros('1000000000000'), E.right(MAX_MICROS))
    assert.deepEqual(parseMicros('999999999999.999999'), E.right(MAX_MICROS - 1n))
    for (const text of [
      '1000000000000.000001', '9999999999999', '10000000000000', '1'.padEnd(300, '0'),
    ]) {
      assert.isTrue(E.isLeft(parseMicros(text)), text)
    }
  })

  it('has the currency of a constant, and throws if the text is not one', () => {
    assert.deepEqual(parseCurrency('USD'), E.right(currencyOf('USD')))
    for (const text of ['', 'usd', 'USDT']) assert.throws(() => currencyOf(text), TypeError, 'three capital letters')
  })

  it('explains an amount it refuses in a sentence', () => {
    assert.deepEqual(
      parseMicros('1000000000001'), E.left({ _tag: 'InvalidAmount', reason: 'an amount must be at most 1000000000000.000000' }),
    )
    assert.deepEqual(
      parseMicros('twelve'),
      E.left({ _tag: 'InvalidAmount', reason: 'an amount must be a decimal number with at most six decimals, such as 12.34' }),
    )
  })

  it('reads what it wrote as the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_MICROS }), (micros) => {
        assert.deepEqual(parseMicros(formatMicros(micros)), E.right(micros))
      }),
    )
  })

  it('reads an amount written without its trailing zeros as the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_MICROS }), (micros) => {
        assert.deepEqual(parseMicros(formatMicros(micros).replace(/\.?0+$/, '')), E.right(micros))
      }),
    )
  })

  it('writes all six decimals, and one sign at most', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MAX_MICROS, max: MAX_MICROS }), (micros) => {
        assert.match(formatMicros(micros), /^-?(0|[1-9][0-9]*)\.[0-9]{6}$/)
        assert.equal(formatMicros(-micros), micros > 0n ? `-${formatMicros(micros)}` : formatMicros(micros).replace('-', ''))
      }),
    )
    const written: ReadonlyArray<readonly [bigint, string]> = [
      [0n, '0.000000'], [-1n, '-0.000001'], [12_340_000n, '12.340000'], [-1_500_000n, '-1.500000'],
    ]
    for (const [micros, text] of written) assert.equal(formatMicros(micros), text)
  })

  it('takes three capitals for a currency and nothing else', () => {
    assert.deepEqual(parseCurrency('USD'), E.right('USD'))
    for (const text of ['', 'US', 'USDT', 'usd', 'U$D', ' USD', 'USD\n', 'ＵＳＤ', 'ÄÖÜ']) {
      assert.isTrue(E.isLeft(parseCurrency(text)), JSON.stringify(text))
    }
  })
})
