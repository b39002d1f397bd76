import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { endpointIdOf } from '../../../core/events/endpoint.js'
import { type EventReceiver, startEventReceiver } from '../../support/event-receiver.js'
import { makeEventTools } from '../../support/event-tools.js'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { changeOf, notificationOf, statusOf } from './notifications.js'

const CUSTOMER = '33639980001'
/** The simulator reports nothing of messages to this customer. */
const SILENT_CUSTOMER = '15550100806'

describe('Events of a gateway', () => {
  let world: InProcessFixture
  let receiver: EventReceiver
  before(async () => {
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
  })
  beforeEach(async () => {
    receiver = await startEventReceiver()
  })
  afterEach(() => receiver.close())
  after(() => world[Symbol.asyncDispose]())

  const { addEndpoint, untilHeard, typesOf } = makeEventTools(() => world.storage, () => receiver)

  it('arrive at an endpoint, signed and in order, from the send to the end of the message', async () => {
    const tenant = await world.tenant()
    await addEndpoint(tenant.id, ['message.*'])
    await untilHeard(() => tenant.send(CUSTOMER), tenant.id)
    const sent = await tenant.send(SILENT_CUSTOMER)
    const id = sent.headers.get('Postern-Message')
    // One after another: of statuses that are reported at the same time, a later one may come first, and then the earlier one is no news.
    for (const status of ['sent', 'delivered', 'read']) {
      const reported = statusOf(id, status, { id: sent.json['message_id'] })
      assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { statuses: [reported] })]))).status, 200)
    }
    await eventually('the last event', () => (typesOf(id).includes('message.read') ? true : undefined))
    assert.deepEqual(typesOf(id), ['message.accepted', 'message.sent', 'message.delivered', 'message.read'])
    for (const { webhookId, id: eventId, workspace } of receiver.received) assert.deepEqual([webhookId, workspace], [eventId, tenant.id])
  })

  it('tell what a customer wrote', async () => {
    const tenant = await world.tenant()
    await addEndpoint(tenant.id, ['message.received'])
    await untilHeard(async () => world.simulator.writeAs(CUSTOMER, { text: 'Hello' }, tenant.phoneNumberId), tenant.id)
    assert.deepInclude(receiver.received[0]?.data['content'], { body: 'Hello' })
  })
})

describe('A gateway with EVENTS_CONTENT=off', () => {
  it('reports that a customer wrote, and not the text', async () => {
    const receiver = await startEventReceiver()
    const world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8', EVENTS_CONTENT: 'off' })
    try {
      const tenant = await world.tenant()
      rightOf(await world.storage.eventEndpoints.add({
        id: endpointIdOf(uuidv7()), workspace: tenant.id, url: receiver.url, types: ['*'], description: '', createdAt: Date.now(),
        secret: receiver.secret,
      }))
      const received = await eventually('the event', () => {
        world.simulator.writeAs(CUSTOMER, { text: 'Hello' }, tenant.phoneNumberId)
        return receiver.received.find(({ type }) => type === 'message.received')
      }, 20_000)
      assert.deepInclude(received.data, { type: 'text', content: null, context: null })
      const stored = rightOf(await world.storage.eventOutbox.after(tenant.id, 0, 100))
      assert.notInclude(JSON.stringify(stored), 'Hello')
    } finally {
      await world[Symbol.asyncDispose]()
      await receiver.close()
    }
  })
})

describe('A gateway without EVENTS_ALLOW', () => {
  it('does not call an endpoint on its own machine, and notes why', async () => {
    const receiver = await startEventReceiver()
    const world = await startInProcessFixture()
    try {
      const tenant = await world.tenant()
      const id = endpointIdOf(uuidv7())
      rightOf(await world.storage.eventEndpoints.add({
        id, workspace: tenant.id, url: receiver.url, types: ['*'], description: '', createdAt: Date.now(), secret: receiver.secret,
      }))
      const attempt = await eventually('an attempt', async () => {
        await tenant.send(CUSTOMER)
        return rightOf(await world.storage.eventDeliveries.attempts(id, { limit: 10 })).items[0]
      }, 20_000)
      assert.isFalse(attempt.delivered)
      assert.isString(attempt.error)
      assert.isEmpty(receiver.received)
    } finally {
      await world[Symbol.asyncDispose]()
      await receiver.close()
    }
  })
})
