import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { UserId } from '../../../core/customers/customer.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'

const USER_ID = 'DE.13491208655302741918' as UserId

describe('A customer who writes to an app that keeps no customers', () => {
  it('opens the window under each id that the message names', async () => {
    const gw = await gateway({ lastInbound: undefined, keepsCustomers: false })
    const written = {
      _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER, userId: USER_ID }, at: NOON,
    } as const
    assert.deepEqual(await gw.receive(written), E.right(['window_marked']))
    rightOf(await gw.sendText())
    rightOf(await gw.sendText({ to: USER_ID }))
    assert.deepEqual(gw.sent.map(({ message }) => message.to), [CUSTOMER, USER_ID])
    assert.equal(leftOf(await gw.sendText({ to: 'DE.2' as UserId }))._tag, 'WindowClosed')
  })

  it('opens it under a user id alone, if the message names no number', async () => {
    const gw = await gateway({ lastInbound: undefined, keepsCustomers: false })
    rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { userId: USER_ID }, at: NOON }))
    rightOf(await gw.sendText({ to: USER_ID }))
    assert.equal(leftOf(await gw.sendText())._tag, 'WindowClosed')
  })

  it('may stop marketing messages, which is kept if what customers stop is', async () => {
    const gw = await gateway({ keepsCustomers: false })
    const stopped = {
      _tag: 'MarketingPreference', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, stopped: true, at: NOON,
    } as const
    assert.deepEqual(await gw.receive(stopped), E.right(['customer_learned']))
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'CustomerOptedOut')
  })
})
