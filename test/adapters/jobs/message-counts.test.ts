import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { runJob } from '../../../adapters/jobs/job.js'
import { messageCounts } from '../../../adapters/jobs/message-counts.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { RollUpMessages } from '../../../core/messages/statistics.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'

const world = (answers: ReadonlyArray<Awaited<ReturnType<RollUpMessages>>> = []) => {
  const lines = new Array<string>()
  const { leases, released, holdElsewhere } = openNotedLeases()
  let passes = 0
  const onFailure = (event: string): void => { lines.push(event) }
  const rollUpMessages: RollUpMessages = async () => answers[passes++] ?? E.right({ messages: 1, finished: true })
  const job = runJob(
    messageCounts({ rollUpMessages, log: (_level, event) => void lines.push(event), onFailure }, 10), { leases, onFailure },
  )
  return {
    job, lines, released, holdElsewhere,
    passed: (count: number) => eventually(`${count} passes`, async () => (passes >= count ? true : undefined)), passes: () => passes,
  }
}

describe('The job that counts messages', () => {
  it('counts again and again, and releases its lease', async () => {
    const { job, passed, released } = world()
    job.start()
    await passed(3)
    await job.stop()
    assert.deepEqual(released, ['message-counts'])
  })

  it('goes on soon if a pass has not come to its end, and after a failure', async () => {
    const { job, passed, lines } = world([
      E.right({ messages: 0, finished: false }), E.left(portFailure('MessageStatistics')('the database is away')),
    ])
    job.start()
    await passed(3)
    await job.stop()
    assert.deepEqual(lines.slice(0, 2), ['message_counts_failed', 'messages_counted'])
  })

  it('is left to the gateway that has the lease', async () => {
    const { job, passes, holdElsewhere } = world()
    holdElsewhere()
    job.start()
    await job.stop()
    assert.equal(passes(), 0)
  })
})
