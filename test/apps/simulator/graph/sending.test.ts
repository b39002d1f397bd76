import { assert } from 'chai'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { UNKNOWN_PHONE_NUMBER_ID } from '../../../../apps/simulator/state.js'
import { CUSTOMER, json, PHONE_NUMBER_ID, post, quickSimulator, record, template, text } from '../support.js'

describe('sending through the simulator', () => {
  let simulator: Simulator
  before(async () => { simulator = await quickSimulator({ accessToken: 'right' }) })
  beforeEach(() => simulator.reset())
  after(() => simulator.close())

  const send = (body: object | string, token = 'right', id = PHONE_NUMBER_ID) =>
    post(simulator, body, { authorization: `Bearer ${token}` }, id)

  const assertRefused = async (body: object | string, status: number, code: number, says: RegExp): Promise<void> => {
    const response = await send(body)
    const { error } = await json(response)
    assert.equal(response.status, status)
    assert.equal(Number(error!['code']), code)
    assert.match(`${error!['message']} | ${error!['error_data']?.['details'] ?? ''}`, says)
    assert.deepEqual(simulator.received().map(({ outcome, code: noted }) => [outcome, noted]), [['refused', code]])
  }

  it('accepts a text and answers with the contact and the id', async () => {
    const response = await send(text('+1 555-010-0999'))
    const raw = await response.text()
    const body = JSON.parse(raw)
    assert.equal(response.status, 200)
    assert.deepEqual(Object.keys(body), ['messaging_product', 'contacts', 'messages'])
    assert.deepEqual(body.contacts, [{ input: '+1 555-010-0999', wa_id: CUSTOMER }])
    assert.deepEqual(Object.keys(body.messages[0]), ['id'])
    const [noted] = simulator.received()
    assert.include(noted, {
      outcome: 'accepted', to: CUSTOMER, type: 'text', wamid: body.messages[0].id, callback: 'msg_+1 555-010-0999', text: 'Hello',
    })
  })

  it('says of a template that it was accepted', async () => {
    const { messages } = await json(await send(template(CUSTOMER)))
    assert.equal(messages![0]!['message_status'], 'accepted')
  })

  it('carries the headers of the platform on every reply', async () => {
    const good = await send(text(CUSTOMER))
    const bad = await send(text(CUSTOMER, ''))
    for (const { headers } of [good, bad]) {
      assert.equal(headers.get('facebook-api-version'), 'v25.0')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.isNotEmpty(headers.get('x-fb-trace-id'))
      assert.equal(JSON.parse(headers.get('x-business-use-case-usage') ?? '')[PHONE_NUMBER_ID][0].type, 'whatsapp')
      assert.isNumber(JSON.parse(headers.get('x-app-usage') ?? '').call_count)
    }
    assert.match(bad.headers.get('www-authenticate') ?? '', /^OAuth "Facebook Platform" "invalid_request" "\(#100\)/)
  })

  it('returns the trace of an error in body and header, and escapes slashes', async () => {
    const response = await send(text(CUSTOMER), 'right', UNKNOWN_PHONE_NUMBER_ID)
    const raw = await response.text()
    assert.include(raw, 'https:\\/\\/developers')
    assert.equal(JSON.parse(raw).error.fbtrace_id, response.headers.get('x-fb-trace-id'))
  })

  it('refuses a wrong or missing token with 190, subcode 463, before it looks at anything else', async () => {
    for (const headers of [{ authorization: 'Bearer wrong' }, { authorization: '' }, { authorization: 'Basic right' }]) {
      const response = await post(simulator, 'not even JSON', headers)
      const { error } = await json(response)
      assert.equal(response.status, 401)
      assert.deepInclude(record(error), { code: 190, error_subcode: 463 })
      assert.notProperty(error, 'error_data')
    }
  })

  it('refuses an unknown business number with 100, subcode 33', async () => {
    for (const id of [UNKNOWN_PHONE_NUMBER_ID, 'abc']) {
      const response = await send(text(CUSTOMER), 'right', id)
      const { error } = await json(response)
      assert.equal(response.status, 400)
      assert.deepInclude(record(error), { code: 100, error_subcode: 33, type: 'GraphMethodException' })
      assert.notMatch(error!['message']!, /^\(#/)
    }
  })

  it('knows only the business numbers it was given', async () => {
    const strict = await quickSimulator({ phoneNumberIds: ['77'] })
    try {
      assert.equal((await post(strict, text(CUSTOMER), {}, '77')).status, 200)
      assert.equal((await post(strict, text(CUSTOMER))).status, 400)
    } finally {
      await strict.close()
    }
  })

  it('takes a request without a version in its path', async () => {
    const response = await fetch(`${simulator.url}/${PHONE_NUMBER_ID}/messages`, {
      method: 'POST', body: JSON.stringify(text(CUSTOMER)), headers: { authorization: 'Bearer right' },
    })
    assert.equal(response.status, 200)
  })

  const without = (key: string): object => Object.fromEntries(Object.entries(text(CUSTOMER)).filter(([name]) => name !== key))
  const cases: ReadonlyArray<readonly [title: string, body: object | string, code: number, says: RegExp]> = [
    ['a body that is no JSON', '{"to":', 100, /not a JSON object/],
    ['a body that is no object', '[]', 100, /not a JSON object/],
    ['a missing messaging_product', without('messaging_product'), 100, /messaging_product is required/],
    ['another messaging_product', { ...text(CUSTOMER), messaging_product: 'sms' }, 100, /messaging_product must be one of/],
    ['a missing recipient', without('to'), 100, /parameter to is required/],
    ['a recipient that is no string', { ...text(CUSTOMER), to: 15550100999 }, 100, /to must be a string/],
    ['a recipient that is no number', text('no number'), 131009, /phone number is not valid/],
    ['a group', { ...text(CUSTOMER), recipient_type: 'group' }, 100, /recipient_type/],
    ['a missing type', without('type'), 131008, /type is missing/],
    ['an unsupported type', { ...text(CUSTOMER), type: 'hologram' }, 131051, /Unsupported message type/],
    ['a missing text', without('text'), 131008, /text.body is missing/],
    ['an empty text', text(CUSTOMER, ''), 100, /text\['body'\] is required/],
    ['a text that is no string', { ...text(CUSTOMER), text: { body: 7 } }, 100, /text\['body'\] must be a string/],
    ['a text of 4,097 characters', text(CUSTOMER, 'x'.repeat(4097)), 100, /at most 4096/],
    ['callback data of 513 characters', text(CUSTOMER, 'x', 'x'.repeat(513)), 100, /biz_opaque_callback_data/],
    ['the business\'s own number', text('15550109999'), 131021, /Recipient cannot be sender/],
  ]
  for (const [title, body, code, says] of cases) {
    it(`refuses ${title} with ${code}`, () => assertRefused(body, 400, code, says))
  }

  it('takes a text of 4,096 characters and callback data of 512', async () => {
    assert.equal((await send(text(CUSTOMER, 'x'.repeat(4096), 'y'.repeat(512)))).status, 200)
  })

  it('limits the throughput of a business number, with `throttleStatus`, and reports the usage', async () => {
    simulator.change({ throughput: 0.001 })
    const [first, second] = [await send(text(CUSTOMER)), await send(text(CUSTOMER))]
    assert.deepEqual([first.status, second.status], [200, 429])
    assert.equal(Number((await json(second))['error']!['code']), 130429)
    assert.isAtLeast(JSON.parse(second.headers.get('x-app-usage') ?? '').call_count, 50)
    simulator.change({ throttleStatus: 400 })
    assert.equal((await send(text('15550100429'))).status, 400)
  })

  it('counts the messages of customers for the throughput of their business number, and refuses none of them', async () => {
    simulator.change({ throughput: 0.001 })
    for (const _ of [1, 2]) simulator.writeAs(CUSTOMER, { text: 'hello' }, PHONE_NUMBER_ID)
    assert.equal((await send(text(CUSTOMER))).status, 429)
    assert.lengthOf(simulator.inbound(), 2)
  })

  it('limits what one customer gets to bursts of 45', async () => {
    simulator.change({ pairLimit: true })
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(text(CUSTOMER))))
    const refused = responses.filter(({ status }) => status === 400)
    assert.lengthOf(refused, 5)
    assert.equal(Number((await json(refused[0]!))['error']!['code']), 131056)
    assert.equal((await send(text('15550100998'))).status, 200)
  })

  it('reaches a number of distinct customers outside their windows, if `messagingLimit` is set', async () => {
    simulator.change({ messagingLimit: 1 })
    assert.equal((await send(text(CUSTOMER))).status, 200)
    assert.equal((await send(text(CUSTOMER))).status, 200)
    assert.equal(Number((await json(await send(text('15550100998'))))['error']!['code']), 131048)
  })

  it('reaches only allowed recipients, if there is a list of them', async () => {
    simulator.change({ allowedRecipients: ['15550100998'] })
    assert.equal((await send(text('15550100998'))).status, 200)
    assert.equal(Number((await json(await send(text(CUSTOMER))))['error']!['code']), 131030)
  })

  it('refuses a text outside the window at once if `windows` is refused, but never a template', async () => {
    simulator.change({ windows: 'refused' })
    assert.equal(Number((await json(await send(text(CUSTOMER))))['error']!['code']), 131047)
    assert.equal((await send(template(CUSTOMER))).status, 200)
    simulator.writeAs(CUSTOMER, { text: 'Hello' }, PHONE_NUMBER_ID)
    assert.equal((await send(text(CUSTOMER))).status, 200)
    simulator.reset()
    simulator.change({ windows: 'refused' })
    simulator.writeAs(CUSTOMER, { at: Date.now() - 24 * 3_600_000 }, PHONE_NUMBER_ID)
    assert.equal(Number((await json(await send(text(CUSTOMER))))['error']!['code']), 131047)
  })

  it('answers with the form of the number it knows the customer by', async () => {
    assert.equal((await json(await send(text('+5511987654321'))))['contacts']![0]!['wa_id'], '551187654321')
    simulator.change({ rewriteWaIds: false })
    assert.equal((await json(await send(text('+5511987654321'))))['contacts']![0]!['wa_id'], '5511987654321')
  })
})
