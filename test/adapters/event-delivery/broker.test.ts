import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { makeEventDelivery } from '../../../adapters/event-delivery/event-delivery.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { EventSink } from '../../../core/events/delivery.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import type { Event, EventOutbox } from '../../../core/kernel/outbox.js'
import { failing } from '../../core/failing-method.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, FAILED, OK, useDeliveryWorld } from './delivery-world.js'

describe('The broker', () => {
  let answer: Answer
  const world = useDeliveryWorld({ broker: (event) => answer(event) })
  const published = (count: number) =>
    eventually(
      `the publication of ${count} events`, () => (world().toBroker.length >= count ? world().toBroker.map(({ id }) => id) : undefined),
      20_000,
    )
  const nothingLeft = () =>
    eventually('nothing to be left', async () => {
      const due = await world().storage.eventDeliveries.brokerDue(10)
      return due._tag === 'Right' && due.right.length === 0 ? true : undefined
    })
  const idsOf = (workspace: string) => world().toBroker.filter((event) => event.workspace === workspace).map(({ id }) => id)

  it('gets the events of every workspace once, each in its order', async () => {
    answer = () => OK
    const [one, other] = [await world().workspace(), await world().workspace()]
    world().start()
    world().start()
    const [ofOne, ofOther] = [await world().happen(one, 50), await world().happen(other, 30)]
    await published(80)
    await nothingLeft()
    assert.deepEqual([idsOf(one), idsOf(other)], [ofOne, ofOther])
  })

  it('is refused if the storage stores no events for it, instead of getting none', () => {
    const { eventDeliveries, eventOutbox, leases } = makeMemoryStorage()
    const wire = (outbox: EventOutbox) => makeEventDelivery({
      deliveries: eventDeliveries, outbox, leases, sinkFor: () => sink, broker: sink, now: Date.now, newAttemptId: uuidv7,
      newEventId: () => eventIdOf(uuidv7()),
    })
    const sink: EventSink = { deliver: async () => OK }
    assert.throws(() => wire(eventOutbox), 'Open the storage with `broker: true`.')
    assert.doesNotThrow(() => wire(makeMemoryStorage({ broker: true }).eventOutbox))
  })

  it('gets no notification of the platform, and does not wait at one', async () => {
    answer = () => OK
    const workspace = await world().workspace()
    world().start()
    const [first] = await world().happen(workspace, 1)
    await world().happen(workspace, 3, { type: 'platform.notification' })
    const [last] = await world().happen(workspace, 1)
    await published(2)
    await nothingLeft()
    assert.deepEqual(idsOf(workspace), [first, last])
  })

  it('gets several at once when it has fallen behind, and those of one subject in their order', async () => {
    const busy = new Set<string>()
    answer = async ({ subject, data }: Event) => {
      assert.isFalse(busy.has(subject))
      busy.add(subject)
      await new Promise((resolve) => setTimeout(resolve, 3 - (Number(data['n']) % 3)))
      busy.delete(subject)
      return OK
    }
    const workspace = await world().workspace()
    await world().happen(workspace, 300, { subjects: 30 })
    world().start()
    await published(300)
    await nothingLeft()
    for (let n = 0; n < 30; n += 1) {
      const order = world().toBroker.filter(({ subject }) => subject === `subject ${n}`).map(({ data }) => Number(data['n']))
      assert.deepEqual(order, Array.from({ length: 10 }, (_, round) => n + 30 * round))
    }
  })

  it('loses nothing while it is away', async () => {
    let isAway = true
    let attempts = 0
    answer = () => {
      attempts += 1
      return isAway ? FAILED : OK
    }
    const workspace = await world().workspace()
    world().start()
    const events = await world().happen(workspace, 5)
    await eventually('two attempts', () => (attempts >= 2 ? true : undefined))
    isAway = false
    assert.deepEqual(await published(5), events)
    await nothingLeft()
    assert.equal(world().toBroker.length, 5)
  })

  it('gets the events of other workspaces if one event is refused', async () => {
    const refused = new Set<string>()
    answer = ({ workspace }) => (refused.has(workspace) ? FAILED : OK)
    const [one, other] = [await world().workspace(), await world().workspace()]
    refused.add(one)
    world().start()
    await world().happen(one, 3)
    const events = await world().happen(other, 3)
    assert.deepEqual(await published(3), events)
  })

  it('gets an event again that could not be noted', async () => {
    answer = () => OK
    const workspace = await world().workspace()
    const { eventDeliveries } = world().storage
    world().start({ deliveries: { ...eventDeliveries, recordBroker: failing(eventDeliveries.recordBroker, { times: 1 }) } })
    const [event] = await world().happen(workspace, 1)
    assert.deepEqual(await published(2), [event, event])
    await nothingLeft()
  })

  it('leaves endpoints alone', async () => {
    answer = () => FAILED
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    world().start()
    assert.deepEqual(await world().happen(workspace, 3), await world().arrive(receiver, 3))
  })
})
