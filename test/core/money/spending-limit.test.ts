import { assert } from 'chai'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import { spendingDay, spendingOf, spendingResetsAt } from '../../../core/money/wallet.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { gateway, KEY, NOON, OPENING_BALANCE, TEXT_PRICE, USD } from '../gateway.js'
import { REJECTED } from '../../support/scripted-platform.js'

const MIDNIGHT = Date.UTC(2026, 2, 2)
const LIMIT = 2n * TEXT_PRICE + 1n
const key = { id: 'a1b2', spendingLimit: LIMIT }

const holdsOf = (keys: Array<string | undefined>) => ({ wallet }: MemoryStorage): Partial<MemoryStorage> => ({
  wallet: { ...wallet, hold: (hold) => { keys.push(hold.spending?.key); return wallet.hold(hold) } },
})

describe('The day of a spending limit', () => {
  it('is that of UTC and ends at the next midnight', () => {
    for (const at of [MIDNIGHT, NOON + 86_400_000, MIDNIGHT + 86_399_999]) {
      assert.equal(spendingDay(at), '2026-03-02')
      assert.equal(spendingResetsAt(at), Date.UTC(2026, 2, 3))
    }
  })

  it('matters only for a key with a limit', () => {
    assert.isUndefined(spendingOf(undefined))
    assert.isUndefined(spendingOf({ id: 'a1b2' }))
    assert.deepEqual(spendingOf({ id: 'a1b2', spendingLimit: 0n }), { key: 'a1b2', limit: 0n })
  })

  it('counts for the first key of the rotations', () => {
    assert.deepEqual(spendingOf({ id: 'c3d4', spendingLimit: 5n, spendingId: 'a1b2' }), { key: 'a1b2', limit: 5n })
    assert.isUndefined(spendingOf({ id: 'c3d4', spendingId: 'a1b2' }))
  })
})

describe('A send with a key that has a spending limit', () => {
  it('is refused once the limit would be passed, opens no hold, and the message says why', async () => {
    const gw = await gateway()
    for (const _ of [1, 2]) rightOf(await gw.sendText({ key }))
    const refusal = leftOf(await gw.sendText({ key }))
    const messages = await gw.messages()
    const refused = messages.find(({ state }) => state === 'refused')
    assert.deepEqual(refusal, {
      _tag: 'SpendingLimitReached', required: TEXT_PRICE, limit: LIMIT, spent: 2n * TEXT_PRICE, currency: USD, resetsAt: MIDNIGHT,
      messageId: refused!.id, replayed: false,
    })
    assert.deepEqual(refused?.error, { code: 'spending_limit_reached', message: 'The API key has reached its spending limit' })
    assert.lengthOf(gw.sent, 2)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 2n * TEXT_PRICE, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('may be repeated with its idempotency key, which guards nothing after the refusal', async () => {
    const gw = await gateway()
    for (const _ of [1, 2]) rightOf(await gw.sendText({ key }))
    for (const _ of [1, 2]) assert.equal(leftOf(await gw.sendText({ key, idempotencyKey: KEY }))._tag, 'SpendingLimitReached')
    gw.passes(12 * 3_600_000)
    assert.isFalse(rightOf(await gw.sendText({ key, idempotencyKey: KEY })).replayed)
    assert.isTrue(rightOf(await gw.sendText({ key, idempotencyKey: KEY })).replayed)
  })

  it('releases its share if the platform refuses it', async () => {
    const gw = await gateway()
    gw.willAnswer(REJECTED, REJECTED, REJECTED)
    for (const _ of [1, 2, 3]) assert.equal(leftOf(await gw.sendText({ key }))._tag, 'PlatformRejected')
    for (const _ of [1, 2]) rightOf(await gw.sendText({ key }))
    assert.equal(leftOf(await gw.sendTemplate({ key }))._tag, 'SpendingLimitReached')
  })

  it('counts for the wallet only if the key has a limit', async () => {
    const keys: Array<string | undefined> = []
    const gw = await gateway({ ports: holdsOf(keys) })
    rightOf(await gw.sendText())
    rightOf(await gw.sendText({ key: { id: 'a1b2' } }))
    rightOf(await gw.sendText({ key }))
    assert.deepEqual(keys, [undefined, undefined, 'a1b2'])
  })
})
