import { assert } from 'chai'
import { startGateway, type GatewayFixture, type Tenant } from '../../support/gateway.js'

const CUSTOMER = '15550100999'
/** The business numbers of the first two workspaces of a gateway. */
const [OURS, THEIRS] = ['1001', '1002']

for (const transport of ['got', 'undici']) {
  describe(`Answering a customer through the whole gateway, over ${transport}`, () => {
    let gateway: GatewayFixture
    let tenant: Tenant
    before(async () => {
      gateway = await startGateway({ PLATFORM_TRANSPORT: transport })
      tenant = await gateway.workspace()
      await gateway.workspace()
    })
    beforeEach(() => gateway.simulator.reset())
    after(() => gateway.close())

    const read = (id: string, json: object = {}) => tenant.ask('POST', `/v1/messages/${encodeURIComponent(id)}/read`, { json })
    const inbound = () => gateway.simulator.inbound()

    it('marks the message as read, and shows typing until the answer is sent', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, { text: 'Where is my order?' }, OURS)
      await gateway.simulator.idle()
      const marked = await read(id, { typing: true })
      assert.deepEqual([marked.status, marked.json], [200, { status: 'success' }])
      const [message] = inbound()
      assert.isNotNull(message?.read_at)
      assert.isNotNull(message?.typing_until)
      assert.equal((await tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'At your door.' } })).status, 200)
      assert.isNull(inbound()[0]?.typing_until)
    })

    it('marks a message again without harm', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, {}, OURS)
      for (let times = 0; times < 2; times += 1) assert.equal((await read(id)).status, 200)
    })

    it('marks no message that another business number received', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, {}, THEIRS)
      const { status, json } = await read(id)
      assert.equal(status, 400)
      assert.equal(json['code'], 'platform_rejected')
      assert.equal((json['platform_error'] as { readonly code: number }).code, 131009)
      assert.isNull(inbound()[0]?.read_at)
    })
  })
}
