import { assert } from 'chai'
import { senderIdOf } from '../../../core/senders/sender.js'
import { fundedWorkspace } from '../../support/account.js'
import { eventually } from '../../support/eventually.js'
import { startInProcessFixture, type InProcessFixture } from '../../support/process-fixture.js'
import type { Env } from '../../support/postern.js'
import { openNetwork } from '../../adapters/cloud-api/network.js'
import { rightOf } from '../../support/right-of.js'

/** The simulator's business account. */
const ACCOUNT = '200000000000001'

/** How long a gateway may take to start and read on a busy machine, in milliseconds. */
const READING_MS = 60_000

describe('The catalogue of a gateway', () => {
  let world: InProcessFixture | undefined
  afterEach(async () => {
    await world?.[Symbol.asyncDispose]()
    world = undefined
  })

  /** Resolves once its first gateway has looked for senders: SQLite answers a process in turn, and the gateway asked it for them before it was asked whether it is ready. */
  const open = async (env: Env = {}): Promise<InProcessFixture> => {
    const fixture = (world = await startInProcessFixture(env))
    assert.equal((await fetch(`${fixture.server().url}/health/ready`)).status, 200)
    return fixture
  }
  const assignSender = async ({ storage }: InProcessFixture): Promise<void> => {
    const workspace = await fundedWorkspace(storage, 0n)
    rightOf(
      await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1000001'), accessToken: 'token', businessAccountId: ACCOUNT }),
    )
  }
  const template = async ({ storage }: InProcessFixture, name: string) =>
    rightOf(await storage.templateCatalogue.find(ACCOUNT, name)).templates[0]
  const known = (fixture: InProcessFixture, name: string): Promise<unknown> =>
    eventually(`${name} in the catalogue`, async () => (await template(fixture, name)) ?? undefined, READING_MS)
  const control = async ({ simulator }: InProcessFixture, path: string, body?: object): Promise<void> => {
    const init = body === undefined ? { method: 'DELETE' } : { method: 'POST', body: JSON.stringify(body) }
    assert.equal((await fetch(`${simulator.url}/_simulator/templates${path}`, init)).status, 200)
  }
  const added = (name: string, more: object = {}): object => ({
    name, language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello' }], ...more,
  })

  it('is read soon after the platform reports a new template, and changes when it reports a change', async () => {
    const fixture = await open()
    await assignSender(fixture)
    await control(fixture, '', added('table_booked'))
    await known(fixture, 'table_booked')
    await known(fixture, 'order_update')
    await control(fixture, '/table_booked', { status: 'PAUSED', category: 'MARKETING', quality: 'RED' })
    await eventually('the change', async () => {
      const { status, category, quality } = (await template(fixture, 'table_booked')) ?? {}
      return status === 'paused' && category === 'marketing' && quality === 'red' ? true : undefined
    })
    const metrics = await (await fetch(`${fixture.server().url}/metrics`)).text()
    assert.match(metrics, /postern_template_syncs_total\{outcome="listed"\} 1\n/)
    assert.match(metrics, /postern_reports_total\{receipt="template_changed"\} 3\n/)
  })

  it('is read again and again, so that what the platform does not report is seen', async () => {
    const fixture = await open({ TEMPLATE_SYNC_MINUTES: '0.005' })
    await assignSender(fixture)
    await fixture.restart()
    await known(fixture, 'order_update')
    await control(fixture, '', added('silent', { notify: false }))
    await known(fixture, 'silent')
    await control(fixture, '/silent?notify=false')
    await eventually('the removal', async () => (await template(fixture, 'silent')) === undefined || undefined)
  })

  it('is only read on demand if that is configured', async () => {
    const fixture = await open({ TEMPLATE_SYNC_MINUTES: '0' })
    await assignSender(fixture)
    const gateway = await fixture.restart()
    await control(fixture, '', added('table_booked'))
    await fixture.simulator.idle()
    // A gateway that has stopped has ended what it had begun.
    await fixture.restart()
    assert.isEmpty(gateway.log().filter(({ msg }) => msg === 'templates_synced'))
    assert.isUndefined(await template(fixture, 'order_update'))
  })

  it('is not waited for when the gateway stops while the platform hangs', async () => {
    const network = await openNetwork()
    const fixture = await open()
    await assignSender(fixture)
    // Waiting for the platform would take longer than the test may.
    await fixture.restart({
      PLATFORM_URL: network.url, PLATFORM_TIMEOUT_MS: '600000', UNCONFIRMED_AFTER_MS: '1200000', SHUTDOWN_TIMEOUT_MS: '100',
    })
    await eventually('the reading', () => network.arrived.length > 0 || undefined, READING_MS)
    await fixture.restart()
    await network.close()
  })
})
