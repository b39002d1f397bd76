import { assert } from 'chai'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import { CUSTOMER, gateway, NOON, TEXT_PRICE } from '../gateway.js'
import { refusal } from '../refusal.js'

const BODY = { to: CUSTOMER, text: 'Your parcel is on its way' }

describe('send-text over HTTP', () => {
  it('answers 504 with the id of the message if the platform throws', async () => {
    await using gw = await gateway({ platform: { send: () => { throw new Error('a defect of the adapter') } } })
    const { status, json, headers } = await gw.post('/v1/messages/send-text', { to: CUSTOMER, text: 'Hello' })
    assert.deepInclude(json, { code: 'outcome_unknown' })
    assert.equal(status, 504)
    assert.match(headers.get('postern-message') ?? '', /^msg_[0-9a-f]{32}$/)
  })

  for (const base of ['/v1', '/api/v1']) {
    it(`answers at ${base}/messages/send-text`, async () => {
      await using gw = await gateway()
      const { status, json } = await gw.post(`${base}/messages/send-text`, BODY)
      assert.equal(status, 200)
      assert.hasAllKeys(json, ['status', 'message_id'])
    })
  }

  it('answers a success with status and message_id, these two and no other', async () => {
    await using gw = await gateway()
    const { text, headers } = await gw.sendText(BODY)
    assert.match(text, /^\{"status":"success","message_id":"wamid\.[^"]+"\}$/)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  })

  it('names the message it opened in Postern-Message', async () => {
    await using gw = await gateway()
    const { headers } = await gw.sendText(BODY)
    assert.match(headers.get('postern-message') ?? '', /^msg_[0-9a-f]{32}$/)
    assert.equal(gw.sent[0]?.id, headers.get('postern-message'))
  })

  it('sends the text to the platform once, unchanged, and charges its price', async () => {
    await using gw = await gateway({ balance: '1' })
    await gw.sendText({ to: CUSTOMER, text: ' Olá, 🚚\u0000 \ufffd ' })
    assert.deepEqual(gw.messages(), [{ _tag: 'Text', to: CUSTOMER, text: ' Olá, 🚚\u0000 \ufffd ' }])
    assert.deepEqual(await gw.books(), { available: '0.992300', held: '0.000000' })
  })

  it('takes multipart/form-data', async () => {
    await using gw = await gateway()
    const body = new FormData()
    body.set('to', CUSTOMER)
    body.set('text', 'Olá, 🚚')
    assert.equal((await gw.request('/v1/messages/send-text', { method: 'POST', body })).status, 200)
    assert.deepInclude(gw.messages()[0], { to: CUSTOMER, text: 'Olá, 🚚' })
  })

  it('takes application/x-www-form-urlencoded', async () => {
    await using gw = await gateway()
    const body = new URLSearchParams({ to: CUSTOMER, text: 'Olá, 🚚 a+b=c&d' })
    assert.equal((await gw.request('/v1/messages/send-text', { method: 'POST', body })).status, 200)
    assert.deepInclude(gw.messages()[0], { to: CUSTOMER, text: 'Olá, 🚚 a+b=c&d' })
  })

  it('ignores unknown fields of a body', async () => {
    await using gw = await gateway()
    assert.equal(
      (await gw.sendText({ ...BODY, campaign: 7, constructor: {}, toString: 1, '"text': 'x', hasOwnProperty: null })).status, 200,
    )
  })

  it('takes a text of 1 and of 4096 characters, and refuses one of 4097', async () => {
    await using gw = await gateway()
    assert.equal((await gw.sendText({ ...BODY, text: 'x' })).status, 200)
    assert.equal((await gw.sendText({ ...BODY, text: 'x'.repeat(4096) })).status, 200)
    const { status, json } = await gw.sendText({ ...BODY, text: 'x'.repeat(4097) })
    assert.equal(status, 400)
    assert.deepEqual(json, refusal('invalid_parameter', 'text must be a string of 1 to 4096 characters'))
  })

  it('counts the characters of a text in UTF-16 units', async () => {
    await using gw = await gateway()
    assert.equal((await gw.sendText({ ...BODY, text: '🚚'.repeat(2048) })).status, 200)
    assert.equal((await gw.sendText({ ...BODY, text: '🚚'.repeat(2049) })).status, 400)
  })

  it('takes numbers of 7 to 15 digits only, that do not begin with 0', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    for (const to of ['1234567', '123456789012345']) {
      assert.deepInclude((await gw.sendText({ ...BODY, to })).json, { code: 'window_closed' })
    }
    const broken = [
      '123456', '1234567890123456', '0123456789', `+${CUSTOMER}`, '55 11987654321', '55-11987654321', '٥٥١١٩٨٧٦٥٤٣٢١', 'abc1234567',
      `${CUSTOMER}\n`,
    ]
    for (const to of broken) {
      const { status, json } = await gw.sendText({ ...BODY, to })
      assert.equal(status, 400, to)
      assert.deepInclude(json, { code: 'invalid_phone_number' }, to)
    }
    assert.isEmpty(gw.sent)
  })

  it('says which number was meant if only the way of writing it is wrong', async () => {
    await using gw = await gateway()
    for (const to of [`+${CUSTOMER}`, '55 (11) 98765-4321']) {
      assert.match(
        ((await gw.sendText({ ...BODY, to })).json as { readonly message: string }).message,
        /without \+ and without separators, or a user id .*\. Write 5511987654321$/, to,
      )
    }
    assert.notInclude((await gw.sendText({ ...BODY, to: '123' })).text, 'Write')
    assert.notInclude(gw.log.join(), CUSTOMER)
  })

  it('sends one millisecond before the window closes, and refuses when it does', async () => {
    await using gw = await gateway({ lastInbound: NOON - 24 * HOUR_MS + 1 })
    assert.equal((await gw.sendText(BODY)).status, 200)
    gw.passes(1)
    const { status, json } = await gw.sendText(BODY)
    assert.equal(status, 400)
    assert.deepEqual(json, refusal('window_closed', 'The customer service window closed at 2026-03-01T12:00:00.001Z; send a template instead'))
    assert.lengthOf(gw.sent, 1)
  })

  it('says so if the customer never wrote', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const { status, json } = await gw.sendText(BODY)
    assert.equal(status, 400)
    assert.deepInclude(json, { code: 'window_closed' })
    assert.match((json as { message: string }).message, /never wrote/)
    assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
  })

  it('succeeds if the balance equals the price, and leaves zero', async () => {
    await using gw = await gateway({ balance: TEXT_PRICE })
    assert.equal((await gw.sendText(BODY)).status, 200)
    assert.deepEqual(await gw.books(), { available: '0.000000', held: '0.000000' })
  })
})
