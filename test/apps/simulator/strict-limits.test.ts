import { assert } from 'chai'
import { makeStrictLimits } from '../../../apps/simulator/strict-limits.js'

const DAY_MS = 86_400_000

describe('The strict limits of the simulator', () => {
  it('count the messages of a business number in each second of the clock', () => {
    let now = 10_900
    const { countInSecond } = makeStrictLimits(() => now)
    assert.deepEqual([countInSecond('1'), countInSecond('1'), countInSecond('2')], [1, 2, 1])
    now = 10_999
    assert.equal(countInSecond('1'), 3)
    now = 11_000
    assert.equal(countInSecond('1'), 1)
  })

  it('let a portfolio reach a number of distinct customers in 24 hours', () => {
    let now = 0
    const { reach } = makeStrictLimits(() => now)
    assert.deepEqual(['a', 'b', 'a', 'c'].map((one) => reach('p', one, 2)), [true, true, true, false])
    assert.isTrue(reach('q', 'c', 2))
    now = DAY_MS - 1
    assert.isFalse(reach('p', 'c', 2))
    now = DAY_MS
    assert.isTrue(reach('p', 'c', 2))
  })
})
