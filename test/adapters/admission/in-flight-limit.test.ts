import { assert } from 'chai'
import { FIRST_LIMIT, LEAST_LIMIT, nextLimit } from '../../../adapters/admission/admission-control.js'

const BOUNDS = { most: 10_000, targetMs: 5_000 }

/** The limit after so many rounds in which as many calls as it allows end after a time that may depend on their number. */
const afterRounds = (
  rounds: number, durationOf: (inFlight: number) => number, answeredWithin = 10_000, limit: number = FIRST_LIMIT,
): number => {
  let now = limit
  for (let round = 0; round < rounds; round += 1) {
    const calls = Math.floor(now)
    const durationMs = durationOf(calls)
    for (let call = 0; call < calls; call += 1) {
      const ended = {
        durationMs: Math.min(durationMs, answeredWithin), ownMs: 0, answered: durationMs < answeredWithin, inFlight: Math.floor(now),
      }
      now = nextLimit(now, ended, BOUNDS)
    }
  }
  return Math.floor(now)
}

describe('the limit of sends under way', () => {
  it('grows to the highest within three rounds of a platform that always takes two seconds', () => {
    assert.isAtLeast(afterRounds(3, () => 2_000), 8_000)
    assert.equal(afterRounds(4, () => 2_000), BOUNDS.most)
  })

  it('stays if answers take just half of the deadline', () => {
    assert.equal(afterRounds(5, () => 5_000), FIRST_LIMIT)
  })

  it('stops growing if more calls at once make a platform of 500 calls a second miss half of the deadline', () => {
    const limit = afterRounds(8, (inFlight) => inFlight * 2)
    assert.closeTo(limit, 2_500, 50)
  })

  it('never makes such a platform miss the deadline on the way', () => {
    for (let rounds = 1; rounds < 8; rounds += 1) assert.isBelow(afterRounds(rounds, (inFlight) => inFlight * 2) * 2, 10_000)
  })

  it('shrinks to the lowest when a platform stops answering', () => {
    assert.equal(afterRounds(12, () => Infinity, 10_000, 10_000), LEAST_LIMIT)
  })

  it('grows again from the lowest', () => {
    assert.equal(afterRounds(12, () => 50, 10_000, LEAST_LIMIT), BOUNDS.most)
  })

  it('does not grow while it is not needed', () => {
    assert.equal(nextLimit(512, { durationMs: 50, ownMs: 0, answered: true, inFlight: 200 }, BOUNDS), 512)
  })

  it('does not grow by calls that fail fast', () => {
    assert.equal(nextLimit(512, { durationMs: 1, ownMs: 0, answered: false, inFlight: 512 }, BOUNDS), 512)
  })

  it('shrinks, and does not grow, while the gateway itself takes more than a second for each send', () => {
    const ended = { durationMs: 50, answered: true, inFlight: 512 }
    assert.isBelow(nextLimit(512, { ...ended, ownMs: 2_000 }, BOUNDS), 512)
    assert.equal(nextLimit(512, { ...ended, ownMs: 1_000 }, BOUNDS), 512)
    assert.isAbove(nextLimit(512, { ...ended, ownMs: 500 }, BOUNDS), 512)
  })

  it('goes back to the first one while it is hardly used', () => {
    let limit = 600
    for (let call = 0; call < 1_000; call += 1) limit = nextLimit(limit, { durationMs: 50, ownMs: 0, answered: true, inFlight: 3 }, BOUNDS)
    assert.equal(limit, FIRST_LIMIT)
  })

  it('never passes what memory allows, even if that is little', () => {
    const bounds = { most: 8, targetMs: 5_000 }
    assert.equal(nextLimit(8, { durationMs: 1, ownMs: 0, answered: true, inFlight: 8 }, bounds), 8)
    assert.equal(nextLimit(8, { durationMs: 60_000, ownMs: 0, answered: false, inFlight: 8 }, bounds), 8)
  })
})
