// Slow: kills and stops processes and waits until others have taken over their work.
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture, type Tenant, type ProcessFixture } from '../../support/process-fixture.js'
import type { ServerProcess } from '../../support/server-process.js'

/** The simulator neither accepts a message to it nor answers. */
const LOST = '15550100602'

/** A lease lasts a few times as long, so that a gateway on a busy machine does not lose it for being slow. */
const EVERY_MS = '500'

describe('Reconciliation inside the gateway', () => {
  let world: ProcessFixture
  let tenant: Tenant
  beforeEach(async () => {
    // A send that takes half of UNCONFIRMED_AFTER_MS until it may be sent is refused, so a busy machine needs more than a moment.
    world = await startProcessFixture({
      PLATFORM_TIMEOUT_MS: '200', UNCONFIRMED_AFTER_MS: '2000', RELEASE_AFTER_HOURS: '0', RECONCILE_EVERY_MS: EVERY_MS,
    })
    tenant = await world.tenant('1')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  const passes = (server: ServerProcess): number => server.log().filter(({ msg }) => msg === 'reconciled').length
  const passed = (server: ServerProcess): Promise<true> => eventually('a pass in the log', () => passes(server) > 0 || undefined)
  /** A message whose outcome is never reported, once it has been released. */
  const givenUp = async (): Promise<void> => {
    const lost = await tenant.send(LOST)
    assert.equal(lost.status, 504, lost.text)
    await eventually('the message being released', async () => (await tenant.messageOf(lost))['state'] === 'released' || undefined)
    assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
  }

  it('is done by one gateway at a time, and taken over by another one if that is killed', async () => {
    const first = world.server()
    await givenUp()
    const second = await world.start()
    for (let n = 0; n < 3; n += 1) await givenUp()
    await passed(first)
    assert.equal(passes(second), 0)
    await first.kill()
    await givenUp()
    await passed(second)
  })

  it('is taken over by another gateway if the one that did it is stopped', async () => {
    const first = world.server()
    const second = await world.start()
    first.signal('SIGTERM')
    assert.equal((await first.ended).status, 0)
    await givenUp()
    await passed(second)
  })

  it('marks a message as unconfirmed whose gateway was killed while it was sent', async () => {
    await world.server().kill()
    const patient = await world.start({ PLATFORM_TIMEOUT_MS: '60000', UNCONFIRMED_AFTER_MS: '60001' })
    const sending = tenant.send('15550100600').catch(() => 'broken')
    await eventually('the message reaching the platform', () => world.simulator.received().find(({ to }) => to === '15550100600'))
    const { json } = await tenant.ask('GET', '/v1/messages?state=pending')
    const [message] = json['messages'] as ReadonlyArray<{ readonly id: string }>
    await patient.kill()
    assert.equal(await sending, 'broken')
    await world.start()
    const { history } = await eventually('the message being released', async () => {
      const { json: shown } = await tenant.ask('GET', `/v1/messages/${message?.id ?? 'none'}`)
      return shown['state'] === 'released' ? shown as { readonly history: ReadonlyArray<{ readonly state: string }> } : undefined
    })
    assert.deepEqual(history.map(({ state }) => state), ['pending', 'unconfirmed', 'released'])
    assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
  })
})
