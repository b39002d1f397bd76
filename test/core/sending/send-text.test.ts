import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, KEY, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'
import { platformIdOf } from '../../support/scripted-platform.js'

const DAY_MS = 24 * HOUR_MS

/** Nothing was sent, charged, held or written down. */
const leftNoMark = async (gw: Gateway, balance = OPENING_BALANCE): Promise<void> => {
  assert.isEmpty(gw.sent)
  assert.isEmpty(await gw.messages())
  assert.isEmpty(await gw.entries())
  assert.deepEqual(await gw.balance(), { available: balance, held: 0n })
}

describe('A text', () => {
  it('is sent while the window is open, costs the service rate and is accepted under the platform\'s id', async () => {
    const gw = await gateway()
    const sent = rightOf(await gw.sendText({ text: 'Your order is on its way' }))
    assert.deepEqual(gw.sent, [{
      id: sent.id,
      sender: { phoneNumberId: gw.phoneNumberId, accessToken: 'token', businessAccountId: undefined, isDefault: true },
      message: { _tag: 'Text', to: CUSTOMER, text: 'Your order is on its way' },
    }])
    assert.deepEqual(sent, { id: sent.id, platformId: platformIdOf(sent), replayed: false })
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('is what the command says, whatever else a caller hands over with it', async () => {
    const gw = await gateway()
    const more: object = { message: { _tag: 'Template', to: '4915123456780', name: 'another', language: 'en' } }
    rightOf(await gw.sendText({ text: 'Hello', ...more }))
    assert.deepEqual(gw.sent[0]?.message, { _tag: 'Text', to: CUSTOMER, text: 'Hello' })
  })

  it('is sent at 23:59:59.999 after the customer wrote', async () => {
    const gw = await gateway({ lastInbound: NOON - DAY_MS + 1 })
    rightOf(await gw.sendText())
    assert.lengthOf(gw.sent, 1)
  })

  it('is refused at 24:00:00.000 after the customer wrote, with the moment at which the window closed', async () => {
    const gw = await gateway({ lastInbound: NOON - DAY_MS })
    assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'WindowClosed', closedAt: NOON })
    await leftNoMark(gw)
  })

  it('is refused if the customer never wrote, without a moment', async () => {
    const gw = await gateway({ lastInbound: undefined })
    assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'WindowClosed', closedAt: undefined })
    await leftNoMark(gw)
  })

  it('is refused if only another customer wrote, or the customer to another workspace', async () => {
    const gw = await gateway()
    assert.equal(leftOf(await gw.sendText({ to: '4915123456780' as PhoneNumber }))._tag, 'WindowClosed')
    const strangers = await gateway({ lastInbound: undefined })
    const other = await strangers.addWorkspace()
    rightOf(await strangers.storage.windowClock.recordInbound(other.workspace, { phoneNumber: CUSTOMER }, NOON))
    assert.equal(leftOf(await strangers.sendText())._tag, 'WindowClosed')
    await leftNoMark(strangers)
  })

  it('is sent again once the customer has written again', async () => {
    const gw = await gateway({ lastInbound: NOON - 2 * DAY_MS })
    assert.equal(leftOf(await gw.sendText())._tag, 'WindowClosed')
    rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON - 1 }))
    rightOf(await gw.sendText())
    assert.lengthOf(gw.sent, 1)
  })
})

describe('A text with several things wrong', () => {
  it('is refused for a sender that the workspace does not have before the window', async () => {
    const gw = await gateway({ lastInbound: undefined, balance: 0n })
    const sender = senderIdOf('106540352242922')
    assert.deepEqual(leftOf(await gw.sendText({ sender })), { _tag: 'UnknownSender', sender })
    await leftNoMark(gw, 0n)
  })

  it('is refused for the window before the sender, the wallet and the key', async () => {
    const gw = await gateway({ lastInbound: undefined, balance: 0n, sender: false })
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'WindowClosed')
    await leftNoMark(gw, 0n)
  })

  it('is refused for the missing sender before the wallet', async () => {
    const gw = await gateway({ balance: 0n, sender: false })
    assert.deepEqual(leftOf(await gw.sendText({ idempotencyKey: KEY })), { _tag: 'SenderNotConfigured' })
    await leftNoMark(gw, 0n)
  })

  it('is refused for the wallet before the platform is asked', async () => {
    const gw = await gateway({ balance: TEXT_PRICE - 1n })
    gw.willAnswer({ _tag: 'PlatformRejected', error: {} })
    assert.equal(leftOf(await gw.sendText())._tag, 'InsufficientBalance')
    assert.isEmpty(gw.sent)
  })
})

describe('A text whose window or sender cannot be looked up', () => {
  it('is a failure of the port and leaves no mark', async () => {
    const noWindow = await gateway(
      { ports: ({ windowClock }) => ({ windowClock: { ...windowClock, lastInbound: failing(windowClock.lastInbound) } }) },
    )
    assert.equal(leftOf(await noWindow.sendText())._tag, 'PortFailure')
    await leftNoMark(noWindow)
    const noSender = await gateway({ ports: ({ senders }) => ({ senders: { ...senders, senderOf: failing(senders.senderOf) } }) })
    assert.equal(leftOf(await noSender.sendText())._tag, 'PortFailure')
    await leftNoMark(noSender)
  })

  it('is not confused with one whose window is closed: absent is not unreachable', async () => {
    const gw = await gateway({
      lastInbound: undefined,
      ports: ({ windowClock }) => ({ windowClock: { ...windowClock, lastInbound: failing(windowClock.lastInbound, { times: 1 }) } }),
    })
    assert.isTrue(E.isLeft(await gw.sendText()))
    assert.equal(leftOf(await gw.sendText())._tag, 'WindowClosed')
  })

  it('is not judged by the window of another sender if its own one cannot be looked up', async () => {
    const gw = await gateway({
      lastInbound: undefined,
      ports: ({ senders }) => ({ senders: { ...senders, senderOf: failing(senders.senderOf, { times: 1 }) } }),
    })
    const sender = senderIdOf(gw.phoneNumberId)
    assert.equal(leftOf(await gw.sendText({ sender }))._tag, 'PortFailure')
    assert.equal(leftOf(await gw.sendText({ sender }))._tag, 'WindowClosed')
  })
})
