import { assert } from 'chai'
import { makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { OK, useDeliveryWorld } from './delivery-world.js'

const DOWN = new Error('down')

/** A method that throws the first times that it is called, as a storage of an app's own may. */
const throwingAtFirst = <Args extends ReadonlyArray<unknown>, Answer>(
  method: (...args: Args) => Answer, times = 2,
): ((...args: Args) => Answer) => {
  let calls = 0
  return (...args) => {
    calls += 1
    if (calls <= times) throw DOWN
    return method(...args)
  }
}

describe('Deliveries over a storage that throws', () => {
  const world = useDeliveryWorld({ broker: () => OK })

  /** Rejections that no code handles, which end a process. */
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => { unhandled.push(reason) }
  before(() => { process.on('unhandledRejection', note) })
  after(() => { process.off('unhandledRejection', note) })

  it('report it, go on, and note what was delivered', async () => {
    const { eventDeliveries, eventOutbox } = world().storage
    // The first event is noted while the second one is under way, when no caller waits for the note.
    const receiver = await world().endpoint(await world().workspace(), {
      answer: () => new Promise((resolve) => { setTimeout(resolve, 80, OK) }),
    })
    const events = await world().happen(receiver.workspace, 2)
    world().start({
      deliveries: {
        due: throwingAtFirst(eventDeliveries.due, 1), record: throwingAtFirst(eventDeliveries.record),
        retries: throwingAtFirst(eventDeliveries.retries, 1), brokerDue: throwingAtFirst(eventDeliveries.brokerDue, 1),
        recordBroker: throwingAtFirst(eventDeliveries.recordBroker, 1),
      },
      outbox: { ...eventOutbox, after: throwingAtFirst(eventOutbox.after, 2) },
    })
    assert.includeMembers([...await world().arrive(receiver, 2)], events)
    assert.deepEqual([...new Set(world().failures)], [DOWN])
    assert.isAtLeast(world().failures.length, 5)
    assert.deepEqual(unhandled, [])
  })

  it('stop though the leases cannot be released', async () => {
    const receiver = await world().endpoint(await world().workspace())
    await world().happen(receiver.workspace, 1)
    const own = world().leases
    const leases = makeMemoryLeases(own, () => performance.now())
    const delivery = world().start({ leases: { take: throwingAtFirst(leases.take, 3), release: () => { throw DOWN } } })
    await world().arrive(receiver, 1)
    await delivery.stop()
    assert.includeMembers(world().failures, [DOWN])
  })
})
