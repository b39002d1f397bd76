import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { assert } from 'chai'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import { APP_SECRET } from '../../support/gateway.js'
import { startInProcessFixture, type Tenant, type InProcessFixture } from '../../support/process-fixture.js'
import { changeOf, inboundOf, notificationOf, statusOf } from './notifications.js'

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

  it("is refused with 401 if another app has signed it", async () => {
    const customer = newCustomer()
    const body = notificationOf([
      changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)], statuses: [statusOf(sent.id, 'failed')] }),
    ])
    assert.equal((await world.notify(body, { [SIGNATURE]: signatureOf('another-secret', Buffer.from(body)) })).status, 401)
    assert.isFalse(await isOpen(customer))
    await unharmed()
  })

  it('is acknowledged and changes nothing if it is JSON of another shape', async () => {
    const bodies = [
      'null', '{"object":"page","entry":[]}',
      notificationOf([{ field: 'account_alerts', value: { messages: [inboundOf('493012345678')] } }]),
    ]
    for (const body of bodies) assert.equal((await world.notify(body)).status, 200, body)
    await unharmed()
  })

  describe('in one item', () => {
    const items: Readonly<Record<string, (from: string) => unknown>> = {
      'is null': () => null,
      'has no sender': (from) => inboundOf(from, { from: undefined }),
      'has a time in words': (from) => inboundOf(from, { timestamp: 'yesterday' }),
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
    it('is dropped if it breaks off in the middle, and the next one is taken in', async () => {
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
