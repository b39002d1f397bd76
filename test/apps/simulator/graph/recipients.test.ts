import { assert } from 'chai'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { CUSTOMER, customersOf, json, post, type Receiver, startInOrder, template, text, toUserId } from '../support.js'

const CODE = [{ type: 'body', parameters: [{ type: 'text', text: '7' }] }]

describe('the simulator, sending to a user id,', () => {
  let receiver: Receiver
  let simulator: Simulator
  const started = startInOrder()
  before(() => { [simulator, receiver] = [started.simulator(), started.receiver()] })

  const { userIdOf } = customersOf(() => simulator)
  const failures = () => receiver.statuses().map((status) => [String(status['status']), Number(status['errors']?.[0]?.['code'] ?? 0)])

  it('takes it in `recipient`, and answers with it and without a wa_id', async () => {
    const userId = await userIdOf(CUSTOMER)
    const response = await post(simulator, toUserId(userId))
    assert.equal(response.status, 200)
    assert.deepEqual((await json(response))['contacts'] as unknown, [{ input: userId, user_id: userId }])
    assert.include(simulator.received()[0], { outcome: 'accepted', to: '', recipient: userId, userId })
  })

  it('reports the statuses of the customer, with the number if it is not hidden', async () => {
    const userId = await userIdOf(CUSTOMER)
    await post(simulator, toUserId(userId))
    await simulator.idle()
    assert.deepEqual(
      receiver.statuses().map((status) => [status['status'], status['recipient_id'], status['recipient_user_id']]) as unknown[],
      ['sent', 'delivered', 'read'].map((status) => [status, CUSTOMER, userId]),
    )
  })

  it('meets the fault of the number, and names the user id in a failure', async () => {
    const userId = await userIdOf('15550100026')
    await post(simulator, toUserId(userId))
    await simulator.idle()
    assert.deepEqual(failures(), [['failed', 131026]])
    assert.equal(receiver.statuses()[0]!['recipient_user_id'], userId)
    assert.equal((await post(simulator, toUserId(await userIdOf('15550100008')))).status, 400)
  })

  it('lets `to` win if both stand, and answers with both ids', async () => {
    const other = await userIdOf('4915112345678')
    const response = await post(simulator, { ...text(CUSTOMER), recipient: other })
    assert.deepEqual((await json(response))['contacts'] as unknown, [{ input: CUSTOMER, wa_id: CUSTOMER, user_id: other }])
    await simulator.idle()
    assert.equal(receiver.statuses()[0]!['recipient_id'], CUSTOMER)
  })

  it('does not name the user id in the answer to a number', async () => {
    assert.deepEqual((await json(await post(simulator, text(CUSTOMER))))['contacts'] as unknown, [{ input: CUSTOMER, wa_id: CUSTOMER }])
  })

  it('does not name the user id in the failure of a message to a number', async () => {
    await post(simulator, text('15550100026'))
    await simulator.idle()
    assert.equal(receiver.statuses()[0]!['recipient_id'], '15550100026')
    assert.notProperty(receiver.statuses()[0], 'recipient_user_id')
    assert.notProperty(receiver.values()[0], 'contacts')
  })

  it('accepts it in `to`, and drops the message', async () => {
    const userId = await userIdOf(CUSTOMER)
    const response = await post(simulator, text(userId))
    assert.equal(response.status, 200)
    assert.match((await json(response))['messages']![0]!['id']!, /^wamid\./)
    await simulator.idle()
    assert.isEmpty(receiver.notifications)
    assert.deepInclude(simulator.received()[0], { outcome: 'accepted', to: userId, faults: ['userIdInTo'], statuses: [] })
  })

  it('refuses an authentication template to it with 131062, and takes one to a number', async () => {
    const userId = await userIdOf(CUSTOMER)
    const response = await post(simulator, toUserId(userId, template('', 'login_code', 'en', CODE)))
    assert.deepEqual([response.status, Number((await json(response))['error']!['code'])], [400, 131062])
    assert.equal((await post(simulator, { ...template(CUSTOMER, 'login_code', 'en', CODE), recipient: userId })).status, 200)
    assert.equal((await post(simulator, toUserId(userId, template('')))).status, 200)
  })

  for (const [recipient, code] of [['US.', 131009], ['us.123', 131009], ['US.1-2', 131009], ['4915112345678', 131009], [7, 100]] as const) {
    it(`refuses the recipient ${recipient} with ${code}`, async () => {
      const response = await post(simulator, toUserId(recipient))
      assert.deepEqual([response.status, Number((await json(response))['error']!['code'])], [400, code])
    })
  }

  it('reaches a customer known only by the user id', async () => {
    await post(simulator, toUserId('DE.13491208655302741918'))
    await simulator.idle()
    assert.deepEqual(receiver.statuses().map(({ status }) => String(status)), ['sent', 'delivered', 'read'])
    assert.notProperty(receiver.statuses()[0], 'recipient_id')
    assert.deepEqual(receiver.values()[0]!['contacts'] as unknown, [
      { profile: { name: 'A customer' }, user_id: 'DE.13491208655302741918' },
    ])
  })

  it('fails for a user id of another portfolio, and gives a customer another one in each', async () => {
    simulator.change({ portfolios: { 77: 'another' } })
    const [own, other] = [await userIdOf(CUSTOMER), await userIdOf(CUSTOMER, '77')]
    assert.notEqual(own, other)
    await post(simulator, toUserId(other))
    await simulator.idle()
    assert.deepEqual(failures(), [['failed', 131026]])
    receiver.notifications.length = 0
    await post(simulator, toUserId(other), {}, '77')
    await simulator.idle()
    assert.deepEqual(receiver.statuses().map((status) => `${status['status']} ${status['recipient_user_id']}`), [
      `sent ${other}`, `delivered ${other}`, `read ${other}`,
    ])
  })

  it('keeps to the list of allowed recipients', async () => {
    simulator.change({ allowedRecipients: [CUSTOMER] })
    assert.equal((await post(simulator, toUserId(await userIdOf(CUSTOMER)))).status, 200)
    assert.equal((await post(simulator, toUserId(await userIdOf('4915112345678')))).status, 400)
  })
})
