// Slow: kills real processes in the middle of sends and starts others in their place.
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { posternJson } from '../../support/postern.js'
import { startProcessFixture, type Tenant, type ProcessFixture } from '../../support/process-fixture.js'

const PRICE = '0.062500'
const ALL = { available: '1.000000', held: '0.000000' }
const HELD = { available: '0.937500', held: PRICE }
const SPENT = { available: '0.937500', held: '0.000000' }

/** What a `postern reconcile` needs that gives everything up at once. */
const AT_ONCE = { PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2', RELEASE_AFTER_HOURS: '0' }

describe('A message of unknown outcome', () => {
  let world: ProcessFixture
  let tenant: Tenant
  before(async () => {
    // Nothing is to be reconciled but on request.
    world = await startProcessFixture({ PLATFORM_TIMEOUT_MS: '300', RECONCILE_EVERY_MS: '3600000' })
  })
  beforeEach(async () => { tenant = await world.tenant('1') })
  afterEach(() => { world.allowReports() })
  after(() => world[Symbol.asyncDispose]())

  describe('whose gateway was killed in the middle of sending it', () => {
    /** Sends and kills the gateway while the platform is thinking; the message is left pending. */
    const killed = async (to: string): Promise<string> => {
      world.simulator.reset()
      const server = await world.start({ PLATFORM_TIMEOUT_MS: '60000', UNCONFIRMED_AFTER_MS: '600000' })
      const sending = tenant.send(to, 'order').catch(() => 'broken')
      const { callback = '' } = await eventually('the message reaching the platform', () =>
        world.simulator.received().find((message) => message.to === to))
      await server.kill()
      assert.equal(await sending, 'broken')
      return callback
    }

    it('is in progress while it is young, of unknown outcome when it is old, and sent once a status says so', async () => {
      world.blockReports()
      const id = await killed('15550100700')
      await world.start({ UNCONFIRMED_AFTER_MS: '600000' })
      const young = await tenant.send('15550100700', 'order')
      assert.deepEqual([young.status, young.json['code']], [409, 'idempotency_in_progress'])
      await world.start({ UNCONFIRMED_AFTER_MS: '301' })
      const old = await tenant.send('15550100700', 'order')
      assert.deepEqual([old.status, old.json['code']], [504, 'outcome_unknown'], old.text)
      assert.equal(old.headers.get('Postern-Message'), id)
      assert.deepEqual(await tenant.balance(), HELD)
      world.allowReports()
      await world.simulator.idle()
      assert.equal((await tenant.send('15550100700', 'order')).status, 200)
      assert.deepEqual(await tenant.balance(), SPENT)
    })

    it('becomes unconfirmed, and is released if no report comes', async () => {
      const id = await killed('15550100600')
      await world.start()
      const state = async (): Promise<unknown> => (await tenant.ask('GET', `/v1/messages/${id}`)).json['state']
      assert.equal(await state(), 'pending')
      assert.deepInclude(
        await posternJson(['reconcile'], { ...world.env, ...AT_ONCE, RELEASE_AFTER_HOURS: '1' }) as object, { unconfirmed: 1, released: 0 },
      )
      assert.equal(await state(), 'unconfirmed')
      assert.deepEqual(await tenant.balance(), HELD)
      await posternJson(['reconcile'], { ...world.env, ...AT_ONCE })
      assert.equal(await state(), 'released')
      assert.deepEqual(await tenant.balance(), ALL)
    })
  })
})
