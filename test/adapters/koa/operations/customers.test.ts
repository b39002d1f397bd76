import { createServer } from 'node:http'
import { assert } from 'chai'
import { type HttpRequest, makeCloudApi } from '../../../../adapters/cloud-api/index.js'
import type { CustomerFact, CustomerId, PhoneNumber, UserId } from '../../../../core/customers/customer.js'
import { alwaysOpen } from '../../../../core/customers/window.js'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import { rightOf } from '../../../support/right-of.js'
import { type Answered, CUSTOMER, gateway, type Gateway, NOON, TEMPLATE_PRICE, TEXT_PRICE, type World } from '../gateway.js'
import { refusal } from '../refusal.js'
import { makeHttpApp } from '../../../../adapters/koa/index.js'
import { makeApi } from '../../../../core/api.js'
import { listening } from '../../../support/listening.js'

const USER_ID = 'DE.13491208655302741918' as UserId
const OTHER_USER_ID = 'DE.99999999999999999999' as UserId
const NUMBER = '4915123456789' as PhoneNumber
const OTHER_NUMBER = '4917000000001' as PhoneNumber
const NEVER = { open: false, last_inbound_at: null, closes_at: null }
const SINCE_NOON = { open: true, last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z' }

/** The window of a customer at the only sender of a workspace, as a list. */
const atSender = ({ phoneNumberId }: Gateway, window: object) => [{ phone_number_id: phoneNumberId, ...window }]

const windows = (gw: Gateway, window: object) => ({ ...window, senders: atSender(gw, window) })

const NOTHING = { status: 'unknown', since: null, source: null, note: null }

const withWindows = (gw: Gateway, window: object) =>
  ({ window, windows: atSender(gw, window), consent: { marketing: NOTHING, all: NOTHING } })

const learn = async (gw: Gateway, id: CustomerId, fact: CustomerFact): Promise<void> =>
  rightOf(await gw.storage.customers.learn(gw.workspace, id, fact))

const pair = async (gw: Gateway, phoneNumber: PhoneNumber, userId: UserId, at = NOON): Promise<void> => {
  await learn(gw, phoneNumber, { _tag: 'Paired', other: userId, at })
  await learn(gw, userId, { _tag: 'Paired', other: phoneNumber, at })
}

/** A message of a customer, as the platform reports it. */
const writes = async (
  gw: Gateway,
  customer: { readonly phoneNumber?: PhoneNumber; readonly userId?: UserId; readonly name?: string; readonly username?: string }, at = NOON,
) =>
  void rightOf(await gw.receive([{ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer, at }]))

const idsOf = ({ json }: Answered): ReadonlyArray<string> =>
  (json as { messages: ReadonlyArray<{ id: string }> }).messages.map(({ id }) => id)
const idOf = ({ headers }: Answered): string => headers.get('postern-message') ?? 'no id'

/** A gateway whose platform is the Cloud API, with the bodies that reach it. */
const onTheWire = async (world: World = {}) => {
  const bodies: Array<Readonly<Record<string, unknown>>> = []
  const transport = async ({ body = '{}' }: HttpRequest) => {
    bodies.push(JSON.parse(body) as Readonly<Record<string, unknown>>)
    return { _tag: 'Answered' as const, status: 200, headers: {}, body: JSON.stringify({ messages: [{ id: `wamid.${bodies.length}` }] }) }
  }
  const platform = makeCloudApi({ baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: 1_000, transport })
  return { gw: await gateway({ lastInbound: undefined, platform, ...world }), bodies }
}

/** Texts that are neither a number nor a user id, in whatever form of a number. */
const BAD_IDS = [
  'de.13491208655302741918', 'De.134', 'DE.', 'DE', '.134', 'D.134', 'DEU.134', 'DE.ent.134', 'DE.ENT.', `DE.${'7'.repeat(129)}`,
  `DE.ENT.${'7'.repeat(129)}`, 'DE.1.2', 'DE-134', 'DE.134 ', ' DE.134', 'DE.134\n', '+DE.134', 'DE.1é4', 'DE.١٢٣', 'ДЕ.134', 'DE.１３４',
  'DE.134\u0000', "DE.1'--", 'DE.1%', '4915.x', '٤٩١٥١٢٣٤٥٦٧٨٩',
]

describe('customers over HTTP', () => {
  for (const [path, body] of [['send-text', { text: 'hello' }], ['send-template', { template_name: 't' }]] as const) {
    it(`${path} refuses a to that is neither a number nor a user id, and says both forms`, async () => {
      await using gw = await gateway()
      for (const to of BAD_IDS) {
        const { status, json } = await gw.post(`/v1/messages/${path}`, { to, ...body })
        assert.equal(status, 400, to)
        assert.deepInclude(json, { code: 'invalid_phone_number' }, to)
        assert.match((json as { message: string }).message, /^to must be 7 to 15 digits, .* or a user id of the platform/)
      }
      assert.isEmpty(gw.sent)
      assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
    })
  }

  it('a number with a dot is refused by send-text, and accepted as written by send-template', async () => {
    await using gw = await gateway()
    assert.deepInclude((await gw.sendText({ to: '49.15123456789', text: 'hello' })).json, { code: 'invalid_phone_number' })
    assert.equal((await gw.sendTemplate({ to: '49.15123456789', template_name: 't' })).status, 200)
    assert.deepEqual(gw.messages().map(({ to }) => to), [NUMBER])
  })

  it('windows, customers and messages refuse the same ids in an address', async () => {
    await using gw = await gateway()
    for (const to of BAD_IDS) {
      for (const path of [
        `windows/${encodeURIComponent(to)}`, `customers/${encodeURIComponent(to)}`, `messages?to=${encodeURIComponent(to)}`,
      ]) {
        const { status, json } = await gw.get(`/v1/${path}`)
        assert.deepEqual([status, (json as { code: string }).code], [400, 'invalid_phone_number'], path)
      }
    }
  })

  it('a user id of 128 characters, with a parent prefix, is sent to as it is written', async () => {
    const { gw, bodies } = await onTheWire()
    await using _ = gw
    const longest = [`DE.${'aZ'.repeat(64)}`, `US.ENT.${'7'.repeat(128)}`]
    for (const to of longest) assert.equal((await gw.sendTemplate({ to, template_name: 't' })).status, 200)
    assert.deepEqual(bodies.map(({ recipient }) => recipient), longest)
  })

  it('a message to a user id alone goes out in recipient, and in no to', async () => {
    const { gw, bodies } = await onTheWire()
    await using _ = gw
    await writes(gw, { userId: USER_ID })
    const sent = await gw.sendText({ to: USER_ID, text: 'hello' })
    assert.equal(sent.status, 200)
    assert.equal(bodies[0]?.['recipient'], USER_ID)
    assert.notProperty(bodies[0], 'to')
    assert.deepInclude((await gw.get(`/v1/messages/${idOf(sent)}`)).json, { to: USER_ID, price: TEXT_PRICE, state: 'accepted' })
  })

  it('a message to a user id whose number is known goes out to the number, and is shown as it was asked for', async () => {
    const { gw, bodies } = await onTheWire()
    await using _ = gw
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID })
    const sent = await gw.sendText({ to: USER_ID, text: 'hello' })
    assert.equal(bodies[0]?.['to'], `+${NUMBER}`)
    assert.notProperty(bodies[0], 'recipient')
    assert.deepInclude((await gw.get(`/v1/messages/${idOf(sent)}`)).json, { to: USER_ID })
  })

  it('a message to a user id is sent in recipient again once another person has the number', async () => {
    const { gw, bodies } = await onTheWire()
    await using _ = gw
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID })
    await writes(gw, { phoneNumber: NUMBER, userId: OTHER_USER_ID }, NOON + 1)
    await gw.sendText({ to: USER_ID, text: 'hello' })
    assert.deepEqual(bodies.map(({ to, recipient }) => [to, recipient]), [[undefined, USER_ID]])
  })

  it('a user id is priced by the market of its country, and by that of the number if it is known', async () => {
    await using gw = await gateway({ card: { markets: new Map([['49', { marketing: 50_000n }], ['55', { marketing: 90_000n }]]) } })
    const priceTo = async (to: string): Promise<unknown> =>
      ((await gw.get(`/v1/messages/${idOf(await gw.sendTemplate({ to, template_name: 't' }))}`)).json as { price: string }).price
    assert.equal(await priceTo('DE.134'), '0.050000')
    assert.equal(await priceTo('BR.ENT.134'), '0.090000')
    for (const to of ['US.134', 'ZZ.134']) assert.equal(await priceTo(to), TEMPLATE_PRICE)
    await pair(gw, NUMBER, 'BR.135' as UserId)
    assert.equal(await priceTo('BR.135'), '0.050000')
  })

  it('a repeated request to a user id gets the first answer again, though the number was learned in between', async () => {
    const { gw, bodies } = await onTheWire()
    await using _ = gw
    await writes(gw, { userId: USER_ID })
    const keyed = { 'Idempotency-Key': 'order 1742' }
    const first = await gw.sendText({ to: USER_ID, text: 'hello' }, keyed)
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID }, NOON + 1)
    const again = await gw.sendText({ to: USER_ID, text: 'hello' }, keyed)
    assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [200, first.text, 'true'])
    assert.lengthOf(bodies, 1)
    assert.deepInclude((await gw.sendText({ to: NUMBER, text: 'hello' }, keyed)).json, { code: 'idempotency_key_reused' })
  })

  it('a marketing template to a customer who stopped them is refused before money is held, under either id', async () => {
    await using gw = await gateway()
    await pair(gw, NUMBER, USER_ID)
    await learn(gw, USER_ID, { _tag: 'MarketingStopped', at: NOON })
    for (const to of [NUMBER, USER_ID]) {
      const { status, json, headers } = await gw.sendTemplate({ to, template_name: 't' })
      assert.equal(status, 400)
      assert.deepEqual(json, refusal('customer_opted_out', 'This customer stopped marketing messages'))
      assert.isNull(headers.get('postern-message'))
    }
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
    await writes(gw, { userId: USER_ID })
    assert.equal((await gw.sendText({ to: USER_ID, text: 'hello' })).status, 200)
    await learn(gw, USER_ID, { _tag: 'MarketingResumed', at: NOON + 1 })
    assert.equal((await gw.sendTemplate({ to: NUMBER, template_name: 't' })).status, 200)
  })

  it('a utility template reaches a customer who stopped marketing messages', async () => {
    await using gw = await gateway({ card: { templateCategory: 'utility' } })
    await learn(gw, NUMBER, { _tag: 'MarketingStopped', at: NOON })
    assert.equal((await gw.sendTemplate({ to: NUMBER, template_name: 't' })).status, 200)
  })

  it('an authentication template to a user id alone is refused with a sentence, and sent if the number is known', async () => {
    await using gw = await gateway({ card: { templateCategory: 'authentication' } })
    const refused = await gw.sendTemplate({ to: USER_ID, template_name: 'code' })
    assert.equal(refused.status, 400)
    assert.deepInclude(refused.json, { code: 'invalid_phone_number' })
    assert.match((refused.json as { message: string }).message, /^An authentication template needs a phone number.*131062/)
    assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
    await pair(gw, NUMBER, USER_ID)
    assert.equal((await gw.sendTemplate({ to: USER_ID, template_name: 'code' })).status, 200)
    assert.deepEqual(gw.messages().map(({ to }) => to), [NUMBER])
  })

  it('a template whose rate is a special one is refused as others of its category are', async () => {
    for (const [templateCategory, code] of [
      ['authentication_international', 'invalid_phone_number'],
      ['marketing_lite', 'customer_opted_out'],
    ] as const) {
      const prices = { service: 1n, marketing: 1n, utility: 1n, authentication: 1n, [templateCategory]: 2n }
      await using gw = await gateway({ card: { templateCategory, default: prices } })
      await learn(gw, USER_ID, { _tag: 'MarketingStopped', at: NOON })
      const refused = await gw.sendTemplate({ to: USER_ID, template_name: 'code' })
      assert.equal(refused.status, 400)
      assert.deepInclude(refused.json, { code })
    }
  })

  it('/windows/{to} gives the window of a customer under either id, URL-encoded or not', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID })
    for (const id of [USER_ID, USER_ID.replace('.', '%2E'), NUMBER, `%2B${NUMBER}`]) {
      assert.deepEqual((await gw.get(`/v1/windows/${id}`)).json, windows(gw, SINCE_NOON), id)
    }
    for (const id of ['DE.13491208655302741919', 'AT.13491208655302741918']) {
      assert.deepEqual((await gw.get(`/v1/windows/${id}`)).json, windows(gw, NEVER), id)
    }
  })

  it('a user id is compared with letter case', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { userId: 'DE.aBc' as UserId })
    assert.deepEqual((await gw.get('/v1/windows/DE.aBc')).json, windows(gw, SINCE_NOON))
    assert.deepEqual((await gw.get('/v1/windows/DE.abc')).json, windows(gw, NEVER))
    assert.equal((await gw.get('/v1/customers/DE.ABC')).status, 404)
  })

  it('/messages?to= finds what was sent under either id, and under every variant of the number', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const [brazil, reported, userId] = [CUSTOMER, '551187654321' as PhoneNumber, 'BR.134' as UserId]
    const before = idOf(await gw.sendTemplate({ to: brazil, template_name: 't' }))
    gw.passes(1)
    await writes(gw, { phoneNumber: reported, userId })
    const after = idOf(await gw.sendTemplate({ to: userId, template_name: 't' }))
    await gw.sendTemplate({ to: NUMBER, template_name: 't' })
    for (const to of [brazil, reported, userId]) assert.deepEqual(idsOf(await gw.get(`/v1/messages?to=${to}`)), [after, before], to)
    assert.deepEqual(idsOf(await gw.get('/v1/messages?to=BR.135')), [])
  })

  it('/messages?to= of a user id leaves out what was sent to its number while another person had it', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await pair(gw, NUMBER, OTHER_USER_ID, NOON - HOUR_MS)
    const before = idOf(await gw.sendTemplate({ to: NUMBER, template_name: 't' }))
    gw.passes(2)
    await pair(gw, NUMBER, USER_ID, NOON + 1)
    const after = idOf(await gw.sendTemplate({ to: NUMBER, template_name: 't' }))
    assert.deepEqual(idsOf(await gw.get(`/v1/messages?to=${USER_ID}`)), [after])
    assert.deepEqual(idsOf(await gw.get(`/v1/messages?to=${NUMBER}`)), [after, before])
  })
})

describe('/customers/{to}', () => {
  it('gives the ids, the names and the window of a customer, under either id', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID, name: 'Ada', username: 'ada.l' })
    const found = JSON.stringify({ phone_number: NUMBER, user_id: USER_ID, username: 'ada.l', name: 'Ada', ...withWindows(gw, SINCE_NOON) })
    for (const id of [USER_ID, NUMBER, encodeURIComponent(`+49 151 234-567.89`)]) {
      const { status, text } = await gw.get(`/v1/customers/${id}`)
      assert.deepEqual([status, text], [200, found], id)
      assert.equal((await gw.get(`/api/v1/customers/${id}`)).text, found)
    }
  })

  it('gives null for what is not known', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { userId: USER_ID })
    await writes(gw, { phoneNumber: NUMBER })
    await learn(gw, OTHER_USER_ID, { _tag: 'Named', username: 'ben', at: NOON })
    const unknown = { phone_number: null, user_id: null, username: null, name: null }
    assert.deepEqual((await gw.get(`/v1/customers/${USER_ID}`)).json, { ...unknown, user_id: USER_ID, ...withWindows(gw, SINCE_NOON) })
    assert.deepEqual((await gw.get(`/v1/customers/${NUMBER}`)).json, {
      ...unknown, phone_number: NUMBER, ...withWindows(gw, SINCE_NOON),
    })
    assert.deepEqual((await gw.get(`/v1/customers/${OTHER_USER_ID}`)).json, {
      ...unknown, user_id: OTHER_USER_ID, username: 'ben', ...withWindows(gw, NEVER),
    })
  })

  it('shows a number as the platform reported it, whichever variant is asked for', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const reported = '551187654321' as PhoneNumber
    await writes(gw, { phoneNumber: reported, userId: USER_ID })
    for (const id of [CUSTOMER, reported, USER_ID]) {
      assert.deepInclude((await gw.get(`/v1/customers/${id}`)).json, { phone_number: reported }, id)
    }
  })

  it('answers 404 if nothing is known of the customer, and for a customer of another workspace', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { phoneNumber: NUMBER, userId: USER_ID, name: 'Ada' })
    const { key } = await gw.addWorkspace()
    for (const id of [USER_ID, NUMBER]) {
      assert.equal((await gw.get(`/v1/customers/${id}`)).status, 200)
      const { status, json } = await gw.get(`/v1/customers/${id}`, { Authorization: `Bearer ${key}` })
      assert.equal(status, 404)
      assert.deepInclude(json, { code: 'not_found' })
    }
    for (const id of [OTHER_USER_ID, OTHER_NUMBER]) assert.equal((await gw.get(`/v1/customers/${id}`)).status, 404)
  })

  it('shows nothing of the person who had the number before', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    await writes(gw, { phoneNumber: NUMBER, name: 'Ada', username: 'ada.l' }, NOON - HOUR_MS)
    await pair(gw, NUMBER, USER_ID, NOON - HOUR_MS + 1)
    await pair(gw, NUMBER, OTHER_USER_ID, NOON)
    const unnamed = { username: null, name: null, ...withWindows(gw, NEVER) }
    assert.deepEqual((await gw.get(`/v1/customers/${NUMBER}`)).json, { phone_number: NUMBER, user_id: OTHER_USER_ID, ...unnamed })
    assert.deepEqual((await gw.get(`/v1/customers/${USER_ID}`)).json, { phone_number: null, user_id: USER_ID, ...unnamed })
  })

  it('knows a customer by the window alone if the app keeps no customers', async () => {
    await using gw = await gateway()
    const { keyStore, messageLog, ledger, windowClock } = gw.storage
    const postern = makeApi({ keyStore, messageLog, ledger, windowClock: { ...windowClock, now: () => NOON } }, gw.deps.postern.sending)
    const handle = makeHttpApp({ postern }).callback()
    await using server = await listening(createServer((req, res) => void handle(req, res)))
    const shown = (id: string) => fetch(`${server.url}/v1/customers/${id}`, { headers: { Authorization: `Bearer ${gw.key}` } })
    const window = { open: true, last_inbound_at: '2026-03-01T11:00:00.000Z', closes_at: '2026-03-02T11:00:00.000Z' }
    assert.deepEqual(await (await shown(CUSTOMER)).json(), {
      phone_number: CUSTOMER, user_id: null, username: null, name: null, window, windows: [],
      consent: { marketing: NOTHING, all: NOTHING },
    })
    assert.equal((await shown(USER_ID)).status, 404)
  })

  it('are written to at any time on a network without a window, and the window, the customer, the quote and the send agree', async () => {
    await using gw = await gateway({ lastInbound: NOON - 48 * HOUR_MS, windowClockOver: alwaysOpen })
    const window = { open: true, last_inbound_at: '2026-02-27T12:00:00.000Z', closes_at: null }
    assert.deepEqual((await gw.get(`/v1/windows/${CUSTOMER}`)).json, windows(gw, window))
    assert.deepEqual((await gw.get(`/v1/windows/${NUMBER}`)).json, windows(gw, { open: true, last_inbound_at: null, closes_at: null }))
    assert.deepInclude((await gw.get(`/v1/customers/${CUSTOMER}`)).json, { window })
    assert.equal((await gw.get(`/v1/customers/${NUMBER}`)).status, 404)
    const quoted = await gw.post('/v1/quotes/send-text', { to: NUMBER, text: 'hello' })
    assert.deepInclude((quoted.json as { quote: object }).quote, { price: TEXT_PRICE, window: null })
    assert.equal((await gw.post('/v1/messages/send-text', { to: NUMBER, text: 'hello' })).status, 200)
  })
})
