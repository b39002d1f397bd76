import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { showNumbers } from '../../../apps/server/checks.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { KnownNumber } from '../../../core/senders/number-health.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const WORKSPACE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const AT = Date.UTC(2026, 2, 1, 12)
const NUMBER: KnownNumber = { phoneNumberId: senderIdOf('106540352242922'), readAt: AT }

const linesOf = async (...numbers: ReadonlyArray<KnownNumber>) =>
  (await showNumbers({ of: async () => E.right(numbers) }, WORKSPACE)).map(({ note, isWarning = false }) => ({ note, isWarning }))

describe('The lines of doctor about numbers', () => {
  it('are none for a workspace without a known number', async () => {
    assert.deepEqual(await linesOf(), [])
  })

  it('name the quality and the limits, and warn of a red number', async () => {
    const known: KnownNumber = {
      ...NUMBER, displayNumber: '+1 555-078-3881\u001b[2J', quality: 'green', qualitySince: AT, customersPerDay: 2_000,
      messagesPerSecond: 80,
    }
    assert.deepEqual(await linesOf(known, { ...NUMBER, quality: 'red', customersPerDay: 'unlimited' }, NUMBER), [
      {
        note: '+1 555-078-3881[2J, quality green since 2026-03-01, 2000 customers a day, 80 messages a second, read at 2026-03-01T12:00:00.000Z',
        isWarning: false,
      },
      { note: 'quality red, no limit of customers a day, read at 2026-03-01T12:00:00.000Z', isWarning: true },
      { note: 'quality not reported, no limit of customers reported, read at 2026-03-01T12:00:00.000Z', isWarning: false },
    ])
  })
})
