import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { deliveryDeadlines } from '../../../adapters/jobs/delivery-deadlines.js'
import type { LeasedPass } from '../../../adapters/jobs/job.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { NoteOverdue } from '../../../core/messages/deadlines.js'

const LEASED: LeasedPass = { hasEnded: () => false, renew: async () => true, keepFor: async () => true }

/** A pass of the job; `lines` are what it logs. */
const pass = async (noteOverdue: NoteOverdue) => {
  const lines = new Array<unknown>()
  const job = deliveryDeadlines({ noteOverdue, log: (...line) => void lines.push(line), onFailure: () => undefined })
  return { pause: await job.pass(LEASED), lines }
}

describe('The job of the deadlines of deliveries', () => {
  it('pauses until the next deadline, and logs how many messages are overdue', async () => {
    assert.deepEqual(await pass(async () => E.right({ overdue: 0, nextInMs: 10_000 })), { pause: 10_000, lines: [] })
    assert.deepEqual(await pass(async () => E.right({ overdue: 2, nextInMs: 0 })), {
      pause: 0, lines: [['debug', 'messages_overdue', { overdue: 2 }]],
    })
  })

  it('fails with the cause if the storage fails', async () => {
    const cause = new Error('down')
    const failed = await pass(async () => E.left(portFailure('DeliveryDeadlines')(cause))).catch((error: unknown) => error)
    assert.strictEqual(failed, cause)
  })
})
