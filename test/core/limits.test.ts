import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { enterAll, type Entered, type Limiter, makeByteBudget, makeLimiter, networkOf, siteOf } from '../../core/kernel/limits.js'
import { rightOf } from '../support/right-of.js'

describe('the network of an address', () => {
  it('is the address of IPv4, however it is written, and a /64 of IPv6', () => {
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1']) assert.equal(networkOf(address), '192.0.2.1')
    for (const address of ['2001:db8:0:1::1', '2001:DB8:0:1:ffff:0:0:9', '2001:0db8::1:0:0:0:1']) assert.equal(networkOf(address), '2001:db8:0:1::/64')
  })

  it('is a /48 of IPv6 where many ask at once', () => {
    assert.deepEqual(['192.0.2.1', '2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8::1'].map(siteOf), ['192.0.2.1', '2001:db8:7::/48', '2001:db8:7::/48', '2001:db8:0::/48'])
  })
})

describe('a limiter', () => {
  let at = 0
  const now = () => at
  const enter = (limiter: Limiter, caller = 'ann'): Entered => rightOf(limiter.enter(caller))
  const refusal = (limiter: Limiter, caller = 'ann') => {
    const entered = limiter.enter(caller)
    return E.isLeft(entered) ? entered.left : assert.fail('it was let in')
  }
  beforeEach(() => { at = 1_000_000 })

  it('lets a caller have so many requests under way, and another one as many', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 2, now })
    const first = enter(limiter)
    enter(limiter)
    assert.deepEqual(refusal(limiter), { _tag: 'TooManyRequests', limit: 'pages', retryAfterSeconds: 1 })
    enter(limiter, 'bob')
    first.leave()
    first.leave()
    enter(limiter)
    assert.equal(refusal(limiter)._tag, 'TooManyRequests')
  })

  it('lets no request wait where it has no rate', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 100, now })
    for (let count = 0; count < 100; count += 1) assert.equal(enter(limiter).waitMs, 0)
  })

  it('lets requests begin at its rate, after a burst', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 100, perSecond: 10, burst: 3, now })
    assert.deepEqual(Array.from({ length: 6 }, () => enter(limiter).waitMs), [0, 0, 0, 100, 200, 300])
    assert.equal(enter(limiter, 'bob').waitMs, 0)
    at += 400
    assert.equal(enter(limiter).waitMs, 0)
    at += 10_000
    assert.deepEqual(Array.from({ length: 4 }, () => enter(limiter).waitMs), [0, 0, 0, 100])
  })

  it('bounds those that wait, too, and says when the next turn is', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 4, perSecond: 0.5, now })
    assert.deepEqual(Array.from({ length: 4 }, () => enter(limiter).waitMs), [0, 2_000, 4_000, 6_000])
    assert.equal(refusal(limiter).retryAfterSeconds, 8)
    // What is refused moves no turn.
    assert.equal(refusal(limiter).retryAfterSeconds, 8)
  })

  it('remembers a bounded number of callers, and forgets none who has a request under way', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 1, perSecond: 1, now, callers: 3 })
    enter(limiter, 'stays')
    for (let count = 0; count < 10; count += 1) enter(limiter, `guest ${count}`).leave()
    assert.equal(refusal(limiter, 'stays').limit, 'pages')
    assert.equal(enter(limiter, 'guest 0').waitMs, 0, 'who was here long ago is remembered')
    assert.equal(enter(limiter, 'guest 9').waitMs, 1_000, 'who was just here is forgotten')
  })

  it('is entered together with others, and left where one of them refuses', () => {
    const person = makeLimiter({ limit: 'person', atOnce: 10, perSecond: 1, now })
    const all = makeLimiter({ limit: 'all', atOnce: 1, perSecond: 1, now })
    const both = (name: string) => enterAll([[person, name], [all, '']])
    const first = rightOf(both('ann'))
    const refused = both('ann')
    assert.deepInclude(E.isLeft(refused) ? refused.left : {}, { limit: 'all' })
    first.leave()
    assert.equal(rightOf(both('bob')).waitMs, 1_000)
  })

  it('charges a large request for the turns that it took', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 10, perSecond: 10, burst: 5, now })
    enter(limiter).leave(4)
    assert.equal(enter(limiter).waitMs, 100)
  })

  it('counts down what is under way once however often a request is left', () => {
    const limiter = makeLimiter({ limit: 'pages', atOnce: 1, now })
    const first = enter(limiter)
    first.leave()
    const second = enter(limiter)
    first.leave()
    assert.equal(refusal(limiter).limit, 'pages')
    second.leave()
    enter(limiter)
  })
})

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

    it('ends none where that would not be enough, or for a request that cannot end itself', () => {
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
