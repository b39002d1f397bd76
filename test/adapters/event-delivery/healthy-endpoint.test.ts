import { assert } from 'chai'
import type { Event } from '../../../core/kernel/outbox.js'
import { eventually } from '../../support/eventually.js'
import { heldAnswer, NOON, OK, useDeliveryWorld } from './delivery-world.js'

describe('Deliveries to a healthy endpoint', () => {
  const world = useDeliveryWorld()

  it('bring every event once, in the order in which they happened', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    world().start()
    const events = [...await world().happen(workspace, 5), ...await world().happen(workspace, 30), ...await world().happen(workspace, 2)]
    assert.deepEqual(await world().arrive(receiver, 37), events)
    const { lastDelivery, failingSince } = await world().find(receiver)
    assert.deepEqual([lastDelivery, failingSince], [{ at: NOON, delivered: true, httpStatus: 204 }, undefined])
    assert.deepEqual((await world().attempts(receiver)).map(({ event }) => event), events)
  })

  it('begin with what happened after the endpoint was added', async () => {
    const workspace = await world().workspace()
    await world().happen(workspace, 3)
    const receiver = await world().endpoint(workspace)
    world().start()
    assert.deepEqual(await world().happen(workspace, 1), await world().arrive(receiver, 1))
  })

  it('pass over types that it does not want', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { types: ['wallet.*'] })
    world().start()
    await world().happen(workspace, 200, { type: 'message.read' })
    const wanted = await world().happen(workspace, 1, { type: 'wallet.low' })
    await world().happen(workspace, 1, { type: 'message.read' })
    assert.deepEqual(await world().arrive(receiver, 1), wanted)
    await eventually('nothing to be left', async () => ((await world().due()).length === 0 ? true : undefined))
    assert.deepEqual(receiver.arrived, wanted)
  })

  it('keep to their workspace', async () => {
    const [one, other] = [await world().workspace(), await world().workspace()]
    const [atOne, atOther] = [await world().endpoint(one), await world().endpoint(other)]
    world().start()
    const [ofOne, ofOther] = [await world().happen(one, 3), await world().happen(other, 2)]
    assert.deepEqual([await world().arrive(atOne, 3), await world().arrive(atOther, 2)], [ofOne, ofOther])
  })

  it('come one at a time while it keeps up', async () => {
    const workspace = await world().workspace()
    const held = heldAnswer()
    const receiver = await world().endpoint(workspace, { answer: held.answer })
    world().start()
    await world().happen(workspace, 20)
    await eventually('the first attempt', () => (held.waiting() > 0 ? true : undefined))
    assert.equal(receiver.arrived.length, 1)
    held.letGo()
    await world().arrive(receiver, 20)
  })

  it('come several at once when it has fallen behind, and those of one subject keep their order', async () => {
    const workspace = await world().workspace()
    let [underWay, most] = [0, 0]
    const delivered = new Map<string, number[]>()
    const busy = new Set<string>()
    const receiver = await world().endpoint(workspace, {
      answer: async ({ subject, data }: Event) => {
        assert.isFalse(busy.has(subject), 'two events of one subject at once')
        busy.add(subject)
        most = Math.max(most, underWay += 1)
        // Later ones answer sooner, so that an order which is not kept is seen.
        await new Promise((resolve) => setTimeout(resolve, 5 - (Number(data['n']) % 5)))
        underWay -= 1
        busy.delete(subject)
        delivered.set(subject, [...delivered.get(subject) ?? [], Number(data['n'])])
        return OK
      },
    })
    await world().happen(workspace, 300, { subjects: 40 })
    world().start()
    await world().arrive(receiver, 300)
    assert.equal(most, 16)
    for (const order of delivered.values()) assert.deepEqual(order, order.toSorted((a, b) => a - b))
  })

  it('are limited to a number of attempts per second', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    await world().happen(workspace, 60)
    const begun = performance.now()
    world().start({ attemptsPerSecond: 100 })
    await world().arrive(receiver, 60)
    // A quarter of a second's worth may come at once.
    assert.isAtLeast(performance.now() - begun, 300)
  })
})
