import { assert } from 'chai'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { fundedWorkspace } from '../../support/account.js'
import { eventually } from '../../support/eventually.js'
import { startInProcessFixture } from '../../support/process-fixture.js'
import { done } from '../../support/right-of.js'

describe('The numbers of a gateway', () => {
  it('are read from the platform by its job, and soon again after a notification', async () => {
    await using fixture = await startInProcessFixture()
    const { simulator } = fixture
    const workspace = await fundedWorkspace(fixture.storage, 0n)
    const sender = senderIdOf('1000001')
    simulator.changeNumber({ quality: 'RED', limit: 'TIER_10K', throughput: 'HIGH' }, sender)
    await done(fixture.storage.senders.assign(
      workspace, { phoneNumberId: sender, accessToken: 'token', businessAccountId: '200000000000001' },
    ))
    await fixture.restart()
    const { numberHealth } = fixture.storage
    const known = await eventually('the number', async () => (await done(numberHealth.of(workspace)))[0], 60_000)
    assert.deepInclude(known, { phoneNumberId: sender, quality: 'red', customersPerDay: 10_000, messagesPerSecond: 1_000 })
    const claimed = async () => (await done(numberHealth.claim(Date.now() + HOUR_MS, Date.now() + HOUR_MS, 10))).length
    assert.equal(await claimed(), 0, 'it is due in six hours')
    simulator.changeNumber({ quality: 'GREEN' }, sender)
    await simulator.idle()
    assert.equal(await claimed(), 1, 'it is due soon')
  })
})
