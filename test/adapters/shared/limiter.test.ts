import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { enterAll, type Entered, type Limiter, makeLimiter } from '../../../adapters/shared/limiter.js'
import { rightOf } from '../../support/right-of.js'

describe('a limiter', () => {
  let at = 0
  const now = () => at
  const enter = (limiter: Limiter, caller = 'ann'): Entered => rightOf(limiter.enter(caller))
  const refusal = (limiter: Limiter, caller = 'ann') => {
    const entered = limiter.enter(caller)
    return E.isLeft(entered) ? entered.left : assert.fail('it was let in')
  }
  beforeEach(() => { at = 1_000_000 })

  it('allows each caller a number of simultaneous requests', () => {
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

  it('lets no request wait if it has no rate', () => {
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

  it('is entered together with others, and left if one of them refuses', () => {
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
