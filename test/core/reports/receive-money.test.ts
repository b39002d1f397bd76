import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, OPENING_BALANCE, RELEASE_AFTER_MS, TEMPLATE_PRICE, type Gateway } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'

const SPENT = { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n }
const UNTOUCHED = { available: OPENING_BALANCE, held: 0n }

const unconfirmed = async (gw: Gateway) => {
  gw.willAnswer(UNKNOWN)
  assert.equal(leftOf(await gw.sendTemplate())._tag, 'OutcomeUnknown')
  return gw.sent.at(-1)!.id
}

describe('The money of a message', () => {
  it('is refunded once if the platform reports a failure, however often', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    const failed = gw.status(id, 'failed')
    rightOf(await gw.receive(failed))
    rightOf(await gw.receive(failed, failed))
    assert.deepEqual(await gw.entries(), ['hold', 'capture', 'refund'])
    assert.deepEqual(await gw.balance(), UNTOUCHED)
  })

  it('stays spent if a failure is reported after delivery', async () => {
    for (const known of ['delivered', 'read'] as const) {
      const gw = await gateway()
      const { id } = rightOf(await gw.sendTemplate())
      rightOf(await gw.receive(gw.status(id, known)))
      rightOf(await gw.receive(gw.status(id, 'failed')))
      assert.equal((await gw.message(id)).state, known)
      assert.deepEqual(await gw.balance(), SPENT)
    }
  })

  it('stays refunded if a delivery is reported after a failure', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    rightOf(await gw.receive(gw.status(id, 'failed')))
    rightOf(await gw.receive(gw.status(id, 'delivered')))
    assert.equal((await gw.message(id)).state, 'failed')
    assert.deepEqual(await gw.balance(), UNTOUCHED)
  })

  it('is not touched again by statuses of a message that is paid for', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    rightOf(await gw.receive(gw.status(id, 'read'), gw.status(id, 'sent'), gw.status(id, 'delivered'), gw.status(id, 'sent')))
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('is captured by the first status of a message of unknown outcome', async () => {
    for (const state of ['sent', 'delivered', 'read'] as const) {
      const gw = await gateway()
      const id = await unconfirmed(gw)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: TEMPLATE_PRICE })
      rightOf(await gw.receive(gw.status(id, state)))
      assert.deepEqual(await gw.entries(), ['hold', 'capture'])
      assert.deepEqual(await gw.balance(), SPENT)
    }
  })

  it('is released by the failure of a message of unknown outcome', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    rightOf(await gw.receive(gw.status(id, 'failed')))
    assert.deepEqual(await gw.entries(), ['hold', 'release'])
    assert.deepEqual(await gw.balance(), UNTOUCHED)
  })

  it('is captured once if a status arrives before our own settling', async () => {
    const gw = await gateway()
    gw.willAnswer(async ({ id }) => {
      rightOf(await gw.receive(gw.status(id, 'delivered')))
      return 'accept'
    })
    const { id } = rightOf(await gw.sendTemplate())
    assert.equal((await gw.message(id)).state, 'delivered')
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('stays refunded if a failure arrives before our own settling', async () => {
    const gw = await gateway()
    gw.willAnswer(async ({ id }) => {
      rightOf(await gw.receive(gw.status(id, 'failed')))
      return 'accept'
    })
    const { id } = rightOf(await gw.sendTemplate())
    assert.equal((await gw.message(id)).state, 'failed')
    assert.deepEqual(await gw.balance(), UNTOUCHED)
  })

  it('is charged again if a status arrives after the message was given up', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    gw.passes(RELEASE_AFTER_MS + 1)
    await gw.reconcile()
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    rightOf(await gw.receive(gw.status(id, 'delivered')))
    assert.equal((await gw.message(id)).state, 'delivered')
    assert.deepEqual(await gw.entries(), ['hold', 'release', 'capture'])
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('is charged again even if that takes the wallet below zero, after which nothing more can be sent', async () => {
    const gw = await gateway({ balance: TEMPLATE_PRICE })
    const id = await unconfirmed(gw)
    gw.passes(RELEASE_AFTER_MS + 1)
    await gw.reconcile()
    rightOf(await gw.sendTemplate())
    rightOf(await gw.receive(gw.status(id, 'read')))
    assert.deepEqual(await gw.balance(), { available: -TEMPLATE_PRICE, held: 0n })
    assert.deepInclude(leftOf(await gw.sendTemplate()), { _tag: 'InsufficientBalance', available: -TEMPLATE_PRICE })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('stays released if a failure arrives after the message was given up', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    gw.passes(RELEASE_AFTER_MS + 1)
    await gw.reconcile()
    rightOf(await gw.receive(gw.status(id, 'failed')))
    assert.equal((await gw.message(id)).state, 'failed')
    assert.deepEqual(await gw.entries(), ['hold', 'release'])
    assert.deepEqual(await gw.balance(), UNTOUCHED)
  })

  it('moves when a report is delivered again, if the wallet could not be written the first time', async () => {
    for (const [state, after] of [['delivered', SPENT], ['failed', UNTOUCHED]] as const) {
      const gw = await gateway({
        ports: ({ wallet }) => ({
          wallet: { ...wallet, capture: failing(wallet.capture, { times: 1 }), refund: failing(wallet.refund, { times: 1 }) },
        }),
      })
      const id = await unconfirmed(gw)
      const status = gw.status(id, state)
      assert.deepEqual(await gw.receive(status), E.left(DOWN))
      assert.deepEqual(await gw.receive(status), E.right(['message_moved']))
      assert.deepEqual(await gw.balance(), after)
    }
  })
})
