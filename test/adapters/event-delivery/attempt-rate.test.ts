import { assert } from 'chai'
import { makeAttemptRate } from '../../../adapters/event-delivery/attempt-rate.js'

describe('The rate of attempts', () => {
  it('lets a quarter of a second of attempts through at once, then those of a tenth of a second together', () => {
    const rate = makeAttemptRate(100, () => 10_000)
    const waits = Array.from({ length: 40 }, () => rate.reserve('a'))
    assert.deepEqual(waits.slice(0, 26), new Array(26).fill(0))
    assert.deepEqual(waits.slice(26), [...new Array(10).fill(100), ...new Array(4).fill(200)])
  })

  it('counts for each endpoint apart', () => {
    const rate = makeAttemptRate(1, () => 10_000)
    assert.deepEqual([rate.reserve('a'), rate.reserve('a'), rate.reserve('b')], [0, 800, 0])
  })

  it('is the same in the long run, however attempts come', () => {
    let now = 10_000
    const rate = makeAttemptRate(50, () => now)
    for (let n = 0; n < 500; n += 1) now += rate.reserve('a')
    assert.approximately(now - 10_000, 10_000, 300)
  })
})
