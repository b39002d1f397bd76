import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { UserId } from '../../../core/customers/customer.js'
import { makeListOpenWindows } from '../../../core/customers/use-cases.js'
import { WINDOW_MS } from '../../../core/customers/window.js'
import type { Currency } from '../../../core/kernel/money.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeListUnanswered } from '../../../core/timeline.js'
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
    const customer = { phoneNumber: CUSTOMER, userId }
    rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer, at: NOON - 1 }))
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

describe('The list of customers without an answer', () => {
  it('leaves out a customer to whom a message was sent since they wrote, but not one whose messages all failed', async () => {
    const gw = await gateway({ lastInbound: NOON - 1_000 })
    const listed = async () =>
      rightOf(await makeListUnanswered(gw.deps)(gw.workspace, { limit: 10 })).items.map(({ phoneNumber }) => phoneNumber)
    const open = async (at: number) => {
      const id = messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
      const price = { micros: 0n, currency: 'USD' as Currency, category: 'service' } as const
      const message = { _tag: 'Text', to: CUSTOMER, text: 'Hi' } as const
      rightOf(await gw.storage.messageLog.open({ id, workspace: gw.workspace, at, price, message }))
      return id
    }
    await open(NOON - 2_000)
    assert.deepEqual(await listed(), [CUSTOMER], 'a message from before is no answer')
    const failed = await open(NOON)
    assert.deepEqual(await listed(), [])
    rightOf(await gw.storage.messageLog.apply(gw.workspace, failed, { state: 'failed', at: NOON, error: { code: 131_026 } }))
    assert.deepEqual(await listed(), [CUSTOMER])
    await open(NOON)
    assert.deepEqual(await listed(), [])
  })

  it('reads a fixed number of messages for each customer, and fails if they cannot be read', async () => {
    const gw = await gateway()
    const { messageLog } = gw.storage
    const limits: Array<number> = []
    const list: typeof messageLog.list = (workspace, query) => {
      limits.push(query.limit)
      return messageLog.list(workspace, query)
    }
    rightOf(await makeListUnanswered({ ...gw.deps, messageLog: { list } })(gw.workspace, { limit: 10 }))
    assert.deepEqual(limits, [5])
    const down = makeListUnanswered({ ...gw.deps, messageLog: { list: failing(messageLog.list) } })
    assert.deepEqual(leftOf(await down(gw.workspace, { limit: 10 })), DOWN)
  })
})
