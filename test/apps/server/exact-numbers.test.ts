import { assert } from 'chai'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { changeOf, inboundOf, notificationOf, statusOf } from './notifications.js'

const CUSTOMER = '33639980001'
/** An id of the platform that a double would change, as it stands in the notification. */
const CATALOG = '"catalog_id":122097329108006499'
const ORDER = {
  type: 'order',
  text: undefined,
  order: { catalog_id: 'CATALOG', text: '', product_items: [{ product_retailer_id: 'a', quantity: 1, item_price: 2.5, currency: 'EUR' }] },
}

/** The text of a notification whose ids are numbers. */
const withNumbers = (notification: string): string => notification.replaceAll('"catalog_id":"CATALOG"', CATALOG)

await describeEachDatabase('Ids of the platform that are long numbers', (kind) => {
  let database: TestDatabase
  let world: InProcessFixture
  let receiver: Receiver
  before(async () => {
    database = await kind.create()
    receiver = await openReceiver()
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' }, database.url)
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('keep their digits in events, in notifications as the platform sends them, and in messages', async () => {
    const tenant = await world.tenant()
    for (const format of ['postern', 'platform']) await tenant.ask('POST', '/v1/event-endpoints', { json: { url: receiver.url, format } })
    await tenant.ask('GET', '/v1/events')
    const order = withNumbers(notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(CUSTOMER, ORDER)] })]))
    assert.include(order, CATALOG)
    assert.equal((await world.notify(order)).status, 200)
    const delivered = (start: string) =>
      eventually(start, () => receiver.received.find(({ body }) => body.startsWith(start) && body.includes('catalog_id'))?.body)
    assert.include(await delivered('{"object":'), CATALOG)
    assert.include(await delivered('{"id":"evt_'), CATALOG)
    const pulled = await eventually('the pulled event', async () => {
      const { text } = await tenant.ask('GET', '/v1/events')
      return text.includes('message.received') ? text : undefined
    })
    assert.include(pulled, CATALOG)

    world.blockReports()
    const { headers, json: { message_id: platformId } } = await tenant.send(CUSTOMER)
    const id = headers.get('Postern-Message')
    const error = { code: 131026, title: 'Message undeliverable', error_data: { catalog_id: 'CATALOG' } }
    const failed = withNumbers(
      notificationOf([changeOf(tenant.phoneNumberId, { statuses: [statusOf(id, 'failed', { id: platformId, errors: [error] })] })]),
    )
    assert.equal((await world.notify(failed)).status, 200)
    const event = await eventually('the delivered failure', () =>
      receiver.received.find(({ body }) => body.includes('"type":"message.failed"'))?.body)
    assert.include(event, CATALOG)
    for (const path of [`/v1/messages/${id}`, '/v1/messages', '/v1/wallet/entries']) {
      assert.include((await tenant.ask('GET', path)).text, CATALOG, path)
    }
    const { text: answer } = await tenant.ask('POST', '/mcp', {
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_message', arguments: { id } } },
      headers: { Accept: 'application/json, text/event-stream' },
    })
    assert.include(answer, CATALOG.replaceAll('"', '\\"'), 'the answer of the tool')
  })
})
