import { assert } from 'chai'
import { type Attempted, GIVES_UP_AFTER_MS, nextAttemptAt } from '../../core/events/delivery.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'

const FIRST = Date.UTC(2026, 0, 1)

const next = (given: Partial<Attempted>): number | undefined => {
  const at = nextAttemptAt({ attempts: 1, firstAttemptAt: FIRST, now: FIRST, retryAfterMs: undefined, random: 0, ...given })
  return at === undefined ? undefined : at - (given.now ?? FIRST)
}

describe('The schedule of deliveries', () => {
  const pauses = [
    [1, 5 * SECOND_MS], [2, 5 * MINUTE_MS], [3, 30 * MINUTE_MS], [4, 2 * HOUR_MS], [5, 5 * HOUR_MS], [6, 10 * HOUR_MS], [7, 14 * HOUR_MS],
    [8, 20 * HOUR_MS], [9, DAY_MS], [10, DAY_MS], [50, DAY_MS],
  ] as const
  for (const [attempts, pause] of pauses) {
    it(`waits ${pause / SECOND_MS} seconds after ${attempts} failed attempts`, () => assert.equal(next({ attempts }), pause))
  }

  it('waits at most a tenth longer, so that events that failed together are not tried together', () => {
    assert.equal(next({ attempts: 2, random: 1 }), 5.5 * MINUTE_MS)
    assert.equal(next({ attempts: 2, random: 0.5 }), 5.25 * MINUTE_MS)
  })

  it('waits as long as the receiver asks for, where that is longer', () => {
    assert.equal(next({ retryAfterMs: HOUR_MS }), HOUR_MS)
    assert.equal(next({ attempts: 4, retryAfterMs: HOUR_MS }), 2 * HOUR_MS)
  })

  it('waits a day at most where the receiver asks for more', () => {
    assert.equal(next({ retryAfterMs: 365 * DAY_MS }), DAY_MS)
    assert.equal(next({ retryAfterMs: Infinity }), DAY_MS)
  })

  it('gives an event up once its next attempt would be more than five days after its first', () => {
    assert.equal(next({ attempts: 9, now: FIRST + GIVES_UP_AFTER_MS - DAY_MS }), DAY_MS)
    assert.isUndefined(next({ attempts: 9, now: FIRST + GIVES_UP_AFTER_MS - DAY_MS + 1 }))
    assert.isUndefined(next({ now: FIRST + GIVES_UP_AFTER_MS }))
  })

  it('tries an event that always fails ten or eleven times', () => {
    for (const random of [0, 0.5, 1]) {
      let [attempts, now] = [1, FIRST]
      for (;;) {
        const at = nextAttemptAt({ attempts, firstAttemptAt: FIRST, now, retryAfterMs: undefined, random })
        if (at === undefined) break
        assert.isAbove(at, now)
        now = at
        attempts += 1
      }
      assert.include([10, 11], attempts)
      assert.isAtMost(now - FIRST, GIVES_UP_AFTER_MS)
    }
  })
})
