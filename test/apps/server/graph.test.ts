import { assert } from 'chai'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'

const CUSTOMER = '15550100999'
/** The business number of the first workspace of a gateway. */
const NUMBER = '1001'
const GRAPH_ADDRESS = `/graph/v23.0/${NUMBER}`

describe('The Graph-compatible API through the whole gateway', () => {
  let gateway: InProcessFixture
  let tenant: Tenant
  before(async () => {
    gateway = await startInProcessFixture({ PUBLIC_URL: 'https://gateway.example/' })
    tenant = await gateway.tenant()
    gateway.simulator.writeAs(CUSTOMER, { text: 'Where is my order?' }, NUMBER)
    await gateway.simulator.idle()
  })
  after(() => gateway[Symbol.asyncDispose]())

  it('sends, and gives the platform its own mark and not that of the caller', async () => {
    const { status, json } = await tenant.ask('POST', `${GRAPH_ADDRESS}/messages`, {
      json: { messaging_product: 'whatsapp', to: `+${CUSTOMER}`, text: { body: 'At your door.' }, biz_opaque_callback_data: 'order A-17' },
    })
    const { messages: [sent] } = json as { readonly messages: ReadonlyArray<{ readonly id: string }> }
    assert.equal(status, 200)
    const { metadata, id } = (await tenant.ask(
      'GET', `/v1/messages/${encodeURIComponent(sent?.id ?? '')}`,
    )).json as { readonly metadata: unknown; readonly id: string }
    assert.deepEqual(metadata, { biz_opaque_callback_data: 'order A-17' })
    assert.include(gateway.simulator.received().map(({ callback }) => callback), id)
  })

  it('names the address under which clients reach the gateway', async () => {
    gateway.simulator.writeAs(CUSTOMER, { type: 'image', data: Buffer.from('bytes').toString('base64') }, NUMBER)
    const id = String(gateway.simulator.inbound().at(-1)?.media_id)
    const { json } = await tenant.ask('GET', `/graph/v23.0/${id}`)
    assert.deepInclude(json, { url: `https://gateway.example/v1/media/${id}`, file_size: 5 })
  })

  it('passes on what the platform refuses, as it says it', async () => {
    const { status, json } = await tenant.ask('POST', `${GRAPH_ADDRESS}/messages`, {
      json: { messaging_product: 'whatsapp', to: CUSTOMER, type: 'image', image: { id: '42' } },
    })
    const { error } = json as { readonly error: Readonly<Record<string, unknown>> }
    assert.deepEqual([status, error['code'], error['type']], [400, 100, 'OAuthException'])
    assert.match(String(error['message']), /not a valid whatsapp business account media attachment ID/)
  })
})
