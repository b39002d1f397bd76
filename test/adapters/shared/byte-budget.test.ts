import { assert } from 'chai'
import { makeByteBudget } from '../../../adapters/shared/byte-budget.js'

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

  it('takes nothing if it refuses, and nothing by being asked', () => {
    const budget = makeByteBudget(100)
    const request = budget.begin()
    assert.isFalse(request.take(101))
    assert.isTrue(request.canTake(100))
    assert.isTrue(request.take(100))
    assert.isFalse(request.canTake(1))
  })

  it('leaves the rest to others if a share is given', () => {
    const budget = makeByteBudget(100)
    const [stranger, known] = [budget.begin(), budget.begin()]
    assert.isTrue(stranger.take(25, 0.25))
    assert.isFalse(stranger.take(1, 0.25))
    assert.isTrue(known.take(75))
  })

  it('keeps all requests of an owner within a fair share, and leaves room for the first request of others', () => {
    const budget = makeByteBudget(100)
    const requestOf = (owner: string) => {
      const request = budget.begin()
      request.belongTo(owner)
      return request
    }
    const [first, second, other] = [requestOf('a'), requestOf('a'), requestOf('b')]
    assert.isTrue(first.take(50))
    assert.isFalse(second.take(31))
    assert.isTrue(second.take(30))
    assert.isFalse(first.canTake(1))
    assert.isFalse(requestOf('a').take(1))
    assert.isTrue(other.take(16))
    assert.isFalse(other.take(1))
    assert.isTrue(requestOf('c').take(4))
    first.end()
    assert.isTrue(requestOf('a').take(10))
    assert.isTrue(other.take(1))
  })

  it('counts for an owner what a request took before its owner was known, within the part that is shared', () => {
    const budget = makeByteBudget(200)
    const [first, second, other] = [budget.begin(), budget.begin(), budget.begin()]
    assert.isTrue(first.take(80, 0.5))
    for (const [request, owner] of [[first, 'a'], [second, 'a'], [other, 'b']] as const) request.belongTo(owner)
    assert.isFalse(second.canTake(1, 0.5))
    assert.isTrue(other.canTake(20, 0.5))
    assert.isTrue(second.canTake(80))
    first.belongTo('c')
    assert.isTrue(second.take(20, 0.5))
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

  describe('with requests that can lose what they took', () => {
    const upload = (budget: ReturnType<typeof makeByteBudget>, owner: string, bytesPerSecond = 1e9) => {
      const request = budget.begin()
      request.belongTo(owner)
      const state = { hasYielded: false }
      const taken = request.take(10, 1, { bytesPerSecond: () => bytesPerSecond, yieldPlace: () => { state.hasYielded = true } })
      return { ...request, taken, state }
    }
    const fill = (budget: ReturnType<typeof makeByteBudget>, owner: string) =>
      Array.from({ length: 10 }, () => upload(budget, owner)).filter(({ taken }) => taken)

    it('ends one of the owner with the most for an owner without any, and then no other one', () => {
      const budget = makeByteBudget(100)
      const [many, some] = [fill(budget, 'a'), fill(budget, 'b')]
      assert.deepEqual([many.length, some.length], [8, 1])
      assert.isTrue(upload(budget, 'c').taken)
      const late = upload(budget, 'd')
      assert.isTrue(late.taken)
      assert.deepEqual([many, some].map((uploads) => uploads.filter(({ state }) => state.hasYielded).length), [1, 0])
      assert.isFalse(upload(budget, 'd').taken)
      for (const { end } of many) end()
      assert.isTrue(budget.begin().take(70))
      assert.isFalse(budget.begin().take(1))
    })

    it('ends one for an owner whose other requests have taken bytes, too', () => {
      const budget = makeByteBudget(100)
      const busy = budget.begin()
      busy.belongTo('b')
      assert.isTrue(busy.take(15))
      const many = fill(budget, 'a')
      assert.isTrue(upload(budget, 'c').taken)
      assert.isTrue(upload(budget, 'b').taken)
      assert.lengthOf(many.filter(({ state }) => state.hasYielded), 1)
    })

    it('ends none if that would not be enough, or for a request that cannot end itself', () => {
      const budget = makeByteBudget(100)
      const stranger = budget.begin()
      assert.isTrue(stranger.take(85))
      const one = upload(budget, 'a', 1)
      const late = budget.begin()
      late.belongTo('b')
      assert.isTrue(one.taken)
      assert.isFalse(late.take(10))
      assert.isFalse(late.take(20, 1, { bytesPerSecond: () => undefined, yieldPlace: () => undefined }))
      assert.isFalse(one.state.hasYielded)
      assert.isTrue(upload(budget, 'b').taken)
      assert.isTrue(one.state.hasYielded)
    })
  })
})
