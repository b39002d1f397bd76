import { assert } from 'chai'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { makeReconcile } from '../../../core/sending/reconcile.js'
import { type Answer } from '../../support/gateway.js'
import { type InProcessFixture, type Tenant, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { changeOf, notificationOf, statusOf } from './notifications.js'

const PRICE = '0.062500'
const ALL = { available: '1.000000', held: '0.000000' }
const HELD = { available: '0.937500', held: PRICE }
const SPENT = { available: '0.937500', held: '0.000000' }

/** The last three digits of recipients whose message the platform takes on, and how its answer is lost. */
const ACCEPTED: Readonly<Record<string, string>> = {
  700: 'never comes', 701: 'is a connection that is reset', 702: 'is 502 with a page', 703: 'is 503 with a page',
  704: 'is a connection that is closed', 705: 'is no JSON', 706: 'breaks off', 707: 'is empty', 709: 'comes too late',
  710: 'is 500 with code 131000', 711: 'is 500 with code 1', 712: 'is 503 with code 2',
}

/** The same where it does not take the message on. */
const NOT_ACCEPTED: Readonly<Record<string, string>> = {
  600: 'never comes', 601: 'is a connection that is reset', 602: 'is 502 with a page', 603: 'is 503 with a page',
  604: 'is a connection that is closed', 605: 'is no JSON', 606: 'breaks off', 607: 'is empty',
  '000': 'is 500 with code 131000', '001': 'is 500 with code 1', '002': 'is 503 with code 2', '016': 'is 500 with code 131016',
  304: 'is 503 with code 133004',
}

/** After how long a message of the gateway is unconfirmed, in milliseconds, so that reconciling finds it at once. */
const UNCONFIRMED_AFTER_MS = 2

describe('A message of unknown outcome', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    // Nothing is to be reconciled but on request.
    world = await startInProcessFixture({ PLATFORM_TIMEOUT_MS: '300', RECONCILE_EVERY_MS: '3600000' })
  })
  beforeEach(async () => { tenant = await world.tenant('1') })
  afterEach(() => { world.allowReports() })
  after(() => world[Symbol.asyncDispose]())

  const isUnknown = (answer: Answer): void => {
    assert.equal(answer.status, 504, answer.text)
    assert.equal(answer.json['code'], 'outcome_unknown')
    assert.include(String(answer.json['message']), answer.headers.get('Postern-Message') ?? 'no id')
  }
  const reconcile = async (releaseAfterMs = 0): Promise<void> => {
    rightOf(await makeReconcile({ ...world.storage, unconfirmedAfterMs: UNCONFIRMED_AFTER_MS, releaseAfterMs })())
  }
  const acceptedAs = (answer: Answer): ReadonlyArray<string | undefined> =>
    world.simulator.received()
      .filter(({ callback, outcome }) => callback === answer.headers.get('Postern-Message') && outcome === 'accepted')
      .map(({ wamid }) => wamid)

  for (const [digits, how] of Object.entries(ACCEPTED)) {
    it(`keeps its hold and its key if the answer ${how}, until a status settles it and a replay gives 200`, async () => {
      const to = `15550100${digits}`
      world.blockReports()
      const lost = await tenant.send(to, 'order')
      isUnknown(lost)
      assert.deepEqual(await tenant.balance(), HELD)
      assert.deepInclude(await tenant.messageOf(lost), { state: 'unconfirmed', platform_id: null })
      const again = await tenant.send(to, 'order')
      assert.deepEqual([again.status, again.text, again.headers.get('Idempotency-Replayed')], [504, lost.text, 'true'])
      world.allowReports()
      await world.simulator.idle()
      assert.deepInclude(await tenant.messageOf(lost), { state: 'read' })
      assert.deepEqual(await tenant.balance(), SPENT)
      const now = await tenant.send(to, 'order')
      assert.deepEqual([now.status, now.headers.get('Idempotency-Replayed')], [200, 'true'])
      assert.equal(now.headers.get('Postern-Message'), lost.headers.get('Postern-Message'))
      assert.deepEqual([String(now.json['message_id'])], acceptedAs(lost))
      assert.deepEqual(await tenant.kinds(), ['top_up', 'hold', 'capture'])
    })
  }

  for (const [digits, how] of Object.entries(NOT_ACCEPTED)) {
    it(`keeps its hold and its key if the answer ${how} and nothing was accepted, until it is released and the key is free`, async () => {
      const to = `15550100${digits}`
      const lost = await tenant.send(to, 'order')
      isUnknown(lost)
      assert.deepEqual(await tenant.balance(), HELD)
      assert.equal((await tenant.send(to, 'order')).text, lost.text)
      await reconcile()
      assert.deepInclude(await tenant.messageOf(lost), { state: 'released' })
      assert.deepEqual(await tenant.balance(), ALL)
      const fresh = await tenant.send(to, 'order')
      isUnknown(fresh)
      assert.isNull(fresh.headers.get('Idempotency-Replayed'))
      assert.notEqual(fresh.headers.get('Postern-Message'), lost.headers.get('Postern-Message'))
    })
  }

  it('is not given up before RELEASE_AFTER_HOURS', async () => {
    const lost = await tenant.send('15550100600')
    await reconcile(HOUR_MS)
    assert.deepInclude(await tenant.messageOf(lost), { state: 'unconfirmed' })
    assert.deepEqual(await tenant.balance(), HELD)
  })

  for (const [status, money] of [['delivered', SPENT], ['failed', ALL]] as const) {
    it(`that was given up is recorded as ${status} if the platform reports it even later, and the money follows`, async () => {
      const lost = await tenant.send('15550100600', 'order')
      await reconcile()
      const id = lost.headers.get('Postern-Message') ?? ''
      assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { statuses: [statusOf(id, status)] })]))).status, 200)
      assert.deepInclude(await tenant.messageOf(lost), { state: status, platform_id: `wamid.${id}` })
      assert.deepEqual(await tenant.balance(), money)
      assert.deepEqual(await tenant.kinds(), ['top_up', 'hold', 'release', ...(status === 'delivered' ? ['capture'] : [])])
    })
  }

  it('is refunded by its first status if that says that it failed', async () => {
    const lost = await tenant.send('15550100600')
    const id = lost.headers.get('Postern-Message') ?? ''
    assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { statuses: [statusOf(id, 'failed')] })]))).status, 200)
    assert.deepInclude(await tenant.messageOf(lost), { state: 'failed' })
    assert.deepEqual(await tenant.balance(), ALL)
  })
})
