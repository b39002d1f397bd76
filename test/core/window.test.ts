import { assert } from 'chai'
import fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { closesAt, isOpen, WINDOW_MS } from '../../core/customers/window.js'

const WROTE_AT = Date.UTC(2026, 2, 28, 22, 30)
const after = (hours: number, minutes: number, seconds: number, ms: number): number =>
  WROTE_AT + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + ms

describe('The customer service window', () => {
  it('is open at 23:59:59.999 after the customer wrote', () => {
    assert.isTrue(isOpen(after(23, 59, 59, 999), O.some(WROTE_AT)))
  })

  it('is closed at 24:00:00.000 after the customer wrote, which is when it says that it closes', () => {
    assert.isFalse(isOpen(after(24, 0, 0, 0), O.some(WROTE_AT)))
    assert.equal(closesAt(WROTE_AT), after(24, 0, 0, 0))
  })

  it('is open at the moment the customer writes', () => {
    assert.isTrue(isOpen(WROTE_AT, O.some(WROTE_AT)))
  })

  it('was never open where the customer never wrote', () => {
    assert.isFalse(isOpen(WROTE_AT, O.none))
  })

  it('is open exactly until it closes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * WINDOW_MS }), fc.nat({ max: WROTE_AT }), (elapsed, wroteAt) => {
        assert.equal(isOpen(wroteAt + elapsed, O.some(wroteAt)), elapsed < 86_400_000)
      }),
    )
  })
})
