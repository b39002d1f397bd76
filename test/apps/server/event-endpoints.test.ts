import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'

describe('A gateway with endpoints', () => {
  let gateway: InProcessFixture
  let shop: Tenant
  let receiver: Receiver

  before(async () => {
    gateway = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
    shop = await gateway.tenant()
    receiver = await openReceiver((response) => void response.writeHead(204).end())
  })
  after(async () => {
    await receiver[Symbol.asyncDispose]()
    await gateway[Symbol.asyncDispose]()
  })

  it('tests an endpoint over HTTP, and the receiver verifies it with the secret', async () => {
    const { status, json } = await shop.ask('POST', '/v1/event-endpoints', { json: { url: receiver.url, types: ['message.*'] } })
    assert.equal(status, 201)
    const { json: tested } = await shop.ask('POST', `/v1/event-endpoints/${String(json['id'])}/test`)
    assert.deepInclude(tested, { type: 'endpoint.test', status: 'delivered', http_status: 204 })
    const [test] = receiver.received
    assert.deepInclude(
      new Webhook(String(json['secret'])).verify(test?.body ?? '', test?.headers ?? {}), { id: tested['event'], workspace: shop.id },
    )
  })

  it('lists what happened to a message, and delivers the same', async () => {
    await shop.ask('GET', '/v1/events')
    await shop.customerWrites('5511987654321')
    await shop.ask('POST', '/v1/messages/send-text', { json: { to: '5511987654321', text: 'hello' } })
    const events = await eventually('the delivery of the message', async () => {
      const { json } = await shop.ask('GET', '/v1/events?types=message.*')
      const found = json['events'] as ReadonlyArray<{ readonly id: string; readonly type: string }>
      return ['message.accepted', 'message.delivered'].every((type) => found.some((event) => event.type === type)) ? found : undefined
    })
    await eventually('the delivery of its events', () => {
      const delivered = receiver.received.map(({ headers }) => headers['webhook-id'])
      return events.every(({ id }) => delivered.includes(id)) ? true : undefined
    })
  })
})
