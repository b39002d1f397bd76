import { assert } from 'chai'
import { checkRateCards } from '../../../apps/server/checks.js'
import { readRateCards } from '../../../apps/server/rate-card.js'
import { rightOf } from '../../support/right-of.js'

const NOW = Date.UTC(2026, 10, 22)
const price = { service: '1', marketing: '1', utility: '1', authentication: '1' }

const noteOn = (...days: ReadonlyArray<string>): string | undefined => {
  const { fault, note } = checkRateCards(
    rightOf(readRateCards(days.map((effective) => ({ currency: 'USD', effective, default: price })))), NOW,
  )
  assert.isNull(fault)
  return note
}

describe('The check of the rate cards', () => {
  it('says nothing of one card that holds', () => assert.isUndefined(noteOn('2026-10-01')))

  it('says which of several cards counts, and until when', () => {
    assert.equal(noteOn('2027-04-01', '2026-10-01', '2027-01-01', '2026-07-01'), 'the card of 2026-10-01 is in effect until the card of 2027-01-01 starts')
    assert.equal(noteOn('2026-07-01', '2026-11-22'), 'the card of 2026-11-22 is in effect')
  })

  it('warns if every card is still to come', () => {
    for (const days of [['2026-11-23'], ['2027-01-01', '2026-11-23']])
      assert.match(noteOn(...days) ?? '', /^its prices start on 2026-11-23 but are in effect already/)
  })
})
