import { assert } from 'chai'
import { typedAmount, writeMoney } from '../../../adapters/console/money.js'
import { MAX_MICROS } from '../../../core/kernel/money.js'

describe('an amount in a field', () => {
  const AMOUNTS: ReadonlyArray<readonly [micros: bigint, typed: string]> = [
    [0n, '0.00'], [25_000_000n, '25.00'], [12_500_000n, '12.50'], [100_000_000n, '100.00'], [7_700n, '0.0077'], [1_234_567n, '1.234567'],
    [1_230_000n, '1.23'], [-5_000_000n, '-5.00'],
  ]
  for (const [micros, typed] of AMOUNTS) it(`is ${typed}, as a person types it`, () => { assert.equal(typedAmount(micros), typed) })
})

describe('writing money', () => {
  const AMOUNTS: ReadonlyArray<readonly [what: string, micros: bigint, currency: string, written: string, asMovement: string]> = [
    ['nothing', 0n, 'USD', '$0.00', '$0.00'],
    ['whole units', 12_000_000n, 'USD', '$12.00', '+$12.00'],
    ['one decimal', 12_500_000n, 'USD', '$12.50', '+$12.50'],
    ['less than a cent', 7_700n, 'USD', '$0.0077', '+$0.0077'],
    ['all six decimals', 1_234_567n, 'USD', '$1.234567', '+$1.234567'],
    ['the least there is', 1n, 'USD', '$0.000001', '+$0.000001'],
    ['what went', -5_000_000n, 'USD', '−$5.00', '−$5.00'],
    ['the least that went', -1n, 'USD', '−$0.000001', '−$0.000001'],
    ['thousands', 1_315_790_000n, 'USD', '$1,315.79', '+$1,315.79'],
    ['the most a wallet holds', MAX_MICROS, 'USD', '$1,000,000,000,000.00', '+$1,000,000,000,000.00'],
    ['more than a number holds exactly', MAX_MICROS - 1n, 'USD', '$999,999,999,999.999999', '+$999,999,999,999.999999'],
    ['the most that can be missing', -MAX_MICROS, 'USD', '−$1,000,000,000,000.00', '−$1,000,000,000,000.00'],
    ['euros', 46_200n, 'EUR', '€0.0462', '+€0.0462'],
    ['another dollar', 5_000_000n, 'CAD', 'CA$5.00', '+CA$5.00'],
    ['a currency without decimals', 1_250_000_000n, 'JPY', '¥1,250', '+¥1,250'],
    ['a part of a currency without decimals', 750_000n, 'JPY', '¥0.75', '+¥0.75'],
    ['a currency with three decimals', 1_500_000n, 'KWD', 'KWD\u00a01.500', '+KWD\u00a01.500'],
    ['a currency that no one knows', 1_500_000n, 'XQZ', 'XQZ\u00a01.50', '+XQZ\u00a01.50'],
  ]
  for (const [what, micros, currency, written, asMovement] of AMOUNTS) {
    it(`writes ${what} as ${written}, and as a movement as ${asMovement}`, () => {
      assert.deepEqual([writeMoney(micros, currency), writeMoney(micros, currency, true)], [written, asMovement])
    })
  }
})
