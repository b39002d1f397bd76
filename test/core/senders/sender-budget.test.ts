import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import {
  countInbound, NO_SLOTS_TAKEN, rateOf, type SenderRate, type SenderSlots, slowedDown, takeSenderSlot, waitFor,
} from '../../../core/senders/sender-budget.js'

const SECOND = 1_000_000
const START = 1_700_000_000 * SECOND

/** The largest number of times in any period of a length, by counting from each of them. */
const mostWithin = (times: ReadonlyArray<number>, length: number): number => {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + length).length))
}

/** A send that a gateway wants at a time of the storage's clock: how long its answer takes to arrive, and how late the gateway then is. */
type Wanted = { readonly gap: number; readonly answer: number; readonly lateness: number }

/** The times at which the messages of several gateways leave. Their own clocks do not matter: each waits from the arrival of the answer. */
const departures = (rate: SenderRate, wanted: ReadonlyArray<Wanted>): ReadonlyArray<{ readonly slot: number; readonly left: number }> => {
  let slots = NO_SLOTS_TAKEN
  let now = START
  return wanted.flatMap(({ gap, answer, lateness }) => {
    now += gap
    const taken = takeSenderSlot(rate, slots, now)
    if (E.isLeft(taken)) return []
    slots = taken.right.after
    const wait = waitFor({ slot: taken.right.slot, now }) * 1_000
    return [{ slot: taken.right.slot, left: now + answer + wait + lateness }]
  })
}

const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 1_000 }), maxWaitMs: fc.constantFrom(0, 100, 1_000) })
const MAX_ANSWER = 20_000
const MAX_LATENESS = 30_000
const sends = fc.array(fc.record({
  gap: fc.oneof({ weight: 5, arbitrary: fc.nat(2_000) }, { weight: 1, arbitrary: fc.nat(3 * SECOND) }),
  answer: fc.nat(MAX_ANSWER), lateness: fc.nat(MAX_LATENESS),
}), { minLength: 1, maxLength: 150 })

describe('The budget of a sender', () => {
  it('lets no more leave in any period than its rate allows, however late each gateway is', () => {
    fc.assert(fc.property(rates, sends, fc.integer({ min: 1, max: 2 * SECOND }), (rate, wanted, period) => {
      const left = departures(rate, wanted)
      // A wait is rounded up to a millisecond.
      const lateness = MAX_ANSWER + MAX_LATENESS + 1_000
      assert.isAtMost(mostWithin(left.map((one) => one.left), period), Math.ceil((rate.perSecond * (period + lateness)) / SECOND))
    }))
  })

  it('gives disjoint slots, none before it was asked for, and none later than a message may wait', () => {
    fc.assert(fc.property(rates, sends, (rate, wanted) => {
      let [slots, now, last] = [NO_SLOTS_TAKEN, START, -Infinity]
      for (const { gap } of wanted) {
        now += gap
        const taken = takeSenderSlot(rate, slots, now)
        if (E.isLeft(taken)) {
          const later = now + taken.left.retryAfterMs * 1_000
          assert.isTrue(E.isRight(takeSenderSlot(rate, slots, later)), 'it is allowed when the refusal says')
          continue
        }
        const { slot, after } = taken.right
        assert.isAtLeast(slot, now)
        assert.isAtMost(slot, now + rate.maxWaitMs * 1_000)
        assert.isAtLeast((slot - last) * rate.perSecond, last === -Infinity ? 0 : SECOND)
        ;[slots, last] = [after, slot]
      }
    }))
  })

  it('is used completely by gateways that always have a message', () => {
    let slots = NO_SLOTS_TAKEN
    let count = 0
    for (let now = START; now < START + 10 * SECOND; now += 1_000) {
      const taken = takeSenderSlot({ perSecond: 80, maxWaitMs: 0 }, slots, now)
      if (E.isRight(taken)) [slots, count] = [taken.right.after, count + 1]
    }
    assert.isAtLeast(count, 760)
  })

  it('is halved when the platform throttles, once a second, and grows by one message a second each second up to the whole rate', () => {
    let slots: SenderSlots = slowedDown(NO_SLOTS_TAKEN, 'throttled', 80, START)
    assert.equal(rateOf(slots, 80, START), 40)
    slots = slowedDown(slots, 'throttled', 80, START + SECOND - 1)
    assert.equal(rateOf(slots, 80, START), 40, 'messages that were under way are refused together')
    assert.deepEqual([1, 5, 39, 40, 400].map((seconds) => rateOf(slots, 80, START + seconds * SECOND)), [41, 45, 79, 80, 80])
    slots = slowedDown(slots, 'throttled', 80, START + 5 * SECOND)
    assert.equal(rateOf(slots, 80, START + 5 * SECOND), 22)
    for (let second = 6; second < 30; second += 1) slots = slowedDown(slots, 'throttled', 80, START + second * SECOND)
    assert.isAtLeast(rateOf(slots, 80, START + 30 * SECOND), 1, 'it never stops')
  })

  it('forgets that it was slowed down once it has grown to the whole rate', () => {
    const slots = slowedDown(NO_SLOTS_TAKEN, 'throttled', 4, START)
    const taken = takeSenderSlot({ perSecond: 4, maxWaitMs: 0 }, slots, START + 3 * SECOND)
    assert.deepEqual(E.isRight(taken) && taken.right.after, { nextSlot: START + 3 * SECOND + 250_000 })
  })

  it('has no slot for a minute while the number is moved to a faster level', () => {
    const slots = slowedDown(NO_SLOTS_TAKEN, 'maintenance', 80, START)
    const taken = takeSenderSlot({ perSecond: 80, maxWaitMs: 1_000 }, slots, START)
    assert.deepEqual(taken, E.left({ _tag: 'SenderLimitReached', retryAfterMs: 59_000 }))
  })

  it('counts each message of a customer as a slot, up to a second after the last one that a message may wait for, and gives none back', () => {
    const counted = (slots: SenderSlots, count: number, maxWaitMs = 0): SenderSlots =>
      Array.from({ length: count }).reduce<SenderSlots>((before) => countInbound(before, { perSecond: 80, maxWaitMs }, START), slots)
    assert.deepEqual(counted(NO_SLOTS_TAKEN, 1), { nextSlot: START + 12_500 })
    assert.deepEqual(counted({ nextSlot: START + 100_000 }, 4), { nextSlot: START + 150_000 })
    assert.deepEqual(counted(NO_SLOTS_TAKEN, 200), { nextSlot: START + SECOND })
    assert.deepEqual(counted({ nextSlot: START + SECOND }, 8, 1_000), { nextSlot: START + SECOND + 100_000 }, 'behind messages that wait')
    assert.deepEqual(counted(NO_SLOTS_TAKEN, 200, 1_000), { nextSlot: START + 2 * SECOND })
    const [late, slowed] = [{ nextSlot: START + 60 * SECOND }, { nextSlot: START, slowed: { perSecond: 3, at: START } }]
    assert.deepEqual(counted(late, 1), late)
    assert.deepEqual(counted(slowed, 2), { ...slowed, nextSlot: START + 25_000 })
  })

  it('lets no more than its rate pass in any second, of messages to and from customers together', () => {
    fc.assert(fc.property(
      fc.integer({ min: 1, max: 200 }), fc.array(fc.record({ gap: fc.nat(20_000), isInbound: fc.boolean() }), { maxLength: 300 }),
      (perSecond, messages) => {
        let [slots, now] = [NO_SLOTS_TAKEN, START]
        const times: Array<number> = []
        for (const { gap, isInbound } of messages) {
          now += gap
          const taken = takeSenderSlot({ perSecond, maxWaitMs: 0 }, slots, now)
          // Here a customer writes only while a slot is free. Customers who write more use up throughput that has been given away already.
          if (E.isLeft(taken)) continue
          slots = isInbound ? countInbound(slots, { perSecond, maxWaitMs: 0 }, now) : taken.right.after
          times.push(now)
        }
        assert.isAtMost(mostWithin(times, SECOND), perSecond)
      },
    ))
  })
})
