import { assert } from 'chai'
import { makeByteBudget } from '../../core/kernel/limits.js'

describe('a budget of bytes', () => {
  it('is one for all requests, and gets back what a request took when it ends', () => {
    const budget = makeByteBudget(100)
    const [first, second] = [budget.begin(), budget.begin()]
    assert.isTrue(first.take(60))
    assert.isFalse(second.take(41))
    assert.isTrue(second.take(40))
    first.end()
    assert.isTrue(second.take(60))
    assert.isFalse(second.take(1))
  })

  it('takes nothing where it refuses, and nothing by being asked', () => {
    const budget = makeByteBudget(100)
    const request = budget.begin()
    assert.isFalse(request.take(101))
    assert.isTrue(request.canTake(100))
    assert.isTrue(request.take(100))
    assert.isFalse(request.canTake(1))
  })

  it('leaves the rest to others where a share is given', () => {
    const budget = makeByteBudget(100)
    const [stranger, known] = [budget.begin(), budget.begin()]
    assert.isTrue(stranger.take(25, 0.25))
    assert.isFalse(stranger.take(1, 0.25))
    assert.isTrue(known.take(75))
  })

  it('gives nothing to a request that has ended, and gets its bytes back once', () => {
    const budget = makeByteBudget(100)
    const [ended, other] = [budget.begin(), budget.begin()]
    assert.isTrue(ended.take(50))
    ended.end()
    ended.end()
    assert.isFalse(ended.take(1))
    assert.isTrue(other.take(100))
    assert.isFalse(other.take(1))
  })
})
