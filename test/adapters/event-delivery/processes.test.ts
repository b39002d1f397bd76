import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { failing } from '../../core/failing-method.js'
import { eventually } from '../../support/eventually.js'
import { heldAnswer, OK, useDeliveryWorld } from './delivery-world.js'

describe('Deliveries go on', () => {
  const world = useDeliveryWorld()

  it('if the storage fails for a time', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    const { eventDeliveries, eventOutbox } = world().storage
    world().start({
      deliveries: {
        ...eventDeliveries, due: failing(eventDeliveries.due, { times: 1 }), retries: failing(eventDeliveries.retries, { times: 1 }),
        record: failing(eventDeliveries.record, { times: 2 }),
      },
      outbox: { ...eventOutbox, after: failing(eventOutbox.after, { times: 1 }) },
    })
    const events = await world().happen(workspace, 3)
    assert.deepEqual(await world().arrive(receiver, 3), events)
    assert.isAtLeast(world().failures.length, 5)
  })

  it('if the answer to a note is lost', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    const { eventDeliveries } = world().storage
    world().start({ deliveries: { ...eventDeliveries, record: failing(eventDeliveries.record, { times: 1, answerLost: true }) } })
    const events = await world().happen(workspace, 3)
    await world().arrive(receiver, 3)
    const later = await world().happen(workspace, 1)
    assert.deepEqual(await world().arrive(receiver, 4), [...events, ...later])
  })

  it('if leases cannot be taken for a time', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    let left = 2
    world().start({
      leases: {
        take: async () => {
          left -= 1
          return left >= 0 ? E.left(portFailure('Leases')('down')) : E.right(true)
        },
        release: async () => E.right(undefined),
      },
    })
    const events = await world().happen(workspace, 1)
    assert.deepEqual(await world().arrive(receiver, 1), events)
  })
})

describe('A process that stops', () => {
  const world = useDeliveryWorld()

  it('finishes the current attempt, records it, starts no other, and releases its leases', async () => {
    const workspace = await world().workspace()
    const held = heldAnswer()
    const receiver = await world().endpoint(workspace, { answer: held.answer })
    const delivery = world().start()
    const events = await world().happen(workspace, 3)
    await eventually('the first attempt', () => (held.waiting() > 0 ? true : undefined))
    assert.isAbove(world().leases.size, 0)
    const stopped = delivery.stop()
    held.letGo()
    await stopped
    assert.deepEqual([receiver.arrived, (await world().attempts(receiver)).length, world().leases.size], [events.slice(0, 1), 1, 0])
    world().start()
    assert.deepEqual(await world().arrive(receiver, 3), events)
  })

  it('does not wait for an attempt that hangs, and the next process makes it again', async () => {
    const workspace = await world().workspace()
    const held = heldAnswer()
    const receiver = await world().endpoint(workspace, { answer: held.answer })
    const delivery = world().start()
    const [event] = await world().happen(workspace, 1)
    await eventually('the first attempt', () => (held.waiting() > 0 ? true : undefined))
    await delivery.stop(20)
    receiver.answer = () => OK
    world().start()
    await eventually('the second attempt', async () => ((await world().attempts(receiver)).length > 0 ? true : undefined))
    assert.deepEqual(receiver.arrived, [event!, event!])
    held.letGo()
  })
})

describe('Two processes', () => {
  const world = useDeliveryWorld()

  it('deliver each event once while both run', async () => {
    const workspaces = [await world().workspace(), await world().workspace(), await world().workspace()]
    const receivers = await Promise.all(workspaces.map((workspace) => world().endpoint(workspace)))
    const one = world().start()
    world().start()
    const events = await Promise.all(workspaces.map((workspace) => world().happen(workspace, 50)))
    for (const [n, receiver] of receivers.entries()) assert.deepEqual(await world().arrive(receiver, 50), events[n])
    await one.stop()
    const later = await world().happen(workspaces[0]!, 1)
    assert.deepEqual(await world().arrive(receivers[0]!, 51), [...events[0]!, ...later])
  })

  it('bring every event at least once, and end, if no lease keeps them apart', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: async () => new Promise((resolve) => setTimeout(() => resolve(OK), 1)) })
    const leases = { take: async () => E.right(true), release: async () => E.right(undefined) }
    world().start({ leases })
    world().start({ leases })
    const events = await world().happen(workspace, 300, { subjects: 50 })
    await eventually('every event', () => (new Set(receiver.arrived).size === 300 ? true : undefined))
    await eventually('nothing to be left', async () => ((await world().due()).length === 0 ? true : undefined))
    assert.sameMembers([...new Set(receiver.arrived)], events)
    const noted = (await world().attempts(receiver)).map(({ event }) => event)
    assert.deepEqual(noted, events, 'each attempt that was noted moved the position')
  })

  it('share what one of them leaves when its lease ends', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    for (let shard = 0; shard < 16; shard += 1) {
      world().leases.set(`event-shard-${shard}`, { holder: Symbol('killed'), until: performance.now() + 500 })
    }
    world().start()
    const events = await world().happen(workspace, 1)
    assert.deepEqual(await world().arrive(receiver, 1), events)
  })
})
