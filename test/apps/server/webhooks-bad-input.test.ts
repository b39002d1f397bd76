import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { assert } from 'chai'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import { APP_SECRET } from '../../support/gateway.js'
import { startInProcessFixture, type Tenant, type InProcessFixture } from '../../support/process-fixture.js'
import { changeOf, inboundOf, notificationOf, statusOf } from './notifications.js'

const TEN_THOUSAND = 10_000
const SIGNATURE = 'X-Hub-Signature-256'

/** All that there is of a workspace's messages and money. */
const LISTS = ['/v1/messages?limit=100', '/v1/wallet/entries?limit=100', '/v1/wallet']

describe('A notification that is bad, sent to the gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant
  /** A message whose state and money nothing here may touch, and its balance. */
  let sent: { readonly id: string; readonly before: string }
  before(async () => {
    world = await startInProcessFixture()
    tenant = await world.tenant()
    world.blockReports()
    const answer = await tenant.send('493011111111')
    world.simulator.reset()
    world.allowReports()
    sent = { id: answer.headers.get('Postern-Message') ?? '', before: await everything() }
  })
  after(() => world[Symbol.asyncDispose]())

  let customers = 0
  const newCustomer = (): string => `4930${String(20_000_000 + customers++)}`
  const isOpen = async (customer: string): Promise<boolean> => (await tenant.ask('GET', `/v1/windows/${customer}`)).json['open'] === true
  /** Every message and every movement of money there is. */
  const everything = async (): Promise<string> =>
    (await Promise.all(LISTS.map((path) => tenant.ask('GET', path)))).map(({ text }) => text).join('\n')
  const unharmed = async (): Promise<void> => {
    assert.equal(await everything(), sent.before)
    assert.equal((await fetch(`${world.server().url}/health/ready`)).status, 200)
  }

  /** Writes the head of a request. */
  const begin = async (body: string, more: string): Promise<Socket> => {
    const { hostname, port } = new URL(world.server().url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    const signature = signatureOf(APP_SECRET, Buffer.from(body))
    socket.write(`POST /webhooks/platform HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${SIGNATURE}: ${signature}\r\n${more}\r\n\r\n`)
    return socket
  }

  describe('in its signature', () => {
    const cases: Readonly<Record<string, (body: string) => string | undefined>> = {
      missing: () => undefined,
      empty: () => '',
      forged: () => `sha256=${'0'.repeat(64)}`,
      "another app's": (body) => signatureOf('another-secret', Buffer.from(body)),
      truncated: (body) => signatureOf(APP_SECRET, Buffer.from(body)).slice(0, 40),
      'without its algorithm': (body) => signatureOf(APP_SECRET, Buffer.from(body)).slice('sha256='.length),
      'of the algorithm before': (body) => signatureOf(APP_SECRET, Buffer.from(body)).replace('sha256', 'sha1'),
      'in capitals': (body) => signatureOf(APP_SECRET, Buffer.from(body)).toUpperCase(),
      'stale, of an earlier notification': () => signatureOf(APP_SECRET, Buffer.from(notificationOf())),
      'of the same value spelt otherwise': (body) => signatureOf(APP_SECRET, Buffer.from(`${body} `)),
      'of 10 KB': () => `sha256=${'a'.repeat(10_000)}`,
    }
    for (const [name, headerOf] of Object.entries(cases)) {
      it(`is refused with 401 where that is ${name}`, async () => {
        const customer = newCustomer()
        const body = notificationOf([
          changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)], statuses: [statusOf(sent.id, 'failed')] }),
        ])
        const header = headerOf(body)
        const response = await fetch(`${world.server().url}/webhooks/platform`, {
          method: 'POST', body, headers: { 'Content-Type': 'application/json', ...(header !== undefined && { [SIGNATURE]: header }) },
        })
        assert.equal(response.status, 401)
        assert.isFalse(await isOpen(customer))
        await unharmed()
      })
    }

    it('is refused before anything of it is read, though it is no JSON', async () => {
      assert.equal((await world.notify('{', { [SIGNATURE]: 'sha256=00' })).status, 401)
    })
  })

  describe('in its shape, with a valid signature', () => {
    it('is refused with 400 where it is no JSON in UTF-8', async () => {
      for (const body of ['', '{', 'null,', 'entry=1', "{'entry':[]}", '[1,]']) assert.equal((await world.notify(body)).status, 400, body)
      const latin1 = Buffer.from('{"object":"whatsapp_business_account","entry":[],"name":"Gr\xfc\xdfe"}', 'latin1')
      const headers = { [SIGNATURE]: signatureOf(APP_SECRET, latin1) }
      const response = await fetch(`${world.server().url}/webhooks/platform`, { method: 'POST', body: latin1, headers })
      assert.equal(response.status, 400)
      await unharmed()
    })

    it('is acknowledged, and does nothing, where it is JSON of another shape', async () => {
      const bodies = [
        'null', '0', '"entry"', '[]', '{}', '{"object":"page","entry":[]}', '{"object":"whatsapp_business_account"}',
        '{"object":"whatsapp_business_account","entry":{}}', '{"object":"whatsapp_business_account","entry":[null,1,"x",[],{}]}',
        '{"object":"whatsapp_business_account","entry":[{"changes":[null,1,{"field":"messages"},{"field":"messages","value":null}]}]}',
        '{"__proto__":{"object":"whatsapp_business_account"},"constructor":{"entry":[]}}',
        notificationOf([
          changeOf({}, { messages: [inboundOf('493012345678')] }), changeOf(5, {}), changeOf('', {}), changeOf('x'.repeat(1_000), {}),
        ]),
        notificationOf([{ field: 'account_alerts', value: { messages: [inboundOf('493012345678')] } }]),
      ]
      for (const body of bodies) assert.equal((await world.notify(body)).status, 200, body)
      await unharmed()
    })

    it('is answered, and does nothing, where it nests ten thousand deep', async () => {
      const deep = '['.repeat(TEN_THOUSAND) + ']'.repeat(TEN_THOUSAND)
      const status = JSON.stringify(statusOf(sent.id, 'sent'))
      const change = (fields: string): string =>
        notificationOf([changeOf(tenant.phoneNumberId, { statuses: ['HERE'] })]).replace('"HERE"', fields)
      const bodies = [
        deep, `{"object":"whatsapp_business_account","entry":${deep}}`, change(deep),
        change(status.replace('"sent"', deep)), change(status.replace(/"id":"[^"]*"/, `"id":${deep}`)),
        change(status.replace(/"timestamp":"[^"]*"/, `"timestamp":${deep}`)),
      ]
      for (const body of bodies) assert.equal((await world.notify(body)).status, 200, body.slice(0, 60))
      await unharmed()
    })
  })

  describe('in one item', () => {
    const AT = { timestamp: '1e9' }
    const items: Readonly<Record<string, (from: string) => unknown>> = {
      'is null': () => null,
      'is a number': () => 5,
      'is a text': (from) => from,
      'is a list': (from) => [from],
      'is empty': () => ({}),
      'has no sender': (from) => inboundOf(from, { from: undefined }),
      'has a sender that is a number': (from) => inboundOf(Number(from)),
      'has a sender of letters': () => inboundOf('not a number'),
      "has a sender in another script's digits": () => inboundOf('٤٩٣٠١٢٣٤٥٦٧٨'),
      'has a sender of a hundred digits': () => inboundOf('4'.repeat(100)),
      'has no time': (from) => inboundOf(from, { timestamp: undefined }),
      'has a time in words': (from) => inboundOf(from, { timestamp: 'yesterday' }),
      'has a time in ISO 8601': (from) => inboundOf(from, { timestamp: new Date().toISOString() }),
      'has a time in milliseconds': (from) => inboundOf(from, { timestamp: String(Date.now()) }),
      'has a negative time': (from) => inboundOf(from, { timestamp: -1_700_000_000 }),
      'has a time with a fraction': (from) => inboundOf(from, { timestamp: 1_700_000_000.5 }),
      'has a time beyond all numbers': (from) => inboundOf(from, { timestamp: '9'.repeat(400) }),
      'has a time in another notation': (from) => inboundOf(from, AT),
      'has no type': (from) => inboundOf(from, { type: undefined }),
      'has a type that is an object': (from) => inboundOf(from, { type: { toString: 'text' } }),
      'has a type that is a list': (from) => inboundOf(from, { type: ['text'] }),
    }
    for (const [name, itemOf] of Object.entries(items)) {
      it(`that ${name} leaves the other items as they are, and opens no window`, async () => {
        const [left, bad, right, elsewhere] = [newCustomer(), newCustomer(), newCustomer(), newCustomer()]
        const body = notificationOf(
          [changeOf(tenant.phoneNumberId, { messages: [inboundOf(left), itemOf(bad), inboundOf(right)], statuses: [itemOf(bad)] })],
          [changeOf(tenant.phoneNumberId, { messages: [inboundOf(elsewhere)] })],
        )
        assert.equal((await world.notify(body)).status, 200)
        assert.deepEqual(await Promise.all([left, right, elsewhere, bad].map(isOpen)), [true, true, true, false])
        await unharmed()
      })
    }

    const statuses: Readonly<Record<string, (id: string) => unknown>> = {
      'of an unknown state': (id) => statusOf(id, 'teleported'),
      'of a state that is none of the platform\'s': (id) => statusOf(id, 'refused'),
      'without an id': (id) => statusOf(id, 'failed', { id: undefined }),
      'whose id is a number': (id) => statusOf(id, 'failed', { id: 7 }),
      'whose id is longer than any': (id) => statusOf(id, 'failed', { id: `wamid.${'x'.repeat(5_000)}` }),
      'without a time': (id) => statusOf(id, 'failed', { timestamp: undefined }),
      'with a time in words': (id) => statusOf(id, 'failed', { timestamp: 'now' }),
      'of a message that was never opened': (id) => statusOf(`msg_${'0'.repeat(id.length - 4)}`, 'failed'),
      'with an id that is not ours': () => statusOf("'; DROP TABLE messages; --", 'failed', { timestamp: '1700000000' }),
    }
    for (const [name, itemOf] of Object.entries(statuses)) {
      it(`that is a status ${name} leaves the other items as they are, and moves no money`, async () => {
        const customer = newCustomer()
        const body = notificationOf([changeOf(tenant.phoneNumberId, { statuses: [itemOf(sent.id)], messages: [inboundOf(customer)] })])
        assert.equal((await world.notify(body)).status, 200)
        assert.isTrue(await isOpen(customer))
        await unharmed()
      })
    }

    it('that is a status of an id that nothing waits for is acknowledged, and leaves the other items as they are', async () => {
      const customer = newCustomer()
      const body = notificationOf([
        changeOf(tenant.phoneNumberId, { statuses: [statusOf(null, 'failed')], messages: [inboundOf(customer)] }),
      ])
      assert.equal((await world.notify(body)).status, 200)
      assert.isTrue(await isOpen(customer))
      await unharmed()
    })

    it("that names a message of another workspace moves none of that workspace's money", async () => {
      const other = await world.tenant()
      const body = notificationOf([changeOf(other.phoneNumberId, { statuses: [statusOf(sent.id, 'failed')] })])
      assert.equal((await world.notify(body)).status, 200)
      await unharmed()
    })
  })

  describe('in how it arrives', () => {
    it('is dropped where it breaks off in the middle, and the next one is taken in', async () => {
      const [broken, customer] = [newCustomer(), newCustomer()]
      const body = notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(broken)] })])
      const socket = await begin(body, `Content-Length: ${body.length}`)
      socket.write(body.slice(0, body.length / 2))
      socket.resetAndDestroy()
      assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)] })]))).status, 200)
      assert.deepEqual(await Promise.all([broken, customer].map(isOpen)), [false, true])
      await unharmed()
    })
  })
})
