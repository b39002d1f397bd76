import { assert } from 'chai'
import fc from 'fast-check'
import { entersHistory, isOutcomeUnknown, keepsIdempotencyKey, merge, MESSAGE_STATES, type MessageState, moneyMove } from '../../core/messages/message.js'
import { withRedeliveries } from './delivery-orders.js'

const mergedFrom = (from: MessageState, reports: ReadonlyArray<MessageState>): MessageState => reports.reduce(merge, from)
const merged = (reports: ReadonlyArray<MessageState>): MessageState => mergedFrom('pending', reports)

const state = fc.constantFrom(...MESSAGE_STATES)

/** What can truthfully become known of one message: it was never accepted, or it was, and then reached the customer or failed. */
const truthfulLife: fc.Arbitrary<ReadonlyArray<MessageState>> = fc.oneof(
  fc.subarray<MessageState>(['unconfirmed', 'refused']),
  fc.subarray<MessageState>(['unconfirmed', 'released']),
  fc.subarray<MessageState>(['unconfirmed', 'released', 'accepted', 'sent', 'delivered', 'read']),
  fc.subarray<MessageState>(['unconfirmed', 'released', 'accepted', 'sent', 'failed']),
)

describe('The life of a message', () => {
  it('ends in the same state whatever the order and number of the platform\'s truthful reports', () => {
    fc.assert(fc.property(withRedeliveries(truthfulLife), ([life, heard]) => { assert.equal(merged(heard), merged(life)) }), { numRuns: 2_000 })
  })

  it('ends with the same move of money whatever the order and number of the platform\'s truthful reports', () => {
    fc.assert(fc.property(withRedeliveries(truthfulLife), ([life, heard]) => { assert.equal(moneyMove(merged(heard)), moneyMove(merged(life))) }))
  })

  it('is not changed by hearing anything again', () => {
    fc.assert(
      fc.property(fc.array(state), fc.array(state, { minLength: 1 }), (before, reports) => {
        const after = mergedFrom(merged(before), reports)
        assert.equal(mergedFrom(after, [...reports, ...reports]), after)
      }),
    )
  })

  it('goes sent, delivered, read, and never back', () => {
    assert.equal(merged(['accepted', 'sent', 'delivered', 'read']), 'read')
    assert.equal(merged(['read', 'delivered', 'sent', 'accepted']), 'read')
    assert.equal(merged(['delivered', 'sent']), 'delivered')
    assert.equal(merged(['sent', 'accepted', 'unconfirmed', 'refused', 'released']), 'sent')
  })

  it('ends with a failure, unless the message is known to be delivered', () => {
    for (const later of MESSAGE_STATES) assert.equal(merge('failed', later), 'failed')
    for (const from of MESSAGE_STATES) assert.equal(merge(from, 'failed'), from === 'delivered' || from === 'read' ? from : 'failed', from)
  })

  it('goes on after a refusal or a release where the platform reports on the message after all', () => {
    for (const from of ['refused', 'released'] as const) {
      for (const to of ['accepted', 'sent', 'delivered', 'read', 'failed'] as const) assert.equal(merge(from, to), to)
      for (const to of ['pending', 'unconfirmed', 'refused', 'released'] as const) assert.equal(merge(from, to), from)
    }
  })

  it('becomes unconfirmed only while nothing else is known', () => {
    for (const from of MESSAGE_STATES) assert.equal(merge(from, 'unconfirmed'), from === 'pending' ? 'unconfirmed' : from)
  })

  it('is never pending again', () => {
    for (const from of MESSAGE_STATES) assert.equal(merge(from, 'pending'), from)
  })

  it('only ever moves to what was heard, or stays', () => {
    fc.assert(fc.property(state, state, (from, to) => { assert.include([from, to], merge(from, to)) }))
  })
})

describe('The history of a message', () => {
  it('remembers whatever moves the message', () => {
    for (const from of MESSAGE_STATES) for (const to of MESSAGE_STATES) if (merge(from, to) !== from) {
      assert.isTrue(entersHistory(from, to), `${from} to ${to}`)
    }
  })

  it('remembers that a message was sent and delivered, though that is heard late', () => {
    for (const late of ['sent', 'delivered'] as const) assert.isTrue(entersHistory('read', late))
    assert.isTrue(entersHistory('delivered', 'sent'))
  })

  it('forgets what comes after a failure, and a failure that comes after delivery', () => {
    for (const to of MESSAGE_STATES) if (to !== 'failed') assert.isFalse(entersHistory('failed', to), to)
    for (const from of ['delivered', 'read'] as const) assert.isFalse(entersHistory(from, 'failed'))
  })

  it('forgets an acceptance, an unknown outcome, a refusal or a release that comes late', () => {
    for (const from of ['sent', 'delivered', 'read'] as const) {
      for (const late of ['pending', 'accepted', 'unconfirmed', 'refused', 'released'] as const) {
        assert.isFalse(entersHistory(from, late), `${from} to ${late}`)
      }
    }
  })
})

describe('What a state says', () => {
  it('of the money: keep while unknown, capture once accepted, release where nothing went, refund after a failure', () => {
    assert.deepEqual(
      Object.fromEntries(MESSAGE_STATES.map((one) => [one, moneyMove(one)])),
      {
        pending: 'keep', unconfirmed: 'keep', accepted: 'capture', sent: 'capture', delivered: 'capture', read: 'capture',
        refused: 'release', released: 'release', failed: 'refund',
      },
    )
  })

  it('of the idempotency key: free where nothing went', () => {
    assert.deepEqual(MESSAGE_STATES.filter((one) => !keepsIdempotencyKey(one)).sort(), ['refused', 'released'])
  })

  it('of the outcome: unknown while pending or unconfirmed', () => {
    assert.deepEqual(MESSAGE_STATES.filter(isOutcomeUnknown).sort(), ['pending', 'unconfirmed'])
  })
})
