import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { makeGotTransport, makeTemplateSource } from '../../../adapters/cloud-api/index.js'
import { makeSyncTemplates } from '../../../core/templates/sync.js'
import { type Answer } from '../../support/gateway.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch } from '../../support/scratch.js'

const ACCOUNT = '200000000000001'
const CUSTOMER = '4915123456789'
const PARAMETERS = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }, { type: 'text', text: 'A-17' }] }]
const ORDER = { to: CUSTOMER, template_name: 'order_update', language: 'en', components: PARAMETERS }
const NOTHING = { available: '10.000000', held: '0.000000' }

const codeOf = ({ json }: Answer): unknown => json['code'] ?? json['status']
const quoteOf = ({ json }: Answer) => json['quote'] as Readonly<Record<string, unknown>>

describe('Templates of the whole gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant

  const start = async (env = {}): Promise<void> => {
    world = await startInProcessFixture(env)
    tenant = await world.tenant('10', { businessAccountId: ACCOUNT })
    const transport = makeGotTransport()
    const templateSource = makeTemplateSource({
      baseUrl: world.simulator.url, version: 'v25.0', timeoutMs: 5_000, transport: transport.send,
    })
    const windowClock = { now: () => Date.now() - 10_000 }
    rightOf(await makeSyncTemplates({ ...world.storage, windowClock, templateSource })({ workspace: tenant.id }))
    await transport.close()
  }
  beforeEach(() => start())
  afterEach(() => world[Symbol.asyncDispose]())

  const send = (change: object = {}) => tenant.ask('POST', '/v1/messages/send-template', { json: { ...ORDER, ...change } })
  const quote = (change: object = {}) => tenant.ask('POST', '/v1/quotes/send-template', { json: { ...ORDER, ...change } })
  const control = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${world.simulator.url}/_simulator/${path}`, { method: 'POST', body: JSON.stringify(body) })
    assert.equal(response.status, 200)
    await world.simulator.idle()
  }

  it('in another language are refused by the quote and by the send, with a sentence that says which language works', async () => {
    for (const refused of [await quote({ language: 'de' }), await send({ language: 'de' })]) {
      assert.equal(refused.status, 400)
      assert.deepInclude(refused.json, {
        status: 'error', code: 'template_not_found',
        message: 'order_update is approved in en, en_US; language was de. Send one of those as language',
      })
    }
    assert.isEmpty(world.simulator.received())
    assert.deepEqual(await tenant.balance(), NOTHING)
    assert.equal((await send({ language: 'en_US' })).status, 200)
  })

  it('cost the rate of their own category, as their quotes say', async () => {
    const prices = [['order_update', PARAMETERS, '0.007700', 'utility'], ['birthday', undefined, '0.062500', 'marketing']] as const
    let available = 10_000_000n
    for (const [template_name, components, price, category] of prices) {
      const parameters = components ?? [
        { type: 'header', parameters: [{ type: 'gif', gif: { link: 'https://shop.example/a.gif' } }] },
        { type: 'body', parameters: [{ type: 'text', text: 'Ann' }] },
      ]
      const change = { template_name, components: parameters }
      assert.deepInclude(quoteOf(await quote(change)), { price, category, market: 'default', currency: 'USD' })
      assert.equal((await send(change)).status, 200)
      available -= BigInt(price.replace('.', ''))
    }
    assert.deepEqual(await tenant.balance(), {
      available: `${available / 1_000_000n}.${String(available % 1_000_000n).padStart(6, '0')}`, held: '0.000000',
    })
  })

  it("of marketing go by the platform's API for them if the sender says so, at the rate of that API, as their quotes say", async () => {
    await world[Symbol.asyncDispose]()
    const scratch = await makeScratch()
    const prices = { service: '0', marketing: '0.0625', marketing_lite: '0.05', utility: '0.0077', authentication: '0.03' }
    await writeFile(
      scratch.path('rates.json'),
      JSON.stringify({ currency: 'USD', effective: '2026-01-01', template_category: 'marketing', default: prices, markets: {} }),
    )
    await start({ RATE_CARD: scratch.path('rates.json') })
    await scratch.remove()
    const { storage: { senders }, simulator } = world
    const { id, phoneNumberId } = tenant
    const sender = O.toUndefined(rightOf(await senders.senderOf(id))) ?? assert.fail('there is no sender')
    rightOf(await senders.assign(id, { ...sender, marketingApi: true }))
    const components = [
      { type: 'header', parameters: [{ type: 'gif', gif: { link: 'https://shop.example/a.gif' } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ann' }] },
    ]
    const birthday = { template_name: 'birthday', components }
    assert.deepInclude(quoteOf(await quote(birthday)), { price: '0.050000', category: 'marketing_lite' })
    for (const change of [birthday, {}]) assert.equal((await send(change)).status, 200)
    assert.deepEqual(await tenant.balance(), { available: '9.942300', held: '0.000000' })
    await simulator.idle()
    assert.deepEqual(simulator.received().map(({ pricing }) => pricing?.category), ['marketing_lite', 'utility'])
    assert.deepEqual(rightOf(await world.storage.messageLog.list(id, { limit: 9, billedOtherwise: true })).items, [])

    // A request that is no marketing template is refused there.
    const refused = await fetch(`${simulator.url}/v25.0/${phoneNumberId}/marketing_messages`, {
      method: 'POST', headers: { authorization: `Bearer ${sender.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: CUSTOMER, type: 'text', text: { body: 'Hi' } }),
    })
    assert.deepInclude((await refused.json() as { readonly error: object }).error, { code: 134100 })
  })

  it('show in a quote what the customer would read', async () => {
    assert.deepEqual(quoteOf(await quote())['preview'], {
      header: null, body: 'Hi Ann, your order A-17 is on its way.', footer: null, buttons: [],
    })
  })

  it('that are new at the platform are found by the first send', async () => {
    assert.equal(codeOf(await send({ template_name: 'table_booked' })), 'template_not_found')
    await control('templates', {
      name: 'room_booked', language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: 'Booked.' }], notify: false,
    })
    assert.equal((await send({ template_name: 'room_booked', components: [] })).status, 200)
  })

  it('that are paused are refused from the notification on, and sent again once the platform says otherwise', async () => {
    // The platform states moments in seconds, and a change counts from the end of its second.
    const at = new Date(Date.now() - 5_000).toISOString()
    await control('templates/order_update', { status: 'PAUSED', language: 'en', at })
    await control('templates/hello_world', { status: 'PAUSED', at })
    const refused = await send()
    assert.equal(codeOf(refused), 'template_not_approved')
    assert.equal(refused.json['message'], 'order_update in en has the status paused, and the platform sends only approved templates; it is approved in en_US')
    await control('templates/hello_world', { status: 'APPROVED', notify: false })
    assert.equal((await send({ template_name: 'hello_world', components: [] })).status, 200)
  })

  it('with a parameter too few are refused with what is expected', async () => {
    const refused = await send({ components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }] })
    assert.equal(codeOf(refused), 'template_parameters')
    assert.deepEqual(refused.json['expected'], [
      { component: 'body', type: 'text', index: 1 },
      { component: 'body', type: 'text', index: 2 },
    ])
    assert.isEmpty(world.simulator.received())
    assert.deepEqual(await tenant.balance(), NOTHING)
  })

  it('are sent with a token that may not read the list', async () => {
    await control('faults', { templateList: 'forbidden' })
    await control('templates', {
      name: 'room_booked', language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: 'Booked.' }], notify: false,
    })
    assert.equal((await send({ template_name: 'room_booked', components: [] })).status, 200)
    assert.equal(codeOf(await send({ template_name: 'no_such_template' })), 'platform_rejected')
    assert.equal(codeOf(await send({ components: [] })), 'template_parameters')
  })

  it('are listed with what fills them, in pages', async () => {
    const names: Array<unknown> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json } = await tenant.ask('GET', `/v1/templates?limit=7&cursor=${cursor}`)
      const listed = json['templates'] as ReadonlyArray<{ readonly name: string; readonly language: string }>
      names.push(...listed.map(({ name, language }) => `${name} ${language}`))
      cursor = json['next_cursor'] as string | null
    }
    assert.include(names, 'order_update en_US')
    assert.lengthOf(new Set(names), names.length)
    const { json } = await tenant.ask('GET', '/v1/templates?name=order_update')
    assert.deepEqual((json['templates'] as ReadonlyArray<object>).length, 2)
  })

  it('are sent unchecked if the check is switched off, at the rate of their own category', async () => {
    await world[Symbol.asyncDispose]()
    await start({ TEMPLATE_PREFLIGHT: 'off' })
    assert.equal(codeOf(await send({ language: 'de' })), 'platform_rejected')
    assert.equal((await send()).status, 200)
    assert.deepEqual(await tenant.balance(), { available: '9.992300', held: '0.000000' })
  })
})
