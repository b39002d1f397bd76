// The requests that Chatwoot and Typebot make, with the paths, headers and bodies of their sources.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { assert } from 'chai'
import { eventually } from '../support/eventually.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'

const CUSTOMER = '33639980001'
const ACCOUNT = '200000000000001'

describe('Below /graph', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => { world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' }) })
  beforeEach(async () => {
    tenant = await world.tenant('10', { businessAccountId: ACCOUNT })
    world.simulator.reset()
    await tenant.customerWrites(CUSTOMER)
  })
  after(() => world[Symbol.asyncDispose]())

  /** What `WHATSAPP_CLOUD_BASE_URL` and `WHATSAPP_CLOUD_API_URL` are set to. */
  const base = (): string => `${world.url}/graph`
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await fetch(`${base()}${path}`, {
      method: 'POST', headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    })
    const answered = await answer.text()
    assert.equal(answer.status, 200, answered)
    return JSON.parse(answered) as Readonly<Record<string, unknown>>
  }
  const types = (): ReadonlyArray<string> => world.simulator.received().map(({ type }) => type)

  describe('Chatwoot', () => {
    it('sends a text, a reply, a document by link, buttons as the text of their JSON, and a template, and reads the id of each', async () => {
      const path = `/v13.0/${tenant.phoneNumberId}/messages`
      const quoted = world.simulator.writeAs(CUSTOMER, { text: 'Hello' }, tenant.phoneNumberId)
      const sent = [
        { messaging_product: 'whatsapp', context: null, to: CUSTOMER, text: { body: 'Good morning' }, type: 'text' },
        { messaging_product: 'whatsapp', context: { message_id: quoted }, to: CUSTOMER, text: { body: 'As you said' }, type: 'text' },
        {
          messaging_product: 'whatsapp',
          context: null,
          to: CUSTOMER,
          type: 'document',
          document: { link: 'https://chat.example/bill.pdf', caption: null, filename: 'bill.pdf' },
        },
        {
          messaging_product: 'whatsapp', to: CUSTOMER, type: 'interactive',
          interactive: {
            type: 'button',
            body: { text: 'Did that help?' },
            action: JSON.stringify({ buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] }),
          },
        },
        {
          messaging_product: 'whatsapp', recipient_type: 'individual', to: CUSTOMER, type: 'template',
          template: {
            name: 'order_update',
            language: { policy: 'deterministic', code: 'en' },
            components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }],
          },
        },
      ]
      for (const body of sent) assert.match(JSON.stringify(await post(path, body)), /"messages":\[\{"id":"wamid\./)
      assert.deepEqual(types(), sent.map(({ type }) => type))
    })

    it('proves its settings and syncs templates with the key in the query', async () => {
      await tenant.ask('GET', '/v1/templates')
      const answer = await fetch(`${base()}/v14.0/${ACCOUNT}/message_templates?access_token=${tenant.key}`)
      assert.equal(answer.status, 200)
      assert.isArray((await answer.json() as { readonly data: unknown }).data)
      assert.equal((await fetch(`${base()}/v14.0/${ACCOUNT}/message_templates?access_token=wrong`)).status, 401)
    })
  })

  describe('Typebot', () => {
    it('sends texts, pictures and buttons, and shows that it is writing', async () => {
      const path = `/v17.0/${tenant.phoneNumberId}/messages`
      const common = { messaging_product: 'whatsapp', to: CUSTOMER }
      const written = world.simulator.writeAs(CUSTOMER, { text: 'Hello' }, tenant.phoneNumberId)
      await post(`/v21.0/${tenant.phoneNumberId}/messages`, {
        messaging_product: 'whatsapp', status: 'read', message_id: written, typing_indicator: { type: 'text' },
      })
      for (const body of [
        { ...common, type: 'text', text: { body: 'Welcome', preview_url: false } },
        { ...common, type: 'image', image: { link: 'https://shop.example/boots.jpg' } },
        {
          ...common,
          type: 'interactive',
          interactive: {
            type: 'button', body: { text: '―' }, action: { buttons: [{ type: 'reply', reply: { id: 'block-1', title: 'Buy' } }] },
          },
        },
      ]) await post(path, body)
      assert.deepEqual(types(), ['text', 'image', 'interactive'])
      assert.isNumber(world.simulator.inbound().find(({ id }) => id === written)?.read_at)
    })

    it('cannot have its assistant ask about a token or the name of a number, as its page says', async () => {
      const ask = (path: string): Promise<Response> =>
        fetch(`${base()}/v17.0/${path}`, { headers: { Authorization: `Bearer ${tenant.key}` } })
      const token = await ask('debug_token')
      assert.equal(token.status, 400)
      assert.include(await token.text(), '"code":100,"error_subcode":33')
      assert.deepEqual(await (await ask(`${ACCOUNT}/phone_numbers`)).json(), { data: [{ id: tenant.phoneNumberId }] })
    })
  })

  it("passes what a customer wrote on as the platform's notification, with the signature that Typebot checks by the endpoint's secret", async () => {
    const got: { readonly signature: unknown; readonly body: string }[] = []
    const program = createServer((request, response) => {
      void text(request).then((body) => {
        got.push({ signature: request.headers['x-hub-signature-256'], body })
        response.writeHead(200).end()
      })
    })
    await new Promise<void>((resolve) => { program.listen(0, '127.0.0.1', resolve) })
    try {
      const address = program.address()
      const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/webhooks/whatsapp/+33612345678`
      const { json } = await tenant.ask('POST', '/v1/event-endpoints', { json: { url, format: 'platform' } })
      world.simulator.writeAs(CUSTOMER, { text: 'Is it open?' }, tenant.phoneNumberId)
      const { signature, body } = await eventually('the notification', () => got.find((one) => one.body.includes('Is it open?')))
      assert.equal(signature, `sha256=${createHmac('sha256', String(json['secret'])).update(body, 'utf8').digest('hex')}`)
      const { object, entry } = JSON.parse(body) as { readonly object: string; readonly entry: ReadonlyArray<unknown> }
      assert.equal(object, 'whatsapp_business_account')
      assert.lengthOf(entry, 1)
    } finally {
      program.closeAllConnections()
      program.close()
    }
  })
})
