import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { appIdOf } from '../../../core/kernel/ids.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, APP_SECRET, request, VERIFY_TOKEN } from '../../support/gateway.js'
import { type InProcessFixture, notifyAt, type Tenant, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { startServer } from '../../support/server-process.js'
import { changeOf, inboundOf, notificationOf } from './notifications.js'

const LARGEST = 3 * 1024 * 1024
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The options with which a process has a clock that is ahead. */
const aheadBy = (ms: number): string => `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`

describe('What the platform notifies the gateway of', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    world = await startInProcessFixture()
    tenant = await world.tenant()
  })
  after(() => world[Symbol.asyncDispose]())

  let customers = 0
  const newCustomer = (): string => `4930${String(10_000_000 + customers++)}`
  /** The window of the default sender. */
  const windowOf = async (customer: string): Promise<Answer['json']> => {
    const { senders: _senders, ...window } = (await tenant.ask('GET', `/v1/windows/${customer}`)).json
    return window
  }
  const isOpen = async (customer: string): Promise<boolean> => (await windowOf(customer))['open'] === true
  const areOpen = async (all: ReadonlyArray<string>): Promise<number> => {
    const { windowClock } = world.storage
    const found = await Promise.all(all.map((customer) => windowClock.lastInbound(tenant.id, customer as PhoneNumber)))
    return found.filter((last) => O.isSome(rightOf(last))).length
  }

  it('is agreed on by the handshake', async () => {
    const settled = await fetch(`${world.simulator.url}/_simulator/webhook`, {
      method: 'POST',
      body: JSON.stringify({ url: `${world.server().url}/webhooks/platform`, appSecret: 'app-secret', verifyToken: VERIFY_TOKEN }),
    })
    assert.equal(settled.status, 200, await settled.text())
  })

  it('opens a window for each of a thousand customers in one notification of many entries', async () => {
    const all = Array.from({ length: 1_000 }, newCustomer)
    const changes = Array.from({ length: 40 }, (_, part) =>
      changeOf(tenant.phoneNumberId, { messages: all.slice(part * 25, part * 25 + 25).map((from) => inboundOf(from)) }))
    const body = notificationOf(changes.slice(0, 13), changes.slice(13, 27), changes.slice(27))
    assert.equal((await world.notify(body)).status, 200)
    assert.equal(await areOpen(all), 1_000)
  })

  it('opens a window for each of 25,000 customers in one notification', async () => {
    const all = Array.from({ length: 25_000 }, newCustomer)
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const body = notificationOf([changeOf(tenant.phoneNumberId, { messages: all.map((from) => ({ from, timestamp, type: 'text' })) })])
    assert.isAtMost(body.length, LARGEST)
    assert.equal((await world.notify(body)).status, 200)
    assert.equal(await areOpen([...all.slice(0, 10), ...all.slice(-10)]), 20)
  })

  it('is taken up to 3 MiB, and refused with 413 and nothing done beyond', async () => {
    const [last, first] = [newCustomer(), newCustomer()]
    const padded = (customer: string, size: number): string => {
      const bare = notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)], padding: '' })])
      return bare.replace('"padding":""', `"padding":"${'x'.repeat(size - bare.length)}"`)
    }
    assert.equal((await world.notify(padded(last, LARGEST))).status, 200)
    assert.isTrue(await isOpen(last))
    assert.equal((await world.notify(padded(first, LARGEST + 1))).status, 413)
    assert.isFalse(await isOpen(first))
  })

  it('is acknowledged, logged and counted if no workspace has its number, without the customer in the log', async () => {
    const [stranger, customer] = [newCustomer(), newCustomer()]
    const body = notificationOf([
      changeOf('999888777666555', { messages: [inboundOf(stranger)] }), changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)] }),
    ])
    assert.equal((await world.notify(body)).status, 200)
    assert.isTrue(await isOpen(customer))
    const line = await eventually('the log line', () => world.server().log().find(({ msg }) => msg === 'reports_for_unknown_sender'))
    assert.deepInclude(line, { level: 'warn', phone_number_id: '999888777666555', count: 1 })
    assert.notInclude(JSON.stringify(line), stranger)
    assert.match((await tenant.ask('GET', '/metrics')).text, /postern_reports_total\{receipt="unknown_sender"\} 1\n/)
  })

  it('is acknowledged, logged and counted if its sender belongs to another app, and accepted at the address of that app', async () => {
    const [app, phoneNumberId] = [appIdOf(uuidv7()), senderIdOf('888777666555444')]
    const secret = '0123456789abcdef0123456789abcdef'
    rightOf(await world.storage.apps.add({ id: app, name: 'acme', createdAt: Date.now(), appSecret: secret, verifyToken: 'word' }))
    const other = await world.tenant('10', { sender: false })
    rightOf(await world.storage.senders.assign(other.id, { phoneNumberId, accessToken: 'token', businessAccountId: undefined, app }))
    const customer = newCustomer()
    const isOpenThere = async () => (await other.ask('GET', `/v1/windows/${customer}`)).json['open']
    const body = notificationOf([changeOf(phoneNumberId, { messages: [inboundOf(customer)] })])
    assert.equal((await world.notify(body)).status, 200)
    assert.isFalse(await isOpenThere())
    const line = await eventually('the log line', () => world.server().log().find(({ msg }) => msg === 'reports_for_another_app'))
    assert.deepInclude(line, { level: 'warn', phone_number_id: phoneNumberId, count: 1 })
    assert.notInclude(JSON.stringify(line), customer)
    assert.match((await tenant.ask('GET', '/metrics')).text, /postern_reports_total\{receipt="other_app"\} 1\n/)
    const { status } = await request(`${world.url}/webhooks/platform/acme`, 'POST', undefined, {
      body, headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signatureOf(secret, Buffer.from(body)) },
    })
    assert.equal(status, 200)
    assert.isTrue(await isOpenThere())
  })

  it('is refused at the address of an app with a line that names the app if its signature is wrong', async () => {
    const answer = await request(`${world.url}/webhooks/platform/acme`, 'POST', undefined, {
      body: '{}', headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signatureOf(APP_SECRET, Buffer.from('{}')) },
    })
    assert.equal(answer.status, 401)
    const line = await eventually('the log line', () =>
      world.server().log().find(({ msg, ...fields }) => msg === 'webhook_signature_rejected' && fields['app'] === 'acme'))
    assert.deepInclude(line, { level: 'warn', reason: 'wrong', count: 1 })
  })

  describe('of a customer', () => {
    const writes = async (type: string): Promise<string> => {
      const customer = newCustomer()
      world.simulator.writeAs(customer, { type, text: 'Grüße / <50%> @home' }, tenant.phoneNumberId)
      await world.simulator.idle()
      return customer
    }

    const writing = [
      'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'order', 'call',
      'unsupported', 'hologram',
    ]
    for (const type of writing) {
      it(`who sends ${type} opens the window`, async () => {
        assert.isTrue(await isOpen(await writes(type)))
      })
    }

    for (const type of ['system', 'reaction', 'edit', 'revoke', 'request_welcome']) {
      it(`of type ${type} opens no window`, async () => {
        assert.deepEqual(await windowOf(await writes(type)), { open: false, last_inbound_at: null, closes_at: null })
      })
    }

    it('without a phone number is acknowledged and opens no window', async () => {
      const customer = newCustomer()
      world.simulator.writeAs(customer, { text: 'Hello', bsuidOnly: true }, tenant.phoneNumberId)
      await world.simulator.idle()
      assert.isFalse(await isOpen(customer))
    })

    it('opens the window from the moment the platform names, and a late or repeated one never moves it back', async () => {
      const customer = newCustomer()
      const second = Math.floor((Date.now() - 3 * HOUR_MS) / 1_000) * 1_000
      for (const at of [second, second - HOUR_MS, second]) world.simulator.writeAs(customer, { text: 'Hello', at }, tenant.phoneNumberId)
      await world.simulator.idle()
      assert.deepEqual(await windowOf(customer), {
        open: true, last_inbound_at: new Date(second).toISOString(), closes_at: new Date(second + 24 * HOUR_MS).toISOString(),
      })
    })

    it('who wrote more than a day ago opens no window', async () => {
      const customer = newCustomer()
      world.simulator.writeAs(customer, { text: 'Hello', at: Date.now() - 25 * HOUR_MS }, tenant.phoneNumberId)
      await world.simulator.idle()
      assert.isFalse(await isOpen(customer))
      assert.isString((await windowOf(customer))['last_inbound_at'])
    })

    it('counts at its arrival if it is dated hours ahead', async () => {
      const customer = newCustomer()
      const before = Date.now()
      world.simulator.writeAs(customer, { text: 'Hello', at: before + 5 * HOUR_MS }, tenant.phoneNumberId)
      await world.simulator.idle()
      const at = Date.parse(String((await windowOf(customer))['last_inbound_at']))
      assert.isAtLeast(at, before)
      assert.isAtMost(at, Date.now())
    })

    it('with a date ahead of its arrival opens no window when it is delivered again a day later', async () => {
      const from = newCustomer()
      const body = notificationOf([changeOf(tenant.phoneNumberId, {
        messages: [inboundOf(from, { timestamp: String(Math.floor((Date.now() + 5 * DAY_MS) / 1_000)) })],
      })])
      assert.equal((await world.notify(body)).status, 200)
      const opened = await windowOf(from)
      assert.isTrue(opened['open'])
      const tomorrow = await startServer({
        ...world.env, NODE_OPTIONS: aheadBy(25 * HOUR_MS), PLATFORM_URL: world.simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN,
        PLATFORM_APP_SECRET: APP_SECRET,
      })
      try {
        for (let delivery = 0; delivery < 3; delivery += 1) assert.equal((await notifyAt(tomorrow.url, body)).status, 200)
        const view = await request(`${tomorrow.url}/v1/windows/${from}`, 'GET', tenant.key, {})
        assert.include(view.json, { ...opened, open: false })
        const resent = body.replace(/"timestamp":"\d+"/, `"timestamp":"${Math.floor(Date.now() / 1_000) + 25 * 3_600}"`)
        assert.equal((await notifyAt(tomorrow.url, resent)).status, 200)
        assert.isTrue((await request(`${tomorrow.url}/v1/windows/${from}`, 'GET', tenant.key, {})).json['open'])
      } finally {
        await tomorrow.kill()
      }
    })

    it('opens the window to the workspace written to, and to no other', async () => {
      const other = await world.tenant()
      const customer = newCustomer()
      world.simulator.writeAs(customer, { text: 'Hello' }, other.phoneNumberId)
      await world.simulator.idle()
      assert.isTrue((await other.ask('GET', `/v1/windows/${customer}`)).json['open'])
      assert.isFalse(await isOpen(customer))
    })

    it('lets texts through to the number as it is dialled, though the platform spells it otherwise', async () => {
      // The platform reports mobile numbers of Brazil without their ninth digit.
      const dialled = '5511987654321'
      world.simulator.writeAs(dialled, { text: 'Oi' }, tenant.phoneNumberId)
      await world.simulator.idle()
      assert.equal((await tenant.ask('POST', '/v1/messages/send-text', { json: { to: dialled, text: 'Oi!' } })).status, 200)
    })
  })
})
