import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { claimStands, KEY_KEPT_MS, MESSAGE_STATES, parseIdempotencyKey } from '../../core/messages/message.js'

const CLAIMED_AT = Date.UTC(2026, 2, 1)

describe('An idempotency key', () => {
  it('is 1 to 255 printable ASCII characters', () => {
    for (const text of [
      '1', '~', '!', 'order 1234', `a${' '.repeat(253)}b`, 'x'.repeat(255), '{"a":[1]}', '__proto__',
    ]) {
      assert.deepEqual(parseIdempotencyKey(text), E.right(text))
    }
    for (const text of ['', 'x'.repeat(256), `a${' '.repeat(254)}b`]) {
      assert.deepEqual(parseIdempotencyKey(text), E.left({ _tag: 'InvalidIdempotencyKey' }))
    }
  })

  it('neither begins nor ends with a space', () => {
    for (const text of [' ', '  ', ' a', 'a ', ' a ']) assert.isTrue(E.isLeft(parseIdempotencyKey(text)), JSON.stringify(text))
  })

  it('has no control characters and none beyond ASCII', () => {
    for (const character of ['\u0000', '\t', '\n', '\r', '\u001f', '\u007f', '\u0080', 'é', '١', '日', '🌍']) {
      for (const text of [character, `a${character}`, `${character}a`, `a${character}b`]) {
        assert.isTrue(E.isLeft(parseIdempotencyKey(text)), JSON.stringify(text))
      }
    }
  })

  it('is any printable ASCII text without spaces at its ends', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'binary-ascii' }), (text) => {
        const expected = text.length >= 1 && text.length <= 255 && [...text].every((c) => c >= ' ' && c <= '~') && text.trim() === text
        assert.equal(E.isRight(parseIdempotencyKey(text)), expected)
      }),
    )
  })
})

describe('A claimed key', () => {
  it('guards a message that has gone for 24 hours, and no longer', () => {
    assert.equal(KEY_KEPT_MS, 24 * HOUR_MS)
    for (const state of ['accepted', 'sent', 'delivered', 'read', 'failed'] as const) {
      assert.isTrue(claimStands(CLAIMED_AT, CLAIMED_AT, state))
      assert.isTrue(claimStands(CLAIMED_AT + KEY_KEPT_MS - 1, CLAIMED_AT, state))
      assert.isFalse(claimStands(CLAIMED_AT + KEY_KEPT_MS, CLAIMED_AT, state))
    }
  })

  it('guards a message of unknown outcome for as long as that is so', () => {
    for (const state of ['pending', 'unconfirmed'] as const) {
      assert.isTrue(claimStands(CLAIMED_AT + 1_000 * KEY_KEPT_MS, CLAIMED_AT, state))
    }
  })

  it('guards nothing where the message was refused or given up', () => {
    for (const state of ['refused', 'released'] as const) assert.isFalse(claimStands(CLAIMED_AT, CLAIMED_AT, state))
  })

  it('never stands again once it has fallen, while the message stays where it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGE_STATES), fc.nat({ max: 3 * KEY_KEPT_MS }), fc.nat({ max: 3 * KEY_KEPT_MS }), (state, a, b) => {
        const [early, late] = [Math.min(a, b), Math.max(a, b)]
        assert.isTrue(claimStands(CLAIMED_AT + early, CLAIMED_AT, state) || !claimStands(CLAIMED_AT + late, CLAIMED_AT, state))
      }),
    )
  })
})
