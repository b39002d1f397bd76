import { assert } from 'chai'
import { makeListOpenWindows } from '../../../core/customers/use-cases.js'
import { WINDOW_MS } from '../../../core/customers/window.js'
import { CUSTOMER, gateway, NOON, right } from '../gateway.js'

describe('The list of open windows', () => {
  it('contains a customer until 24 hours after their last message, and not later', async () => {
    const listed = async (lastInbound: number) => {
      const gw = await gateway({ lastInbound })
      return right(await makeListOpenWindows(gw.deps)(gw.workspace, { limit: 10 })).items.map(({ phoneNumber }) => phoneNumber)
    }
    assert.deepEqual(await listed(NOON - WINDOW_MS + 1), [CUSTOMER])
    assert.deepEqual(await listed(NOON - WINDOW_MS - 1), [])
  })
})
