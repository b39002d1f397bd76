import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { LeasedPass } from '../../../adapters/jobs/job.js'
import { numberHealth } from '../../../adapters/jobs/number-health.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { RefreshNumbers } from '../../../core/senders/number-health.js'

const LEASED: LeasedPass = { hasEnded: () => false, renew: async () => true, keepFor: async () => true }

/** A pass of the job; `lines` are what it logs. */
const pass = async (refreshNumbers: RefreshNumbers, leased: Partial<LeasedPass> = {}) => {
  const lines = new Array<unknown>()
  const job = numberHealth({ refreshNumbers, log: (...line) => void lines.push(line), onFailure: () => undefined })
  return { pause: await job.pass({ ...LEASED, ...leased }), lines }
}

describe('The job that reads numbers', () => {
  it('logs how many it has read, and nothing if none was due', async () => {
    assert.deepEqual((await pass(async () => E.right({ read: 2, failed: 1 }))).lines, [['info', 'numbers_read', { read: 2, failed: 1 }]])
    assert.deepEqual((await pass(async () => E.right({ read: 2, failed: 0 }))).lines, [['debug', 'numbers_read', { read: 2, failed: 0 }]])
    assert.deepEqual((await pass(async () => E.right({ read: 0, failed: 0 }))).lines, [])
  })

  it('reads on until it is stopped', async () => {
    const goesOn = async (hasEnded: boolean) => {
      let answer: boolean | undefined
      await pass(async (goOn) => {
        answer = goOn()
        return E.right({ read: 0, failed: 0 })
      }, { hasEnded: () => hasEnded })
      return answer
    }
    assert.deepEqual([await goesOn(false), await goesOn(true)], [true, false])
  })

  it('fails with the cause if the storage fails', async () => {
    const cause = new Error('down')
    const failed = await pass(async () => E.left(portFailure('NumberHealth')(cause))).catch((error: unknown) => error)
    assert.strictEqual(failed, cause)
  })
})
