import { assert } from 'chai'
import { type Currency, MAX_MICROS } from '../../../core/kernel/money.js'
import type { MessageId } from '../../../core/messages/message.js'
import { auditWallet, STATEMENT_CSV_HEADER, statementCsvLine, type WalletTotals } from '../../../core/money/ledger.js'
import { isAmount } from '../../../core/money/wallet.js'

const EXACT: WalletTotals = {
  available: 40n, held: 20n,
  entries: { top_up: 100n, adjustment: -10n, capture: 50n, refund: 20n },
  holds: { held: 20n, captured: 30n, released: 7n, refunded: 20n },
}

describe('A movement in a CSV file', () => {
  it('has a cell under each name of the header', () => {
    const entry = { id: '1', kind: 'adjustment', micros: -1n, message: undefined, reference: 'INV-1', note: 'typed wrong', at: 0 } as const
    assert.equal(STATEMENT_CSV_HEADER, 'id,at,kind,amount,currency,message,reference,note,error\r\n')
    assert.equal(statementCsvLine(entry, 'EUR' as Currency), '1,1970-01-01T00:00:00.000Z,adjustment,-0.000001,EUR,,INV-1,typed wrong,\r\n')
    const refund = {
      id: '2', kind: 'refund', micros: 1n, message: `msg_${'0'.repeat(32)}` as MessageId, reference: undefined,
      error: { code: 131026, title: 'Message undeliverable' }, at: 0,
    } as const
    assert.equal(statementCsvLine(refund, 'EUR' as Currency), `2,1970-01-01T00:00:00.000Z,refund,0.000001,EUR,msg_${'0'.repeat(32)},,,131026\r\n`)
  })
})

describe('The audit of a wallet', () => {
  it('finds nothing if the books are exact, or if there is nothing', () => {
    assert.deepEqual(auditWallet(EXACT), [])
    assert.deepEqual(auditWallet({ available: 0n, held: 0n, entries: {}, holds: {} }), [])
  })

  const cases: ReadonlyArray<readonly [title: string, off: Partial<WalletTotals>, faults: ReadonlyArray<string>]> = [
    ['money that was not paid in', { available: 41n }, ['available, held and spent money is 0.000091, but the money paid in is 0.000090']],
    ['held money without an open hold', { holds: { ...EXACT.holds, held: 19n } }, ['held money is 0.000020, but the sum of the open holds is 0.000019']],
    [
      'a captured hold that differs from its entry', { holds: { ...EXACT.holds, captured: 31n } },
      ['captured and not refunded money is 0.000030, but the sum of the captured holds is 0.000031'],
    ],
  ]
  for (const [title, off, faults] of cases) {
    it(`names ${title}`, () => { assert.deepEqual(auditWallet({ ...EXACT, ...off }), faults) })
  }
})

describe('What one amount may count', () => {
  it('ends with the largest amount, of either sign', () => {
    assert.deepEqual([MAX_MICROS, -MAX_MICROS, MAX_MICROS + 1n, -MAX_MICROS - 1n].map(isAmount), [true, true, false, false])
  })
})
