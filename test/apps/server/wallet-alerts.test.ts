import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { endpointIdOf } from '../../../core/events/endpoint.js'
import { formatMicros } from '../../../core/kernel/money.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { type EventReceiver, startEventReceiver } from '../../support/event-receiver.js'
import { eventually } from '../../support/eventually.js'
import { request } from '../../support/gateway.js'
import { type InProcessServer, serveInProcess } from '../../support/in-process-server.js'
import { posternJson } from '../../support/postern.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'

/** A message to this customer costs 0.0859. */
const CUSTOMER = '33639980001'
const PRICE = 85_900n
const THRESHOLD = 500_000n

await describeEachDatabase('The alerts of a wallet', (kind) => {
  let database: TestDatabase
  let world: InProcessFixture
  let receiver: EventReceiver
  let gateways: ReadonlyArray<InProcessServer>
  before(async () => {
    database = await kind.create()
    receiver = await startEventReceiver()
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' }, database.url)
    gateways = [world.server(), await serveInProcess({ ...world.env, EVENTS_ALLOW: '127.0.0.0/8', PLATFORM_URL: world.simulator.url })]
  })
  after(async () => {
    await gateways[1]?.stop()
    await world[Symbol.asyncDispose]()
    await receiver.close()
    await database[Symbol.asyncDispose]()
  })

  it('come once each from two gateways under parallel sends, as events, in the log and in the audit log, and again after a top-up', async () => {
    const { id: workspace, key } = await world.tenant('1')
    rightOf(await world.storage.eventEndpoints.add({
      id: endpointIdOf(uuidv7()), workspace, url: receiver.url, types: ['wallet.*'], description: '', createdAt: Date.now(),
      secret: receiver.secret,
    }))
    const shown = await posternJson(['wallet', 'alert', workspace, formatMicros(THRESHOLD)], world.env)
    assert.deepInclude(shown, { available: '1.000000', threshold: '0.500000', low_since: null, exhausted_since: null })
    const send = async (index: number): Promise<number> => (await request(
      `${gateways[index % gateways.length]?.url}/v1/messages/send-template`, 'POST', key,
      { json: { to: CUSTOMER, template_name: 'hello_world' } },
    )).status
    const sendMany = async (): Promise<ReadonlyArray<number>> =>
      (await Promise.all(Array.from({ length: 40 }, (_, index) => send(index)))).sort()

    let available = 1_000_000n
    for (const round of [1, 2]) {
      const paid = available / PRICE
      assert.deepEqual(await sendMany(), Array.from({ length: 40 }, (_, index) => (index < paid ? 200 : 402)))
      available -= paid * PRICE
      assert.deepEqual([await send(0), await send(1)], [402, 402])
      const { low_since, exhausted_since } = await posternJson(['wallet', 'show', workspace], world.env) as Record<string, unknown>
      assert.deepEqual([typeof low_since, typeof exhausted_since], ['string', 'string'])
      await posternJson(['wallet', 'top-up', workspace, '1', '--reference', `round ${round}`], world.env)
      available += 1_000_000n
      await eventually(
        'the top-up', () => (receiver.received.filter(({ type }) => type === 'wallet.topped_up').length === round ? true : undefined),
        20_000,
      )
    }
    const emitted = receiver.received.filter((event) => event.workspace === workspace)
    const once = ['wallet.low', 'wallet.exhausted', 'wallet.topped_up']
    assert.deepEqual(emitted.map(({ type }) => type), [...once, ...once])
    const [low, exhausted] = emitted.map(({ data }) => data)
    // The first balance below the threshold is what the sixth message leaves of 1.00.
    assert.deepInclude(low, { currency: 'USD', threshold: '0.500000', available: formatMicros(1_000_000n - 6n * PRICE) })
    assert.deepInclude(exhausted, { currency: 'USD', required: '0.085900', available: '0.055100', shortfall: '0.030800' })
    const logged = gateways.flatMap(({ log }) => log()).filter((line) =>
      line['workspace'] === workspace && String(line['msg']).startsWith('wallet_'))
    assert.sameMembers(logged.map(({ msg }) => msg), ['wallet_low', 'wallet_low', 'wallet_exhausted', 'wallet_exhausted'])
    for (const line of logged) assert.equal(line['level'], 'warn')
    const { items } = rightOf(await world.storage.auditLog.list({ workspace, limit: 100 }))
    const alerts = items.filter(({ by }) => by.type === 'system').reverse()
    assert.deepEqual(alerts.map(({ act }) => act), ['wallet.low', 'wallet.exhausted', 'wallet.low', 'wallet.exhausted'])
    assert.deepEqual<unknown>(
      alerts.map(({ details }) => details), emitted.filter(({ type }) => type !== 'wallet.topped_up').map(({ data }) => data),
    )
    assert.deepEqual(rightOf(await world.storage.ledger.audit()).broken, [])
  })
})
