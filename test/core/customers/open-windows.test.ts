import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { UserId } from '../../../core/customers/customer.js'
import { makeListOpenWindows } from '../../../core/customers/use-cases.js'
import { WINDOW_MS } from '../../../core/customers/window.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'

describe('The list of open windows', () => {
  it('contains a customer until 24 hours after their last message, and not later', async () => {
    const listed = async (lastInbound: number) => {
      const gw = await gateway({ lastInbound })
      return rightOf(await makeListOpenWindows(gw.deps)(gw.workspace, { limit: 10 })).items.map(({ phoneNumber }) => phoneNumber)
    }
    assert.deepEqual(await listed(NOON - WINDOW_MS + 1), [CUSTOMER])
    assert.deepEqual(await listed(NOON - WINDOW_MS - 1), [])
  })

  it('fails if it cannot be read, or a customer or a window of it', async () => {
    const gw = await gateway()
    const userId = 'DE.1' as UserId
    rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER, userId }, at: NOON - 1 }))
    const { windowClock } = gw.deps
    let reads = 0
    // The user id is read with the other ids first, and then alone.
    const lastInbound: typeof windowClock.lastInbound = async (workspace, id) => {
      if (id !== userId) return windowClock.lastInbound(workspace, id)
      reads += 1
      return reads === fails ? E.left(DOWN) : windowClock.lastInbound(workspace, id)
    }
    let fails = 0
    const list = () => makeListOpenWindows({ ...gw.deps, windowClock: { ...windowClock, lastInbound } })(gw.workspace, { limit: 10 })
    rightOf(await list())
    for (fails = reads; fails > 0; fails -= 1) {
      reads = 0
      assert.deepEqual(leftOf(await list()), DOWN)
    }
    const { customers, customerWindows } = gw.storage
    assert.deepEqual(
      leftOf(await makeListOpenWindows({ ...gw.deps, customers: { find: failing(customers.find) } })(gw.workspace, { limit: 10 })), DOWN,
    )
    assert.deepEqual(
      leftOf(
        await makeListOpenWindows({ ...gw.deps, customerWindows: { list: failing(customerWindows.list) } })(gw.workspace, { limit: 10 }),
      ),
      DOWN,
    )
  })
})
