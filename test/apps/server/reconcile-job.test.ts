import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { startInProcessFixture, type Tenant, type InProcessFixture } from '../../support/process-fixture.js'

/** The simulator neither accepts a message to it nor answers. */
const LOST = '15550100602'

/** A lease lasts a few times as long, so that a gateway on a busy machine does not lose it for being slow. */
const EVERY_MS = '500'

describe('Reconciliation inside the gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant
  beforeEach(async () => {
    // A send that takes half of UNCONFIRMED_AFTER_MS until it may be sent is refused, so a busy machine needs more than a moment.
    world = await startInProcessFixture({
      PLATFORM_TIMEOUT_MS: '200', UNCONFIRMED_AFTER_MS: '2000', RELEASE_AFTER_HOURS: '0', RECONCILE_EVERY_MS: EVERY_MS,
    })
    tenant = await world.tenant('1')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('releases messages that were not confirmed in time, and logs how many', async () => {
    const lost = await tenant.send(LOST)
    assert.equal(lost.status, 504, lost.text)
    await eventually('the message being released', async () => (await tenant.messageOf(lost))['state'] === 'released' || undefined)
    assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
    const line = await eventually('the log line', () => world.server().log().find(({ msg }) => msg === 'reconciled'))
    assert.deepInclude(line, { level: 'info', unconfirmed: 0, released: 1, captured: 0, refunded: 0 })
  })
})
