import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { runJob } from '../../../adapters/jobs/job.js'
import { eventRetention } from '../../../adapters/jobs/removals.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { failing } from '../../core/failing-method.js'
import { fundedWorkspace } from '../../support/account.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'
import { rightOf } from '../../support/right-of.js'

describe('The retention of events', () => {
  const world = async () => {
    const storage = makeMemoryStorage()
    const workspace = await fundedWorkspace(storage, 0n)
    const lines = new Array<string>()
    const { leases, released, holdElsewhere } = openNotedLeases()
    const onFailure = (event: string): void => { lines.push(event) }
    const job = (removeOld = storage.eventOutbox.removeOld) =>
      runJob(eventRetention({ eventOutbox: { removeOld }, onFailure }, 24 * HOUR_MS, 20), { leases, onFailure })
    return {
      storage, job, released, lines, holdElsewhere,
      happened: async (hoursAgo: number): Promise<void> => {
        const event: Event = {
          id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: Date.now() - hoursAgo * HOUR_MS, subject: 'a', data: { hoursAgo },
        }
        rightOf(await storage.eventOutbox.append(workspace, [event]))
      },
      left: async () => rightOf(await storage.eventOutbox.after(workspace, 0, 100)).map(({ data }) => data['hoursAgo']),
    }
  }
  const deleted = (left: () => Promise<ReadonlyArray<unknown>>, count: number) =>
    eventually('the deletion', async () => ((await left()).length === count ? true : undefined))

  it('deletes what is older than its limit, again and again, and releases its lease', async () => {
    const { job, happened, left, released } = await world()
    for (const hoursAgo of [100, 25, 23, 0]) await happened(hoursAgo)
    const { start, stop } = job()
    start()
    await deleted(left, 2)
    assert.deepEqual(await left(), [23, 0])
    await happened(30)
    await deleted(left, 2)
    await stop()
    assert.deepEqual(released, ['event-retention'])
  })

  it('is left to the gateway that has the lease', async () => {
    const { job, happened, left, holdElsewhere } = await world()
    await happened(100)
    holdElsewhere()
    const { start, stop } = job()
    start()
    await stop()
    assert.deepEqual(await left(), [100])
  })

  it('goes on after the database has failed', async () => {
    const { job, storage, happened, left, lines } = await world()
    await happened(100)
    const { start, stop } = job(failing(storage.eventOutbox.removeOld, { times: 1 }))
    start()
    await deleted(left, 0)
    await stop()
    assert.equal(lines[0], 'event_retention_failed')
  })
})
