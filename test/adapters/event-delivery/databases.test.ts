import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { type EventDelivery, makeEventDelivery } from '../../../adapters/event-delivery/event-delivery.js'
import type { KnexStorage } from '../../../adapters/knex/index.js'
import type { AttemptResult } from '../../../core/events/delivery.js'
import { type EndpointId, endpointIdOf, endpointSecretOf } from '../../../core/events/endpoint.js'
import { type EventId, eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { fundedWorkspace } from '../../support/account.js'
import { describeEachStorage } from '../../support/each-storage.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { FAILED, OK } from './delivery-world.js'

const SECRET = 'a-secret-of-tests-that-is-long-enough'

await describeEachStorage('Deliveries by two gateways', ({ storage, elsewhere }) => {
  const arrived = new Map<string, EventId[]>()
  const answers = new Map<string, () => AttemptResult>()
  const running: EventDelivery[] = []
  /** How far the gateways' clocks are ahead. */
  let aheadMs = 0

  const start = (gateway: KnexStorage): EventDelivery => {
    const delivery = makeEventDelivery({
      deliveries: gateway.eventDeliveries, outbox: gateway.eventOutbox, now: () => Date.now() + aheadMs,
      sinkFor: ({ url }) => ({
        deliver: async (event) => {
          arrived.get(url)?.push(event.id)
          return answers.get(url)?.() ?? OK
        },
      }),
      leases: gateway.leases,
      newAttemptId: () => uuidv7().replaceAll('-', ''), newEventId: () => eventIdOf(uuidv7()),
    })
    const unlisten = gateway.onEvents(delivery.wake)
    const stop: EventDelivery['stop'] = async (limitMs) => {
      unlisten()
      await delivery.stop(limitMs)
    }
    delivery.start()
    running.push({ ...delivery, stop })
    return { ...delivery, stop }
  }
  const endpoint = async (workspace: WorkspaceId): Promise<{ readonly id: EndpointId; readonly url: string }> => {
    const id = endpointIdOf(uuidv7())
    const url = `https://${id.slice(3)}.test/`
    rightOf(await storage().eventEndpoints.add({
      id, workspace, url, types: ['*'], description: '', createdAt: Date.now(),
      secret: endpointSecretOf(Buffer.alloc(24).toString('base64')),
    }))
    arrived.set(url, [])
    return { id, url }
  }
  const happen = async (gateway: KnexStorage, workspace: WorkspaceId, count: number): Promise<ReadonlyArray<EventId>> => {
    const events = Array.from({ length: count }, (_, n): Event => ({
      id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: Date.now(), subject: `subject ${n}`, data: { n },
    }))
    rightOf(await gateway.eventOutbox.append(workspace, events))
    return events.map(({ id }) => id)
  }
  const attemptsAt = async (id: EndpointId) => rightOf(await storage().eventDeliveries.attempts(id, { limit: 1_000 })).items
  const delivered = (id: EndpointId, count: number) =>
    eventually(`the delivery of ${count} events`, async () => {
      const attempts = (await attemptsAt(id)).filter((attempt) => attempt.delivered)
      return attempts.length >= count ? attempts.toReversed().map(({ event }) => event) : undefined
    }, 20_000)

  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop(0)))
    arrived.clear()
    answers.clear()
    aheadMs = 0
  })

  it('bring what both store, each event once and in order', async () => {
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => fundedWorkspace(storage(), 0n)))
    const endpoints = await Promise.all(workspaces.map(endpoint))
    start(storage())
    start(elsewhere())
    const ids = await Promise.all(workspaces.map(async (workspace) =>
      [...await happen(storage(), workspace, 20), ...await happen(elsewhere(), workspace, 20), ...await happen(storage(), workspace, 1)]))
    for (const [n, { id, url }] of endpoints.entries()) {
      assert.deepEqual(await delivered(id, 41), ids[n])
      assert.deepEqual(arrived.get(url), ids[n])
    }
  })

  it('go on with the other one when one stops', async () => {
    const workspace = await fundedWorkspace(storage(), 0n)
    const { id } = await endpoint(workspace)
    const first = start(storage())
    const before = await happen(storage(), workspace, 3)
    await delivered(id, 3)
    start(elsewhere())
    await first.stop()
    const after = await happen(storage(), workspace, 3)
    assert.deepEqual(await delivered(id, 6), [...before, ...after])
  })

  it('note what fails, and bring it again', async () => {
    const workspace = await fundedWorkspace(storage(), 0n)
    const { id, url } = await endpoint(workspace)
    let left = 1
    answers.set(url, () => (left-- > 0 ? FAILED : OK))
    start(storage())
    const [first, second] = await happen(storage(), workspace, 2)
    await delivered(id, 1)
    aheadMs = 10_000
    assert.deepEqual(await delivered(id, 2), [second!, first!])
    assert.deepEqual(arrived.get(url), [first!, second!, first!])
  })

  it('disable an endpoint that is gone, and store the event of it', async () => {
    const workspace = await fundedWorkspace(storage(), 0n)
    const { id, url } = await endpoint(workspace)
    answers.set(url, () => ({ ...FAILED, httpStatus: 410, isGone: true }))
    start(storage())
    await happen(storage(), workspace, 2)
    const last = await eventually('the event', async () =>
      rightOf(await storage().eventOutbox.after(workspace, 0, 10)).find(({ type }) => type === 'endpoint.disabled'))
    assert.include(last.data, { id, status: 'disabled', reason: 'gone' })
  })
}, { secret: SECRET })
