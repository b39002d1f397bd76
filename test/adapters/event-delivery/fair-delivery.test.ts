import { assert } from 'chai'
import type { EventDelivery, EventDeliveryDeps } from '../../../adapters/event-delivery/event-delivery.js'
import type { AttemptResult } from '../../../core/events/delivery.js'
import { HOUR_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, FAILED, OK, type Receiver, useDeliveryWorld } from './delivery-world.js'

/** Answers that come only as they are let go. */
const heldAnswers = () => {
  const waiting: Array<() => void> = []
  let isOpen = false
  const letGo = (count: number): void => { for (const go of waiting.splice(0, count)) go() }
  return {
    answer: ((): Promise<AttemptResult> => new Promise((resolve) => {
      if (isOpen) resolve(OK)
      else waiting.push(() => resolve(OK))
    })) satisfies Answer,
    waiting: () => waiting.length,
    letGo,
    letGoAll: () => {
      isOpen = true
      letGo(waiting.length)
    },
  }
}

describe('Deliveries to the endpoints of several workspaces', () => {
  const world = useDeliveryWorld()
  let elapsed = 0
  let held: ReturnType<typeof heldAnswers>
  beforeEach(() => { held = heldAnswers() })
  afterEach(() => held.letGoAll())

  const start = (more: Partial<EventDeliveryDeps> = {}): EventDelivery => world().start({ monotonic: () => elapsed, ...more })

  const endpoints = (count: number, workspace: Receiver['workspace'], answer: Answer): Promise<ReadonlyArray<Receiver>> =>
    Promise.all(Array.from({ length: count }, () => world().endpoint(workspace, { answer })))

  /** Lets attempts count as slow until no more are begun than so many. */
  const untilHeld = (delivery: EventDelivery, count: number) =>
    eventually(`${count} attempts under way`, () => {
      elapsed += 1_001
      delivery.wake()
      return held.waiting() >= count ? true : undefined
    })

  it('arrive while 600 endpoints of another workspace are slow to answer, and no endpoint counts as failing', async () => {
    const [busy, other] = [await world().workspace(), await world().workspace()]
    await endpoints(600, busy, held.answer)
    const receiver = await world().endpoint(other)
    const delivery = start()
    await world().happen(busy, 2)
    await untilHeld(delivery, 400)
    const events = await world().happen(other, 58)
    assert.deepEqual(await world().arrive(receiver, 58), events)
    assert.isUndefined((await world().find(receiver)).failingSince)
    assert.equal(held.waiting(), 409, 'the busy workspace has its share, and all of its attempts are still under way')
  })

  it('arrive while a workspace has many more endpoints that fall behind, which answer at once', async () => {
    const [busy, other] = [await world().workspace(), await world().workspace()]
    await endpoints(200, busy, held.answer)
    const receiver = await world().endpoint(other)
    start()
    await world().happen(busy, 100)
    await eventually('the busy workspace to have its share', () => (held.waiting() >= 51 * 16 ? true : undefined))
    const events = await world().happen(other, 3)
    assert.deepEqual(await world().arrive(receiver, 3), events)
    assert.equal(held.waiting(), 51 * 16)
  })

  it('arrive if the attempts of slow endpoints end and others of theirs begin', async () => {
    const [busy, other] = [await world().workspace(), await world().workspace()]
    await endpoints(600, busy, held.answer)
    const receiver = await world().endpoint(other)
    const delivery = start()
    await world().happen(busy, 3)
    await untilHeld(delivery, 400)
    held.letGo(held.waiting())
    await eventually('the next attempts', () => (held.waiting() >= 400 ? true : undefined))
    const events = await world().happen(other, 5)
    assert.deepEqual(await world().arrive(receiver, 5), events)
  })

  /** Endpoints that fail once, and then do not answer before they are let go; those of the last workspace recover at once. */
  const afterOneFailure = async (workspaces: number, each: number) => {
    const seen = new Set<Answer>()
    const failingOnce = (then: Answer): Answer => {
      const answer: Answer = (event) => {
        if (seen.has(answer)) return then(event)
        seen.add(answer)
        return FAILED
      }
      return answer
    }
    const receivers: Receiver[] = []
    for (let n = 0; n < workspaces; n += 1) {
      const workspace = await world().workspace()
      for (let m = 0; m < each; m += 1) receivers.push(await world().endpoint(workspace, { answer: failingOnce(held.answer) }))
      await world().happen(workspace, 1)
    }
    const delivery = start()
    const attempted = (what: string, of: ReadonlyArray<Receiver>) => eventually(what, async () => {
      const noted = await Promise.all(of.map((receiver) => world().attempts(receiver)))
      return noted.every(({ length }) => length === 1) ? true : undefined
    })
    await attempted('a first attempt at each', receivers)
    // No retry of the others is due later than this one's.
    world().passes(4 * SECOND_MS)
    const other = await world().workspace()
    const receiver = await world().endpoint(other, { answer: failingOnce(() => OK) })
    await world().happen(other, 1)
    await attempted('the attempt at the last', [receiver])
    world().passes(HOUR_MS)
    delivery.wake()
    return receiver
  }

  it('go on after a failure while 100 endpoints of another workspace that failed do not answer', async () => {
    const receiver = await afterOneFailure(1, 100)
    await world().arrive(receiver, 2)
    assert.isUndefined((await world().find(receiver)).failingSince)
    assert.equal(held.waiting(), 12)
  })

  it('take turns after a failure, if more workspaces wait than get attempts at once', async () => {
    const receiver = await afterOneFailure(24, 4)
    await eventually('all places to be taken', () => (held.waiting() === 16 ? true : undefined))
    let ended = 0
    for (; receiver.arrived.length < 2; ended += 1) {
      held.letGo(1)
      await eventually('the next attempt', () => (held.waiting() === 16 || receiver.arrived.length === 2 ? true : undefined))
    }
    assert.isAtMost(ended, 24, 'its turn comes before any of the others gets a second one')
  })

  it('all arrive if one workspace alone falls behind', async () => {
    const workspace = await world().workspace()
    const receivers = await endpoints(150, workspace, () => OK)
    start()
    const events = await world().happen(workspace, 10)
    for (const receiver of receivers) assert.deepEqual(await world().arrive(receiver, events.length), events)
  })
})
