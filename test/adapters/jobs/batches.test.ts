import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { batches } from '../../../adapters/jobs/batches.js'
import type { LeasedPass } from '../../../adapters/jobs/job.js'
import type { RunBatches } from '../../../core/batches/run.js'
import { portFailure } from '../../../core/kernel/failure.js'

const LEASED: LeasedPass = { hasEnded: () => false, renew: async () => true, keepFor: async () => true }

const pass = async (runBatches: RunBatches) => {
  const [lines, failures] = [new Array<unknown>(), new Array<unknown>()]
  const job = batches({ runBatches, log: (...line) => void lines.push(line), onFailure: (...failure) => void failures.push(failure) })
  return { pause: await job.pass(LEASED), lines, failures }
}

describe('The job of the batches', () => {
  it('goes on at once as long as lines are queued, and pauses otherwise', async () => {
    assert.deepEqual(await pass(async () => E.right({ queued: 500, failures: [], isMoreDue: true })), {
      pause: 0, lines: [['debug', 'batch_lines_queued', { count: 500 }]], failures: [],
    })
    assert.deepEqual(await pass(async () => E.right({ queued: 0, failures: [], isMoreDue: false })), {
      pause: undefined, lines: [], failures: [],
    })
  })

  it('reports why a batch could not be worked on, and works on the others', async () => {
    const failure = portFailure('Batches')(new Error('down'))
    const { failures } = await pass(async () => E.right({ queued: 0, failures: [failure], isMoreDue: false }))
    assert.deepEqual(failures, [['batch_failed', failure.cause]])
  })
})
