import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { type PairLimit, PLATFORM_PAIR_LIMIT, takePair } from '../../../core/customers/pair-limit.js'
import type { Instant } from '../../../core/kernel/time.js'

const START = Date.UTC(2026, 10, 28, 9)

type Sent = { readonly sent: ReadonlyArray<Instant>; readonly refused: ReadonlyArray<{ readonly at: Instant; readonly retryAt: Instant }> }

/** Takes a slot at each of the times, one after the other. */
const takeAll = (times: ReadonlyArray<Instant>, limit: PairLimit = PLATFORM_PAIR_LIMIT): Sent => {
  let next: Instant | undefined
  const [sent, refused]: [Array<Instant>, Array<{ at: Instant; retryAt: Instant }>] = [[], []]
  for (const at of times) {
    const taken = takePair(limit, next, at)
    if (E.isRight(taken)) {
      next = taken.right
      sent.push(at)
    } else refused.push({ at, retryAt: taken.left.retryAt })
  }
  return { sent, refused }
}

/**
 * An independent description of the same limit: a bucket of `burst` tokens that gains one each interval, counted in whole milliseconds of credit. It returns
 * the times that it allows.
 */
const bucket = (times: ReadonlyArray<Instant>, { intervalMs, burst }: PairLimit): ReadonlyArray<Instant> => {
  let credit = burst * intervalMs
  let last = times[0] ?? 0
  return times.filter((at) => {
    credit = Math.min(burst * intervalMs, credit + at - last)
    last = at
    if (credit < intervalMs) return false
    credit -= intervalMs
    return true
  })
}

const limits = fc.record({ intervalMs: fc.integer({ min: 1, max: 9_000 }), burst: fc.integer({ min: 1, max: 60 }) })
/** Pauses between requests: mostly short, so that the limit is reached, and sometimes long. */
const pauses = fc.array(fc.oneof({ weight: 4, arbitrary: fc.nat(900) }, fc.nat(9_000), fc.nat(400_000)), { minLength: 1, maxLength: 300 })
const timesOf = (gaps: ReadonlyArray<number>): ReadonlyArray<Instant> => {
  let at = START
  return gaps.map((gap) => (at += gap))
}

describe('The limit of a pair', () => {
  it('allows what a bucket of tokens allows', () => {
    fc.assert(fc.property(pauses, limits, (gaps, limit) => {
      const times = timesOf(gaps)
      assert.deepEqual(takeAll(times, limit).sent, bucket(times, limit))
    }))
  })

  it('allows in any period no more than the burst and one for each interval', () => {
    fc.assert(fc.property(pauses, limits, (gaps, limit) => {
      const { sent } = takeAll(timesOf(gaps), limit)
      sent.forEach((from, first) => {
        sent.slice(first).forEach((to, index) => {
          assert.isAtMost(index + 1, limit.burst + Math.floor((to - from) / limit.intervalMs), `${to - from} ms`)
        })
      })
    }))
  })

  it('of the platform allows 45 messages immediately, at most 46 in any 6 seconds, and then one each 6 seconds', () => {
    const times = Array.from({ length: 6_000 }, (_, index) => START + index * 10)
    const { sent } = takeAll(times)
    assert.deepEqual(sent.slice(0, 45), times.slice(0, 45))
    for (const from of sent) assert.isAtMost(sent.filter((at) => at >= from && at < from + 6_001).length, 46)
    assert.deepEqual(sent.slice(45).map((at) => at - START), [6_000, 12_000, 18_000, 24_000, 30_000, 36_000, 42_000, 48_000, 54_000])
  })

  it('names for a refused message the first time at which one is allowed', () => {
    fc.assert(fc.property(pauses, limits, (gaps, limit) => {
      let next: Instant | undefined
      for (const at of timesOf(gaps)) {
        const taken = takePair(limit, next, at)
        if (E.isRight(taken)) next = taken.right
        else {
          assert.isAbove(taken.left.retryAt, at)
          assert.isTrue(E.isRight(takePair(limit, next, taken.left.retryAt)))
          assert.isTrue(E.isLeft(takePair(limit, next, taken.left.retryAt - 1)))
        }
      }
    }))
  })

  it('counts a clock that goes back as no time at all', () => {
    const { sent } = takeAll([START, ...Array.from({ length: 100 }, (_, index) => START - index * 1_000)])
    assert.isAtMost(sent.length, 45)
  })
})
