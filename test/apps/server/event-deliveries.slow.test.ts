// Slow: kills processes and waits until their leases of 15 seconds have ended.
import { assert } from 'chai'
import { startEventReceiver, type EventReceiver } from '../../support/event-receiver.js'
import { makeEventTools } from '../../support/event-tools.js'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture, type ProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'

const CUSTOMER = '33639980001'

/** A lease of a gateway that was killed lasts for 15 seconds. */
const TAKEN_OVER_MS = 40_000

describe('Events of a gateway', () => {
  let world: ProcessFixture
  let receiver: EventReceiver
  before(async () => {
    world = await startProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
  })
  beforeEach(async () => {
    receiver = await startEventReceiver()
  })
  afterEach(() => receiver.close())
  after(() => world[Symbol.asyncDispose]())

  const { addEndpoint, untilHeard, typesOf } = makeEventTools(() => world.storage, () => receiver)

  it('come again with the same id, and none is missing, if the gateway is killed between an answer and the note of it', async () => {
    const tenants = await Promise.all(Array.from({ length: 12 }, () => world.tenant()))
    await Promise.all(tenants.map(async (tenant) => {
      await addEndpoint(tenant.id, ['message.accepted'])
      await untilHeard(() => tenant.send(CUSTOMER), tenant.id)
    }))
    const killed = world.server()
    let left = 30
    receiver.answer = () => {
      left -= 1
      if (left === 0) killed.signal('SIGKILL')
      return 204
    }
    const accepted = new Set<string>()
    while (left > 0) {
      const answers = await Promise.allSettled(tenants.map((tenant) => tenant.send(CUSTOMER)))
      for (const answer of answers) {
        if (answer.status === 'fulfilled' && answer.value.status === 200) accepted.add(answer.value.headers.get('Postern-Message') ?? '')
      }
    }
    await killed.kill()
    const before = receiver.received.length
    await world.start()
    await eventually('what was not noted', () => (receiver.received.length > before ? true : undefined), TAKEN_OVER_MS)
    const due = { shards: Array.from({ length: 16 }, (_, shard) => shard), limit: 100, except: [] }
    await eventually('nothing to be left', async () =>
      (rightOf(await world.storage.eventDeliveries.due({ ...due, at: Date.now() })).length === 0 ? true : undefined), TAKEN_OVER_MS)

    const ofMessages = new Map(receiver.received.map(({ id, data }) => [id, String(data['id'])]))
    assert.isBelow(ofMessages.size, receiver.received.length, 'at least one event came again')
    assert.equal(new Set(ofMessages.values()).size, ofMessages.size, 'no message has two events')
    for (const id of accepted) assert.include([...ofMessages.values()], id)
  })

  it('are delivered by another gateway if one stops', async () => {
    const tenant = await world.tenant()
    await addEndpoint(tenant.id, ['message.accepted'])
    const first = world.server()
    await untilHeard(() => tenant.send(CUSTOMER), tenant.id)
    await world.start()
    first.signal('SIGTERM')
    assert.equal((await first.ended).status, 0)
    const sent = await tenant.send(CUSTOMER)
    await eventually('the event', () => (typesOf(sent.headers.get('Postern-Message')).length > 0 ? true : undefined), TAKEN_OVER_MS)
  })
})
