import { assert } from 'chai'
import type { EventId } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { FAILED, heldAnswer, OK, useDeliveryWorld } from './delivery-world.js'

describe('An event that fails', () => {
  const world = useDeliveryWorld()

  const failingOnce = (times: number) => {
    const seen = new Map<EventId, number>()
    return ({ id, data }: Event) => {
      seen.set(id, (seen.get(id) ?? 0) + 1)
      return data['n'] === 1 && (seen.get(id) ?? 0) <= times ? FAILED : OK
    }
  }

  it('is tried again by its schedule, and those after it go on', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: failingOnce(3) })
    const delivery = world().start()
    const [first, second, third] = await world().happen(workspace, 3)
    assert.deepEqual(await world().arrive(receiver, 3), [first!, second!, third!])
    for (const [n, pause] of [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS].entries()) {
      world().passes(pause - 1)
      delivery.wake()
      const [attempt] = (await world().attempts(receiver)).filter(({ event }) => event === second).slice(-1)
      assert.isAtLeast(attempt!.nextAttemptAt!, world().now())
      world().passes(pause / 10 + 2)
      delivery.wake()
      await world().arrive(receiver, 4 + n)
    }
    assert.deepEqual(receiver.arrived.slice(3), [second, second, second])
    world().passes(10 * DAY_MS)
    assert.deepEqual(await world().due(), [])
  })

  it('is given up after five days, and its endpoint stays enabled if others arrive', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: failingOnce(Infinity) })
    const delivery = world().start()
    const [, poison] = await world().happen(workspace, 2)
    await world().arrive(receiver, 2)
    for (let day = 0; day < 40; day += 1) {
      world().passes(6 * 60 * MINUTE_MS)
      await world().happen(workspace, 1)
      delivery.wake()
      await world().arrive(receiver, receiver.arrived.length + 1)
    }
    const tries = receiver.arrived.filter((id) => id === poison).length
    assert.isAbove(tries, 5)
    assert.deepEqual([(await world().find(receiver)).status, await world().due()], ['enabled', []])
  })

  it('comes again when its owner asks for it', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace)
    const delivery = world().start()
    const [first, second] = await world().happen(workspace, 2)
    await world().arrive(receiver, 2)
    assert.isTrue(rightOf(await world().storage.eventDeliveries.redeliver(receiver.id, first!, world().now())))
    delivery.wake()
    assert.deepEqual(await world().arrive(receiver, 3), [first!, second!, first!])
  })
})

describe('An endpoint for which no connection was free', () => {
  const world = useDeliveryWorld()

  it('does not count as failing, and gets its event once', async () => {
    const workspace = await world().workspace()
    let untried = 20
    const receiver = await world().endpoint(workspace, {
      answer: () => {
        untried -= 1
        return untried >= 0 ? { ...FAILED, isUntried: true } : OK
      },
    })
    const delivery = world().start()
    const [event] = await world().happen(workspace, 1)
    untried = 1
    delivery.wake()
    await eventually('the event to be noted', async () => ((await world().attempts(receiver)).length > 0 ? true : undefined))
    assert.deepEqual((await world().attempts(receiver)).map(({ event: of, delivered }) => [of, delivered]), [[event!, true]])
    assert.deepEqual([(await world().find(receiver)).failingSince, await world().retries(receiver)], [undefined, []])
  })
})

describe('An endpoint that fails', () => {
  const world = useDeliveryWorld()

  it('gets one attempt at a time, after pauses, until it answers; then at once what it missed, and all arrives', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: () => FAILED })
    const delivery = world().start()
    const events = await world().happen(workspace, 12)
    await world().arrive(receiver, 5)
    assert.equal(receiver.arrived.length, 5)
    for (const pause of [1, 2, 4]) {
      const before = receiver.arrived.length
      world().passes(pause * SECOND_MS + 1)
      delivery.wake()
      await world().arrive(receiver, before + 1)
      assert.equal(receiver.arrived.length, before + 1)
    }
    receiver.answer = () => OK
    world().passes(8 * SECOND_MS + 1)
    delivery.wake()
    await eventually('every event', () => (new Set(receiver.arrived).size === 12 ? true : undefined))
    await eventually('nothing to be left', async () =>
      [...await world().due(), ...await world().retries(receiver)].length === 0 ? true : undefined)
    const delivered = (await world().attempts(receiver)).filter((attempt) => attempt.delivered).map(({ event }) => event)
    assert.sameMembers(delivered, events)
    assert.deepEqual([(await world().find(receiver)).failingSince], [undefined])
  })

  it('is disabled at once by 410, and other endpoints learn of it', async () => {
    const workspace = await world().workspace()
    const gone = await world().endpoint(workspace, { answer: () => ({ ...FAILED, httpStatus: 410, isGone: true }) })
    const seen: Event[] = []
    const other = await world().endpoint(workspace, { types: ['endpoint.*'], answer: (event) => { seen.push(event); return OK } })
    world().start()
    await world().happen(workspace, 3)
    await world().arrive(other, 1)
    assert.deepEqual([(await world().find(gone)).status, gone.arrived.length, seen[0]?.type], ['disabled', 1, 'endpoint.disabled'])
    assert.include(seen[0]?.data, { id: gone.id, status: 'disabled', reason: 'gone' })
  })

  it('is disabled once every attempt of five days has failed', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: () => FAILED })
    const delivery = world().start()
    await world().happen(workspace, 1)
    await world().arrive(receiver, 1)
    world().passes(5 * DAY_MS - 2 * FAILED.durationMs)
    await world().happen(workspace, 1)
    delivery.wake()
    await world().arrive(receiver, 2)
    assert.equal((await world().find(receiver)).status, 'enabled')
    world().passes(2 * FAILED.durationMs)
    await world().happen(workspace, 1)
    delivery.wake()
    await eventually('the end', async () => ((await world().find(receiver)).status === 'disabled' ? true : undefined))
    const events = rightOf(await world().storage.eventOutbox.after(workspace, 0, 100))
    assert.include(events.at(-1)?.data, { id: receiver.id, reason: 'failing' })
  })

  it('takes nothing from others while it hangs, however many hang', async () => {
    const workspace = await world().workspace()
    const held = heldAnswer()
    const dead = await Promise.all(Array.from({ length: 60 }, () => world().endpoint(workspace, { answer: held.answer })))
    const healthy = await Promise.all(Array.from({ length: 20 }, () => world().endpoint(workspace)))
    world().start()
    const events = await world().happen(workspace, 40)
    for (const receiver of healthy) assert.deepEqual(await world().arrive(receiver, 40), events)
    for (const receiver of dead) assert.isAtMost(receiver.arrived.length, 1)
    held.letGo()
    for (const receiver of dead) assert.deepEqual(await world().arrive(receiver, 40), events)
  })

  it('leaves the others their slots if 300 hang', async () => {
    const workspace = await world().workspace()
    const held = heldAnswer()
    for (let n = 0; n < 300; n += 1) await world().endpoint(workspace, { answer: held.answer })
    world().start()
    await world().happen(workspace, 1)
    await eventually('attempts', () => (held.waiting() >= 64 ? true : undefined))
    const healthy = await world().endpoint(workspace)
    await world().happen(workspace, 1)
    await world().arrive(healthy, 1)
    held.letGo()
  })

  it('has its attempts noted even if the sink throws', async () => {
    const workspace = await world().workspace()
    const receiver = await world().endpoint(workspace, { answer: () => { throw new Error('broken') } })
    world().start()
    await world().happen(workspace, 1)
    await world().arrive(receiver, 1)
    assert.include((await world().attempts(receiver))[0], { delivered: false, error: 'The attempt could not be made.' })
  })
})
