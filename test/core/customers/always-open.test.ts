import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { alwaysOpen, windowView } from '../../../core/customers/window.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { makeSearch } from '../../../core/search.js'
import { done, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type GatewayOptions, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const STRANGER = '4915123456780' as PhoneNumber

/** A gateway over a network without a customer service window. */
const onSms = (world: GatewayOptions = {}) =>
  gateway({ lastInbound: NOON - 2 * DAY_MS, ports: ({ windowClock }) => ({ windowClock: alwaysOpen(windowClock) }), ...world })

describe('On a network without a customer service window', () => {
  it('a text is sent to a customer who wrote long ago and to one who never wrote', async () => {
    const gw = await onSms()
    rightOf(await gw.sendText())
    rightOf(await gw.sendText({ to: STRANGER }))
    assert.deepEqual(gw.sent.map(({ message: { to } }) => to), [CUSTOMER, STRANGER])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 2n * TEXT_PRICE, held: 0n })
  })

  it('a quote of a text has a price and, as that of a template, no window', async () => {
    const gw = await onSms()
    const quote = rightOf(await gw.quoteText({ to: STRANGER }))
    assert.deepEqual([quote.price.micros, quote.lastInbound], [TEXT_PRICE, undefined])
  })

  it('a window is shown as open without an end, with the true moment of the latest message', () => {
    assert.deepEqual(windowView(NOON, O.none, 'always'), { open: true, last_inbound_at: null, closes_at: null })
    assert.deepEqual(windowView(NOON, O.some(NOON - 2 * DAY_MS), 'always'), {
      open: true, last_inbound_at: '2026-02-27T12:00:00.000Z', closes_at: null,
    })
  })

  it('a message of a customer is recorded and makes an event, and no window opens', async () => {
    const gw = await onSms({ broker: true, lastInbound: undefined })
    const message = { id: 'sms-1' as PlatformId, type: 'text', content: { body: 'Hi' } }
    rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON, message }))
    assert.deepEqual(await done(gw.storage.windowClock.lastInbound(gw.workspace, CUSTOMER)), O.some(NOON))
    assert.deepEqual((await gw.events()).map(({ type }) => type), ['message.received'])
  })

  it('a search says that a customer may be written to', async () => {
    const gw = await onSms()
    const { storage } = gw
    const found = rightOf(await makeSearch({ ...storage, windowClock: alwaysOpen(storage.windowClock) })({
      by: SYSTEM, text: CUSTOMER, workspace: gw.workspace,
    }))
    assert.deepEqual(found.customers.map(({ isOpen }) => isOpen), [true])
  })
})
