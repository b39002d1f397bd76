import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { MessageLog } from '../../../core/messages/message-log.js'
import { type MessageId, messageIdOf } from '../../../core/messages/message.js'
import type { Wallet } from '../../../core/money/wallet.js'
import { makeReconcile, type Reconciled } from '../../../core/sending/reconcile.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, type Gateway, NOON, OPENING_BALANCE, RELEASE_AFTER_MS, TEMPLATE_PRICE, UNCONFIRMED_AFTER_MS, USD } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'

const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }
const MANY = 1_200

/** A hold whose process died before its message was opened. */
const strayHold = async (gw: Gateway): Promise<MessageId> => {
  const message = messageIdOf(uuidv7())
  await done(gw.storage.wallet.hold({ workspace: gw.workspace, message, amount: { micros: 1n, currency: USD }, at: gw.now() }))
  return message
}

const withoutCapture = (times: number) =>
  gateway({ ports: ({ wallet }) => ({
    wallet: { ...wallet, capture: failing(wallet.capture, { times }), refund: failing(wallet.refund, { times }) },
  }) })

describe('Reconciling a hold', () => {
  it('releases one whose message was never opened, once any send would have opened it', async () => {
    const gw = await gateway()
    await strayHold(gw)
    gw.passes(UNCONFIRMED_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    gw.passes(1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: 1 })
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.isEmpty(await gw.messages())
  })

  it('captures one whose message was accepted or reported on', async () => {
    const gw = await withoutCapture(3)
    for (let sent = 0; sent < 3; sent += 1) rightOf(await gw.sendTemplate())
    const [, second, third] = await gw.messages()
    rightOf(await gw.storage.messageLog.apply(gw.workspace, second!.id, { state: 'sent', at: NOON }))
    rightOf(await gw.storage.messageLog.apply(gw.workspace, third!.id, { state: 'read', at: NOON }))
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, captured: 3 })
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 3n * TEMPLATE_PRICE, held: 0n })
    assert.deepEqual(await gw.reconcile(), NOTHING)
  })

  it('refunds the hold of a failed message', async () => {
    const gw = await withoutCapture(1)
    const { id } = rightOf(await gw.sendTemplate())
    assert.deepEqual(leftOf(await gw.receive(gw.status(id, 'failed'))), DOWN)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, refunded: 1 })
    // A capture that was still to be tried again comes too late.
    await gw.retry()
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.deepEqual(await gw.reconcile(), NOTHING)
  })

  it('keeps one whose message may have gone', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    leftOf(await gw.sendTemplate())
    gw.passes(RELEASE_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: TEMPLATE_PRICE })
  })
})

describe('Reconciling', () => {
  it('goes through everything that is stale, however many, in one pass', async () => {
    const gw = await gateway({ balance: 10n ** 12n })
    gw.willAnswer(...Array.from({ length: MANY }, () => UNKNOWN))
    await Promise.all(Array.from({ length: MANY }, () => gw.sendTemplate()))
    await Promise.all(Array.from({ length: MANY }, () => strayHold(gw)))
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: MANY })
    assert.deepEqual(
      await gw.balance(), { available: 10n ** 12n - BigInt(MANY) * TEMPLATE_PRICE, held: BigInt(MANY) * TEMPLATE_PRICE },
    )
    gw.passes(RELEASE_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: MANY })
    assert.deepEqual(await gw.balance(), { available: 10n ** 12n, held: 0n })
    assert.isTrue((await gw.messages()).every(({ state }) => state === 'released'))
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('makes every pending message unconfirmed, and releases those that are old enough in the same pass', async () => {
    const gw = await gateway({
      balance: 10n ** 12n,
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: MANY }) } }),
    })
    gw.willAnswer(...Array.from({ length: MANY }, () => UNKNOWN))
    await Promise.all(Array.from({ length: MANY }, () => gw.sendTemplate()))
    gw.passes(RELEASE_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, unconfirmed: MANY, released: MANY })
    assert.deepEqual(await gw.balance(), { available: 10n ** 12n, held: 0n })
  })

  it('twice at once leaves what once would', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN, UNKNOWN)
    leftOf(await gw.sendTemplate())
    gw.passes(RELEASE_AFTER_MS)
    leftOf(await gw.sendTemplate())
    await strayHold(gw)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    await Promise.all([gw.reconcile(), gw.reconcile(), gw.reconcile()])
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['released', 'unconfirmed'])
    assert.deepEqual((await gw.messages()).map(({ history }) => history.length), [3, 2])
    assert.deepEqual([...(await gw.entries())].sort(), ['hold', 'hold', 'hold', 'release', 'release'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: TEMPLATE_PRICE })
    assert.deepEqual(await gw.reconcile(), NOTHING)
  })

  it('settles all other messages if one always fails, and reports the failure', async () => {
    const gw = await gateway({ balance: 10n ** 12n })
    gw.willAnswer(...Array.from({ length: MANY }, () => UNKNOWN))
    await Promise.all(Array.from({ length: MANY }, () => gw.sendTemplate()))
    const [stray] = await Promise.all(Array.from({ length: MANY }, () => strayHold(gw)))
    const first = (await gw.messages())[0]?.id
    gw.passes(RELEASE_AFTER_MS + 1)
    const { wallet } = gw.storage
    const release: Wallet['release'] = async (hold) => ([first, stray].includes(hold.message) ? E.left(DOWN) : wallet.release(hold))
    assert.deepEqual(leftOf(await makeReconcile({ ...gw.deps, wallet: { ...wallet, release } })()), DOWN)
    assert.lengthOf((await gw.messages()).filter(({ state }) => state === 'released'), MANY - 1)
    assert.deepEqual(await gw.balance(), { available: 10n ** 12n - TEMPLATE_PRICE - 1n, held: TEMPLATE_PRICE + 1n })
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: 2 })
    assert.deepEqual(await gw.balance(), { available: 10n ** 12n, held: 0n })
  })

  it('ends if most of a batch fails, because the rest would fail too', async () => {
    const gw = await gateway({ balance: 10n ** 12n })
    await Promise.all(Array.from({ length: MANY }, () => strayHold(gw)))
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    let asked = 0
    const find: MessageLog['find'] = async () => {
      asked += 1
      return E.left(DOWN)
    }
    assert.deepEqual(leftOf(await makeReconcile({ ...gw.deps, messageLog: { ...gw.storage.messageLog, find } })()), DOWN)
    assert.isBelow(asked, MANY)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: MANY })
  })

  it('reports a failure of a port, and the next pass does the rest', async () => {
    type Ports = Pick<Gateway['storage'], 'messageLog' | 'wallet'>
    const breaks: ReadonlyArray<readonly [leftOf: number, broken: (ports: Ports) => Partial<Ports>]> = [
      [2, ({ messageLog }) => ({ messageLog: { ...messageLog, stale: failing(messageLog.stale) } })],
      [1, ({ wallet }) => ({ wallet: { ...wallet, release: failing(wallet.release, { times: 1 }) } })],
      // Its price is released, and so the same pass has released the message, too.
      [0, ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1 }) } })],
      [1, ({ wallet }) => ({ wallet: { ...wallet, stale: failing(wallet.stale) } })],
    ]
    for (const [released, broken] of breaks) {
      const gw = await gateway()
      gw.willAnswer(UNKNOWN, UNKNOWN)
      leftOf(await gw.sendTemplate())
      leftOf(await gw.sendTemplate())
      await strayHold(gw)
      gw.passes(RELEASE_AFTER_MS + 1)
      assert.deepEqual(leftOf(await makeReconcile({ ...gw.deps, ...broken(gw.storage) })()), DOWN)
      assert.deepEqual(await gw.reconcile(), { ...NOTHING, released })
      assert.deepEqual((await gw.messages()).map(({ state }) => state), ['released', 'released'])
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
      assert.isEmpty(await gw.brokenBooks())
    }
  })
})
