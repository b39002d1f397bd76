import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, SECOND_MS } from '../../../core/kernel/time.js'
import {
  canConfirmWithin, isOverdue, makeNoteOverdue, MAX_CONFIRM_WITHIN_MS, MIN_CONFIRM_WITHIN_MS, type SettledDeadlines,
} from '../../../core/messages/deadlines.js'
import { MESSAGE_STATES } from '../../../core/messages/message.js'

const NOW = Date.UTC(2026, 2, 1, 12)

/** A pass over deadlines of which a step has this result. */
const pass = (settled: SettledDeadlines) =>
  makeNoteOverdue({ windowClock: { now: () => NOW }, deliveryDeadlines: { settle: async () => E.right(settled) } })()

describe('The time in which a message has to be delivered', () => {
  it('is 10 seconds to a day, in whole seconds', () => {
    const limits = [MIN_CONFIRM_WITHIN_MS, MAX_CONFIRM_WITHIN_MS]
    assert.deepEqual(limits, [10 * SECOND_MS, DAY_MS])
    for (const ms of [...limits, 30 * SECOND_MS]) assert.isTrue(canConfirmWithin(ms), String(ms))
    for (const ms of [0, -30_000, 9_000, 10_500, DAY_MS + SECOND_MS, Number.NaN, Infinity]) assert.isFalse(canConfirmWithin(ms), String(ms))
  })

  it('has passed in vain unless the message was delivered, refused or canceled', () => {
    assert.deepEqual(MESSAGE_STATES.filter((state) => !isOverdue(state)), ['refused', 'canceled', 'delivered', 'read', 'played'])
  })
})

describe('A pass over deadlines', () => {
  it('is due again at the next deadline, and within the shortest time in which a new one can be due', async () => {
    for (const [next, nextInMs] of [
      [NOW + 3_000, 3_000], [NOW, 0], [NOW - 5_000, 0], [NOW + DAY_MS, MIN_CONFIRM_WITHIN_MS], [undefined, MIN_CONFIRM_WITHIN_MS],
    ] as const) {
      assert.deepEqual(await pass({ removed: 1, overdue: 1, ...(next !== undefined && { next }) }), E.right({ overdue: 1, nextInMs }))
    }
  })

  it('fails if the storage fails', async () => {
    const failure = portFailure('DeliveryDeadlines')('down')
    const noteOverdue = makeNoteOverdue({ windowClock: { now: () => NOW }, deliveryDeadlines: { settle: async () => E.left(failure) } })
    assert.deepEqual(await noteOverdue(), E.left(failure))
  })
})
