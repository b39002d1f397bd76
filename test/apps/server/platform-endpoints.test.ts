import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { assert } from 'chai'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'
import { openReceiver, type Received, type Receiver } from '../../support/receiver.js'
import { changeOf, notificationOf, statusOf } from './notifications.js'

const CUSTOMER = '33639980001'
const STRANGER = '33639980002'

describe('Endpoints that get notifications as the platform sends them', () => {
  let world: InProcessFixture
  let receiver: Receiver
  before(async () => {
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
  })
  beforeEach(async () => {
    receiver = await openReceiver()
  })
  afterEach(() => receiver[Symbol.asyncDispose]())
  after(() => world[Symbol.asyncDispose]())

  const openTenant = async () => {
    const tenant = await world.tenant()
    const { json: { id, secret } } = await tenant.ask('POST', '/v1/event-endpoints', { json: { url: receiver.url, format: 'platform' } })
    return { ...tenant, endpoint: String(id), secret: String(secret) }
  }
  const got = (what: string): Promise<Received> => eventually(what, () => receiver.received.find(({ body }) => body.includes(what)))

  it('get what a customer wrote and what became of a message, and programs that were made for the platform take them', async () => {
    const { secret, phoneNumberId, send } = await openTenant()
    const other = await world.tenant()
    const wamid = world.simulator.writeAs(CUSTOMER, { text: 'Is it open?' }, phoneNumberId)
    world.simulator.writeAs(STRANGER, { text: 'Of another workspace' }, other.phoneNumberId)
    const written = await got('Is it open?')
    // Only now: what happens at the same time the platform may send together, and one of the clients reads the first item alone.
    const { json: { message_id: id } } = await send(CUSTOMER)
    await eventually('that it was delivered', () => receiver.received.some(({ body }) =>
      normalizeWebhook(JSON.parse(body)).statuses.some((status) => status.id === id && status.status === 'delivered')) || undefined)
    const status = await got('"statuses"')

    const heard: Array<unknown> = []
    const api = new WhatsAppAPI({ token: 'any', appSecret: secret, v: 'v23.0' })
    api.on.message = ({ contact, message, phoneID }) => void heard.push([contact.wa_id, phoneID, message.id])
    api.on.status = ({ id: about, status }) => void heard.push([about, status])
    for (const { body, headers } of [written, status]) {
      await api.post(JSON.parse(body) as Parameters<typeof api.post>[0], body, headers['x-hub-signature-256'] ?? '')
    }
    assert.deepEqual(heard, [[CUSTOMER, phoneNumberId, wamid], [String(id), normalizeWebhook(JSON.parse(status.body)).statuses[0]?.status]])

    const { body: rawBody, headers: { 'x-hub-signature-256': signatureHeader = '' } } = written
    assert.isTrue(verifySignature({ appSecret: secret, rawBody, signatureHeader }))
    assert.isFalse(verifySignature({ appSecret: `${secret}x`, rawBody, signatureHeader }))
    assert.deepInclude(normalizeWebhook(JSON.parse(rawBody)).messages[0], { from: CUSTOMER, id: wamid })
    assert.isFalse(receiver.received.some(({ body }) => body.includes('Of another workspace')))
  })

  it('get each once, however often the platform sends it, and only their own of what it sends together', async () => {
    const { phoneNumberId } = await openTenant()
    const other = await world.tenant()
    const reportOf = (id: string) => statusOf(null, 'read', { id })
    const together = notificationOf([
      changeOf(phoneNumberId, { statuses: [reportOf('wamid.own')] }),
      changeOf(other.phoneNumberId, { statuses: [reportOf('wamid.other')] }),
    ])
    for (let nth = 0; nth < 3; nth += 1) await world.notify(together)
    await got('wamid.own')
    await world.notify(notificationOf([changeOf(phoneNumberId, { statuses: [reportOf('wamid.last')] })]))
    await got('wamid.last')
    assert.lengthOf(receiver.received.filter(({ body }) => body.includes('wamid.own')), 1)
    assert.isFalse(receiver.received.some(({ body }) => body.includes('wamid.other')))
  })

  it('are shown with their format, have no types, and get no events, and who pulls gets no notification', async () => {
    const { ask, endpoint, phoneNumberId } = await openTenant()
    assert.deepInclude((await ask('GET', `/v1/event-endpoints/${endpoint}`)).json, { format: 'platform', types: [] })
    await ask('GET', '/v1/events')
    world.simulator.writeAs(CUSTOMER, { text: 'For both' }, phoneNumberId)
    await got('For both')
    const pulled = await eventually('the event', async () => {
      const { json: { events } } = await ask('GET', '/v1/events')
      return JSON.stringify(events).includes('message.received')
        ? events as ReadonlyArray<{ readonly id: string; readonly type: string }>
        : undefined
    })
    assert.isFalse(pulled.some(({ type }) => type.startsWith('platform')))
    assert.isTrue(receiver.received.every(({ body }) => body.startsWith('{"object":"whatsapp_business_account"')))

    const received = pulled.find(({ type }) => type === 'message.received')
    assert.equal((await ask('POST', `/v1/events/${received?.id}/redeliver`, { json: { endpoint } })).status, 404)
    // An attempt is noted after its answer.
    const delivery = await eventually('the attempt', async () => {
      const { json: { deliveries } } = await ask('GET', `/v1/event-endpoints/${endpoint}/deliveries`)
      return (deliveries as ReadonlyArray<{ readonly event: string; readonly type: string }>)
        .find(({ type }) => type === 'platform.notification')
    })
    const before = receiver.received.length
    assert.equal((await ask('POST', `/v1/events/${delivery.event}/redeliver`, { json: { endpoint } })).status, 202)
    await eventually('it comes again', () => receiver.received.length > before || undefined)
  })

  it('are refused with types, and take a test', async () => {
    const { ask, endpoint } = await openTenant()
    for (const [method, path, json] of [
      ['POST', '/v1/event-endpoints', { url: receiver.url, format: 'platform', types: ['*'] }],
      ['PATCH', `/v1/event-endpoints/${endpoint}`, { types: ['*'] }],
      ['POST', '/v1/event-endpoints', { url: receiver.url, format: 'meta' }],
      ['POST', '/v1/event-endpoints', { url: receiver.url, types: ['platform.notification'] }],
    ] as const) assert.equal((await ask(method, path, { json })).status, 400, JSON.stringify(json))
    assert.deepInclude((await ask('POST', `/v1/event-endpoints/${endpoint}/test`)).json, { status: 'delivered' })
    assert.equal(receiver.received.at(-1)?.body, '{"object":"whatsapp_business_account","entry":[]}')
  })
})

describe('A gateway with EVENTS_CONTENT=off', () => {
  it('passes statuses on as the platform sends them, and nothing that a customer wrote', async () => {
    await using receiver = await openReceiver()
    await using world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8', EVENTS_CONTENT: 'off' })
    const { ask, send, phoneNumberId, id } = await world.tenant()
    await ask('POST', '/v1/event-endpoints', { json: { url: receiver.url, format: 'platform' } })
    world.simulator.writeAs(CUSTOMER, { text: 'Private words' }, phoneNumberId)
    await send(CUSTOMER)
    await eventually('a status', () => receiver.received.find(({ body }) => body.includes('"read"')))
    assert.isFalse(receiver.received.some(({ body }) => body.includes('Private words')))
    const stored = await world.storage.eventOutbox.after(id, 0, 100)
    assert.notInclude(JSON.stringify(stored), 'Private words')
  })
})
