// Slow: kills a broker and waits until a gateway has connected again.
import { assert } from 'chai'
import { connect } from 'nats'
import { eventually } from '../../support/eventually.js'
import { describeBroker, NATS, type BrokerServer } from '../../support/broker-server.js'
import { startProcessFixture, type ProcessFixture } from '../../support/process-fixture.js'

const CUSTOMER = '33639980001'

type Published = { readonly id: string; readonly type: string; readonly workspace: string; readonly data: { readonly id: string } }

describeBroker('A gateway with a broker', NATS, (startServer) => {
  let broker: BrokerServer
  let world: ProcessFixture
  before(async () => {
    broker = await startServer()
    world = await startProcessFixture({ EVENTS_URL: `nats://127.0.0.1:${broker.port}` })
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await broker[Symbol.asyncDispose]()
  })

  const published = async (): Promise<ReadonlyArray<Published>> => {
    const connection = await connect({ servers: `127.0.0.1:${broker.port}` })
    try {
      const { streams } = await connection.jetstreamManager()
      const { state } = await streams.info('POSTERN')
      return await Promise.all(Array.from({ length: state.messages }, async (_, index) =>
        (await streams.getMessage('POSTERN', { seq: state.first_seq + index })).json<Published>()))
    } finally {
      await connection.close()
    }
  }

  it('publishes every event once and in order, also those of a time in which the broker was away', async () => {
    const tenant = await world.tenant()
    const before = await tenant.send(CUSTOMER)
    await broker.kill()
    const meanwhile = await tenant.send(CUSTOMER)
    assert.equal(meanwhile.status, 200)
    await broker.start()
    const after = await tenant.send(CUSTOMER)
    const pulled = async (): Promise<ReadonlyArray<Published>> =>
      ((await tenant.ask('GET', '/v1/events?limit=100')).json as { readonly events: ReadonlyArray<Published> }).events
    for (const { headers } of [before, meanwhile, after]) {
      const id = headers.get('Postern-Message')
      const ofMessage = await eventually('every event of a message', async () => {
        const events = (await published()).filter(({ data }) => data.id === id)
        return events.some(({ type }) => type === 'message.read') ? events : undefined
      }, 60_000)
      // A report that arrives after a later one changes nothing, so it creates no event: an event tells what the gateway stored.
      const stored = (await pulled()).filter(({ data }) => data.id === id)
      assert.deepEqual(ofMessage, stored)
      assert.includeMembers(stored.map(({ type }) => type), ['message.accepted', 'message.read'])
      assert.isTrue(ofMessage.every(({ workspace }) => workspace === tenant.id))
    }
  })
})
