import { assert } from 'chai'
import { makeUpkeep } from '../../../adapters/jobs/upkeep.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'
import { rightOf } from '../../support/right-of.js'

const WORKSPACE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const A_DAY = 86_400_000

describe('the retention of the request log', () => {
  /** What is left of three calls, of 1, 2 and 4 days ago, after a pass. */
  const leftAfter = async (settings: Parameters<typeof makeUpkeep>[1], fewerThan: number) => {
    const { requestLog } = makeMemoryStorage()
    rightOf(await requestLog.append([1, 2, 4].map((days) => ({
      id: `0199a1b2c3d47e5f8a9b0c1d2e3f4a5${days}`, workspace: WORKSPACE, requestId: `${days}`, key: 'key', method: 'GET', route: '/v1/key',
      status: 200, durationMs: 1, at: Date.now() - days * A_DAY,
    }))))
    const { leases, released } = openNotedLeases()
    const failures: Array<string> = []
    const { start, stop } = makeUpkeep({ leases, requestLog, onFailure: (event) => { failures.push(event) } }, settings)
    start()
    const left = await eventually('the deletion', async () => {
      const { items } = rightOf(await requestLog.list(WORKSPACE, { limit: 9 }))
      return items.length < fewerThan ? items : undefined
    })
    await stop()
    assert.deepEqual(failures, [])
    assert.deepEqual(released, fewerThan > 3 ? [] : ['request-retention'])
    return left.map(({ requestId }) => requestId).sort()
  }

  it('deletes calls after their time, or after that of people, if it is shorter', async () => {
    assert.deepEqual(await leftAfter({ requestRetentionMs: 3 * A_DAY }, 3), ['1', '2'])
    assert.deepEqual(await leftAfter({ requestRetentionMs: 3 * A_DAY, retentionMs: 1.5 * A_DAY }, 2), ['1'])
  })

  it('deletes the remaining calls if none are kept any more, and nothing if they are kept forever', async () => {
    assert.deepEqual(await leftAfter({ requestRetentionMs: 0 }, 1), [])
    assert.deepEqual(await leftAfter({}, 4), ['1', '2', '4'])
  })
})
