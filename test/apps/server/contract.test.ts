import { assert } from 'chai'
import type { Answer } from '../../support/gateway.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'

const TEXT = '/v1/messages/send-text'
const TEMPLATE = '/v1/messages/send-template'
const CUSTOMER = '33639980001'

/** Recipients at which the simulator behaves in a way of its own. */
const REJECTS = '15550100126'
const THROTTLES = '15550100056'
const REFUSES_TOKEN = '15550100190'
const HANGS = '15550100600'

describe('The gateway, through its container, on SQLite', () => {
  let world: InProcessFixture
  before(async () => { world = await startInProcessFixture({ PLATFORM_TIMEOUT_MS: '400' }) })
  after(() => world[Symbol.asyncDispose]())

  const refused = (answer: Answer, status: number, code: string): void => {
    assert.equal(answer.status, status, answer.text)
    assert.deepInclude(answer.json, { status: 'error', code })
    assert.isString(answer.json['message'])
  }
  const template = (tenant: Tenant, to: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    tenant.ask('POST', TEMPLATE, { json: { to, template_name: 'hello_world', ...more }, headers })
  const text = (tenant: Tenant, headers: Record<string, string> = {}): Promise<Answer> =>
    tenant.ask('POST', TEXT, { json: { to: CUSTOMER, text: 'Hello' }, headers })
  const arrived = (answer: Answer) =>
    world.simulator.received().filter(({ callback }) => callback === answer.headers.get('Postern-Message'))

  describe('that sends', () => {
    for (const base of ['/v1', '/api/v1']) {
      it(`answers a text at ${base} with status and message id and no other field`, async () => {
        const tenant = await world.tenant()
        await tenant.customerWrites(CUSTOMER)
        const answer = await tenant.ask('POST', `${base}/messages/send-text`, { json: { to: CUSTOMER, text: 'Hello' } })
        assert.equal(answer.status, 200)
        assert.deepEqual(Object.keys(answer.json), ['status', 'message_id'])
        assert.match(String(answer.json['message_id']), /^wamid\./)
        assert.match(answer.headers.get('Postern-Message') ?? '', /^msg_[0-9a-f]{32}$/)
        assert.deepInclude(arrived(answer)[0], { to: CUSTOMER, type: 'text', text: 'Hello', outcome: 'accepted' })
      })
    }

    it('takes a text as a form, urlencoded or multipart', async () => {
      const tenant = await world.tenant()
      await tenant.customerWrites(CUSTOMER)
      const form = new FormData()
      form.set('to', CUSTOMER)
      form.set('text', 'Hello')
      for (const body of [new URLSearchParams({ to: CUSTOMER, text: 'Hello' }), form]) {
        assert.equal((await tenant.ask('POST', TEXT, { body })).status, 200)
      }
    })

    it('takes a template to a written number, in English if no language is given', async () => {
      const tenant = await world.tenant()
      const answer = await template(tenant, '+33 6-39.98 (00)01')
      assert.equal(answer.status, 200)
      assert.deepInclude(arrived(answer)[0], { to: CUSTOMER, type: 'template', text: 'hello_world (en)' })
    })

    it("charges the rate card's price, once", async () => {
      const tenant = await world.tenant('1')
      await tenant.customerWrites(CUSTOMER)
      // The first texts of a month cost nothing on the built-in card.
      await text(tenant)
      assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
      await template(tenant, CUSTOMER)
      assert.deepEqual(await tenant.balance(), { available: '0.914100', held: '0.000000' })
    })

    it('pays the last price of a wallet to the last micro', async () => {
      const tenant = await world.tenant('0.0859')
      assert.equal((await template(tenant, CUSTOMER)).status, 200)
      assert.deepEqual(await tenant.balance(), { available: '0.000000', held: '0.000000' })
    })
  })

  describe('that refuses', () => {
    it('names each missing parameter in the order of the contract', async () => {
      const tenant = await world.tenant()
      const answer = await tenant.ask('POST', TEXT, { json: {} })
      refused(answer, 400, 'missing_parameters')
      assert.equal(answer.json['message'], 'Missing required parameters: to, text')
    })

    it('refuses in the order 401, 400 for the request, 400 for the window, 402', async () => {
      const poor = await world.tenant('0')
      refused(await poor.ask('POST', TEXT, { json: {}, headers: { Authorization: 'Bearer pst_no_key' } }), 401, 'unauthenticated')
      refused(await poor.ask('POST', TEXT, { json: { to: '+33', text: 'Hello' } }), 400, 'invalid_phone_number')
      refused(await text(poor), 400, 'window_closed')
      await poor.customerWrites(CUSTOMER)
      refused(await template(poor, CUSTOMER), 402, 'insufficient_balance')
    })

    it('refuses a text one day after the customer wrote', async () => {
      const tenant = await world.tenant()
      await tenant.customerWrites(CUSTOMER, Date.now() - 24 * 3_600_000)
      const answer = await text(tenant)
      refused(answer, 400, 'window_closed')
      assert.isNull(answer.headers.get('Postern-Message'))
    })

    it('says what an uncovered price is short of, and sends nothing', async () => {
      const tenant = await world.tenant('0.08')
      const answer = await template(tenant, CUSTOMER)
      refused(answer, 402, 'insufficient_balance')
      assert.deepInclude(answer.json, {
        required: '0.085900', available: '0.080000', held: '0.000000', shortfall: '0.005900', currency: 'USD',
      })
      assert.lengthOf(arrived(answer), 0)
    })

    it('refuses a revoked key on its very next request', async () => {
      const tenant = await world.tenant()
      assert.equal((await tenant.ask('GET', '/v1/wallet')).status, 200)
      await world.storage.keyStore.revoke(tenant.keyId, Date.now())
      refused(await tenant.ask('GET', '/v1/wallet'), 401, 'unauthenticated')
    })

    it("passes the platform's refusal on whole and releases the price", async () => {
      const tenant = await world.tenant()
      const answer = await template(tenant, REJECTS)
      refused(answer, 400, 'platform_rejected')
      assert.deepInclude(answer.json['platform_error'] as object, { code: 131026 })
      assert.deepEqual(await tenant.balance(), { available: '10.000000', held: '0.000000' })
    })

    it('answers 429 if the platform throttles, and 502 if it refuses the credentials', async () => {
      const tenant = await world.tenant()
      refused(await template(tenant, THROTTLES), 429, 'platform_throttled')
      refused(await template(tenant, REFUSES_TOKEN), 502, 'platform_credentials')
      assert.deepEqual(await tenant.balance(), { available: '10.000000', held: '0.000000' })
    })

    it('answers 504 if the platform does not answer, and keeps the price on hold', async () => {
      const tenant = await world.tenant()
      const answer = await template(tenant, HANGS)
      refused(answer, 504, 'outcome_unknown')
      assert.include(String(answer.json['message']), answer.headers.get('Postern-Message') ?? 'none')
      assert.equal((await tenant.balance()).held, '0.062500')
    })

    it('answers 503 if the workspace has no sender', async () => {
      const tenant = await world.tenant('10', { sender: false })
      refused(await template(tenant, CUSTOMER), 503, 'sender_not_configured')
      assert.deepEqual(await tenant.balance(), { available: '10.000000', held: '0.000000' })
    })
  })

  describe('with an idempotency key', () => {
    it('gives the first answer again, byte for byte, and charges once', async () => {
      const tenant = await world.tenant('1')
      const first = await template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'order-1' })
      const again = await template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'order-1' })
      assert.equal(again.text, first.text)
      assert.isNull(first.headers.get('Idempotency-Replayed'))
      assert.equal(again.headers.get('Idempotency-Replayed'), 'true')
      assert.deepEqual(await tenant.balance(), { available: '0.914100', held: '0.000000' })
    })

    it('refuses the same key with another request', async () => {
      const tenant = await world.tenant()
      await template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'order-2' })
      refused(await template(tenant, CUSTOMER, { language: 'en_US' }, { 'Idempotency-Key': 'order-2' }), 422, 'idempotency_key_reused')
    })

    it('makes a fresh attempt after a refusal', async () => {
      const tenant = await world.tenant('0')
      refused(await template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'order-3' }), 402, 'insufficient_balance')
      await world.storage.ledger.topUp({ workspace: tenant.id, micros: 1_000_000n, reference: 'later', at: Date.now() })
      assert.equal((await template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'order-3' })).status, 200)
    })

    it('sends one message however many callers race', async () => {
      const tenant = await world.tenant('1')
      const answers = await Promise.all(Array.from({ length: 10 }, () => template(tenant, CUSTOMER, {}, { 'Idempotency-Key': 'race' })))
      assert.lengthOf(new Set(answers.filter(({ status }) => status === 200).map(({ text: body }) => body)), 1)
      assert.isTrue(answers.every(({ status }) => status === 200 || status === 409))
      assert.deepEqual(await tenant.balance(), { available: '0.914100', held: '0.000000' })
    })
  })

  describe("on the platform's side", () => {
    it('opens a window when the customer writes, so that a text may be sent', async () => {
      const tenant = await world.tenant()
      await template(tenant, CUSTOMER)
      refused(await text(tenant), 400, 'window_closed')
      world.simulator.writeAs(CUSTOMER, { text: 'Hello?' })
      await world.simulator.idle()
      assert.equal((await text(tenant)).status, 200)
    })

    it('refunds the price of a message that the platform failed to deliver', async () => {
      const tenant = await world.tenant('1')
      const answer = await template(tenant, '15550100026')
      assert.equal(answer.status, 200)
      await world.simulator.idle()
      const message = await tenant.ask('GET', `/v1/messages/${answer.headers.get('Postern-Message') ?? ''}`)
      assert.deepInclude(message.json, { state: 'failed', platform_id: answer.json['message_id'] })
      assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
    })
  })

  describe('that is read', () => {
    it("shows a message to its workspace by either id, and to no other", async () => {
      const [tenant, other] = [await world.tenant(), await world.tenant()]
      const sent = await template(tenant, CUSTOMER)
      const id = sent.headers.get('Postern-Message') ?? ''
      const wamid = encodeURIComponent(String(sent.json['message_id']))
      for (const name of [id, wamid]) {
        assert.deepInclude((await tenant.ask('GET', `/v1/messages/${name}`)).json, {
          id, kind: 'template', to: CUSTOMER, price: '0.085900',
        })
        refused(await other.ask('GET', `/v1/messages/${name}`), 404, 'not_found')
      }
    })

    it('lists messages and entries newest first, page after page', async () => {
      const tenant = await world.tenant()
      for (let n = 0; n < 3; n += 1) await template(tenant, CUSTOMER)
      const first = await tenant.ask('GET', '/v1/messages?limit=2')
      const rest = await tenant.ask('GET', `/v1/messages?limit=2&cursor=${encodeURIComponent(String(first.json['next_cursor']))}`)
      assert.deepEqual([first, rest].map(({ json }) => (json['messages'] as unknown[]).length), [2, 1])
      assert.isNull(rest.json['next_cursor'])
      const { json } = await tenant.ask('GET', '/v1/wallet/entries')
      assert.deepEqual((json['entries'] as Array<{ kind: string }>).map(({ kind }) => kind), [
        'capture', 'hold', 'capture', 'hold', 'capture', 'hold', 'top_up',
      ])
    })
  })

  describe('that is operated', () => {
    it('says that it is alive and ready, and counts what it did', async () => {
      const tenant = await world.tenant()
      await template(tenant, CUSTOMER)
      for (const path of ['/health/live', '/health/ready']) assert.equal((await tenant.ask('GET', path)).status, 200)
      const metrics = (await tenant.ask('GET', '/metrics')).text
      assert.match(metrics, /postern_requests_total\{method="POST",route="\/v1\/messages\/send-template",status="200"\} [1-9]/)
      assert.match(metrics, /postern_platform_sends_total\{outcome="accepted"\} [1-9]/)
      assert.match(metrics, /postern_reports_total\{receipt="message_moved"\} [1-9]/)
      assert.match(metrics, /postern_settlements_pending 0/)
    })

    it('counts refused requests by the code of the reply', async () => {
      const tenant = await world.tenant('0')
      const counted = async (): Promise<number> => {
        const metrics = (await tenant.ask('GET', '/metrics')).text
        const [, count = '0'] = /postern_request_failures_total\{route="\/api\/v1\/messages\/send-template",code="insufficient_balance"\} (\d+)/.exec(
          metrics,
        )
          ?? []
        return Number(count)
      }
      assert.equal(await counted(), 0)
      refused(
        await tenant.ask('POST', '/api/v1/messages/send-template', { json: { to: CUSTOMER, template_name: 'hello_world' } }), 402,
        'insufficient_balance',
      )
      assert.equal(await counted(), 1)
    })

    it('keeps exact books through all of it', async () => {
      const audit = await world.storage.ledger.audit()
      assert.deepInclude(audit, { _tag: 'Right' })
      assert.deepEqual(audit._tag === 'Right' ? audit.right.broken : [], [])
    })
  })
})

describe('The gateway with a rate limit', () => {
  let world: InProcessFixture
  before(async () => { world = await startInProcessFixture({ RATE_LIMIT_PER_SECOND: '2' }) })
  after(() => world[Symbol.asyncDispose]())

  it('answers 429 with Retry-After to a workspace that asks more often than that for ten seconds, and lets others pass', async () => {
    const [eager, other] = [await world.tenant(), await world.tenant()]
    const answers = await Promise.all(Array.from({ length: 21 }, () => eager.ask('GET', '/v1/wallet')))
    const limited = answers.find(({ status }) => status === 429)
    assert.equal(limited?.json['code'], 'rate_limited')
    assert.match(limited?.headers.get('Retry-After') ?? '', /^[1-9][0-9]*$/)
    assert.lengthOf(answers.filter(({ status }) => status === 200), 20)
    assert.equal((await other.ask('GET', '/v1/wallet')).status, 200)
  })
})

describe('The gateway on a platform that cannot be reached', () => {
  let world: InProcessFixture
  before(async () => { world = await startInProcessFixture({ PLATFORM_URL: 'http://127.0.0.1:1' }) })
  after(() => world[Symbol.asyncDispose]())

  it('answers 503 and charges nothing', async () => {
    const tenant = await world.tenant()
    const answer = await tenant.ask('POST', TEMPLATE, { json: { to: CUSTOMER, template_name: 'hello_world' } })
    assert.equal(answer.status, 503)
    assert.equal(answer.json['code'], 'platform_unreachable')
    assert.deepEqual(await tenant.balance(), { available: '10.000000', held: '0.000000' })
  })
})
