import { assert } from 'chai'
import type { ConsentFact, OptOut } from '../../../core/consent/consent.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { DAY_MS, HOUR_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Inbound } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, type GatewayOptions, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const REPLY = 'You get no more messages.\nWrite START to get them again.'

const opened = async (optOut: Partial<OptOut> = {}, options: GatewayOptions = {}) => {
  const gw = await gateway(options)
  rightOf(await gw.storage.consents.set(gw.workspace, { optOut: { words: { en: ['STOP'] }, topic: 'marketing', reply: REPLY, ...optOut } }))
  return gw
}

const wrote = (gw: Gateway, body: string, more: Partial<Inbound> = {}, id = 'wamid.in'): Inbound => ({
  _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON,
  message: { id: id as PlatformId, type: 'text', content: { body } }, ...more,
})

const record = async (gw: Gateway, fact: Partial<ConsentFact>) => rightOf(await gw.storage.consents.record(gw.workspace, [{
  ids: [CUSTOMER], fact: { topic: 'marketing', status: 'withdrawn', since: NOON - HOUR_MS, source: 'a call', ...fact },
}]))

const texts = (gw: Gateway) => gw.sent.map(({ message, sender: { phoneNumberId } }) =>
  ({ to: message.to, text: message._tag === 'Text' ? message.text : undefined, phoneNumberId }))

describe('The answer to a word that stops messages', () => {
  it('is sent once to the customer, through the number that the customer wrote to, and is paid for as a text', async () => {
    const gw = await opened({}, { lastInbound: undefined })
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'Stop!'))), ['opt_out_answered'])
    assert.deepEqual(texts(gw), [{ to: CUSTOMER, text: REPLY, phoneNumberId: gw.phoneNumberId }])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['accepted'])
    assert.deepEqual(await gw.brokenBooks(), [])
  })

  it('is sent to a customer who is known by a user id only', async () => {
    const gw = await opened({}, { lastInbound: undefined })
    rightOf(await gw.receive(wrote(gw, 'STOP', { customer: { userId: 'DE.1234567890' as UserId } })))
    assert.deepEqual(texts(gw).map(({ to }) => to), ['DE.1234567890'])
  })

  it('is sent once, although several gateways get the message several times, now and later', async () => {
    const gw = await opened()
    const stop = wrote(gw, 'STOP')
    await Promise.all([gw.receive(stop), gw.receive(stop, stop), gw.receive(stop)])
    rightOf(await gw.receive(stop))
    gw.passes(2 * DAY_MS)
    assert.deepEqual(rightOf(await gw.receive(stop)), ['opt_out_unanswered'])
    assert.lengthOf(gw.sent, 1)
  })

  it('is sent after a failure of storage, when the message is delivered again', async () => {
    const gw = await opened({}, {
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, open: failing(messageLog.open, { times: 1 }) } }),
    })
    leftOf(await gw.receive(wrote(gw, 'STOP')))
    assert.lengthOf(gw.sent, 0)
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP'))), ['opt_out_answered'])
    rightOf(await gw.receive(wrote(gw, 'STOP')))
    assert.lengthOf(gw.sent, 1)
  })

  it('is not sent a second time if its outcome is unknown', async () => {
    const gw = await opened()
    gw.willNextAnswer({ _tag: 'OutcomeUnknown', cause: 'the connection broke' })
    for (const _ of [1, 2]) assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP'))), ['opt_out_answered'])
    assert.lengthOf(gw.sent, 1)
  })

  it('is sent for a stop of all messages, which then counts for every other message', async () => {
    const gw = await opened({ topic: 'all' })
    rightOf(await gw.receive(wrote(gw, 'STOP')))
    assert.deepEqual(texts(gw).map(({ text }) => text), [REPLY])
    assert.equal(leftOf(await gw.sendText({ text: REPLY }))._tag, 'CustomerOptedOut')
  })

  it('is not sent to a customer who had stopped before, in another message or elsewhere', async () => {
    for (const delivered of [1, 2]) {
      const gw = await opened()
      await record(gw, {})
      for (let count = 0; count < delivered; count += 1) assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP'))), ['window_marked'])
      assert.lengthOf(gw.sent, 0)
    }
    const gw = await opened()
    rightOf(await gw.receive(wrote(gw, 'STOP')))
    gw.passes(HOUR_MS)
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP', { at: NOON + HOUR_MS }, 'wamid.second'))), ['window_marked'])
    assert.lengthOf(gw.sent, 1)
  })

  it('is not sent to a customer who has stopped all messages in another way', async () => {
    const gw = await opened()
    await record(gw, { topic: 'all' })
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP'))), ['opt_out_unanswered'])
    assert.lengthOf(gw.sent, 0)
  })

  it('is sent again to a customer who allowed messages and stops them again', async () => {
    const gw = await opened()
    rightOf(await gw.receive(wrote(gw, 'STOP')))
    await record(gw, { status: 'granted', since: NOON + 1 })
    gw.passes(HOUR_MS)
    rightOf(await gw.receive(wrote(gw, 'STOP', { at: NOON + HOUR_MS }, 'wamid.second')))
    assert.lengthOf(gw.sent, 2)
  })

  it('is not sent if the wallet is empty, and the stop counts', async () => {
    const gw = await opened({}, { balance: TEXT_PRICE - 1n })
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'STOP'))), ['opt_out_unanswered'])
    assert.lengthOf(gw.sent, 0)
    assert.equal(rightOf(await gw.storage.consents.find(gw.workspace, [CUSTOMER]))[0]?.marketing?.status, 'withdrawn')
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'CustomerOptedOut')
  })

  it('is not sent without a text, for another message, or for a message that is delivered after half a day', async () => {
    const silent = await gateway()
    assert.deepEqual(rightOf(await silent.receive(wrote(silent, 'STOP'))), ['window_marked'])
    const gw = await opened()
    assert.deepEqual(rightOf(await gw.receive(wrote(gw, 'Hello'))), ['window_marked'])
    assert.deepEqual(
      rightOf(await gw.receive(wrote(gw, 'STOP', { customer: { phoneNumber: '4915123456700' as PhoneNumber }, at: NOON - 13 * HOUR_MS }))),
      ['opt_out_unanswered'],
    )
    assert.lengthOf([...silent.sent, ...gw.sent], 0)
  })
})
