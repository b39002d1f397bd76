import { assert } from 'chai'
import { LEAVE_OUT_TRUNK_ZERO } from '../../../../core/customers/customer.js'
import { CUSTOMER, gateway, TEMPLATE_PRICE } from '../gateway.js'
import { refusal } from '../refusal.js'

const BODY = { to: CUSTOMER, template_name: 'order_update' }

const invalid = (message: string) => refusal('invalid_parameter', message)

describe('send-template over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`answers at ${base}/messages/send-template`, async () => {
      await using gw = await gateway()
      const { status, text } = await gw.post(`${base}/messages/send-template`, BODY)
      assert.equal(status, 200)
      assert.match(text, /^\{"status":"success","message_id":"wamid\.[^"]+"\}$/)
    })
  }

  it('sends whether the window is open or not, and charges the price', async () => {
    await using gw = await gateway({ lastInbound: undefined, balance: TEMPLATE_PRICE })
    assert.equal((await gw.sendTemplate(BODY)).status, 200)
    assert.deepEqual(await gw.books(), { available: '0.000000', held: '0.000000' })
  })

  it('accepts and drops a leading + and separators in to', async () => {
    await using gw = await gateway()
    for (const to of [CUSTOMER, `+${CUSTOMER}`, '+55 (11) 98765-4321', '55.11.98765.4321']) {
      assert.equal((await gw.sendTemplate({ ...BODY, to })).status, 200, to)
    }
    assert.deepEqual(gw.messages().map(({ to }) => to), Array.from({ length: 4 }, () => CUSTOMER))
  })

  it('says to leave (0) out of a number, and sends nothing', async () => {
    await using gw = await gateway()
    for (const send of [gw.sendTemplate, gw.sendText]) {
      const { status, json } = await send({ template_name: BODY.template_name, text: 'Hello', to: '+49 (0) 151 23456789' })
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'invalid_phone_number' })
      assert.include(JSON.stringify(json), LEAVE_OUT_TRUNK_ZERO)
    }
    assert.isEmpty(gw.sent)
  })

  it('uses en if no language is given, and otherwise passes it on exactly as given', async () => {
    await using gw = await gateway()
    await gw.sendTemplate(BODY)
    await gw.sendTemplate({ ...BODY, language: 'pt_BR' })
    await gw.sendTemplate({ ...BODY, language: ' zz-Weird ' })
    assert.deepEqual(gw.messages().map(({ language }) => language), ['en', 'pt_BR', ' zz-Weird '])
  })

  it('refuses a language that is empty, too long or not a string', async () => {
    await using gw = await gateway()
    for (const language of ['', 'x'.repeat(65)]) {
      assert.deepEqual((await gw.sendTemplate({ ...BODY, language })).json, invalid('language must be a string of 1 to 64 characters'))
    }
    for (const language of [7, null, ['en'], { code: 'en' }]) {
      assert.deepEqual((await gw.sendTemplate({ ...BODY, language })).json, invalid('language must be a string'))
    }
    assert.isEmpty(gw.sent)
  })

  it('takes a template_name of 1 to 512 characters without control characters', async () => {
    await using gw = await gateway()
    assert.equal((await gw.sendTemplate({ ...BODY, template_name: 'x'.repeat(512) })).status, 200)
    const long = await gw.sendTemplate({ ...BODY, template_name: 'x'.repeat(513) })
    assert.deepEqual(long.json, invalid('template_name must be a string of 1 to 512 characters'))
    const control = await gw.sendTemplate({ ...BODY, template_name: 'a\u0000b' })
    assert.deepEqual(control.json, invalid('template_name must be without control characters'))
  })

  it('passes components on untouched', async () => {
    await using gw = await gateway()
    const components: unknown = [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.test/a.png', odd: [null, 1.5, { deep: true }] } }] },
      { type: 'body', parameters: [{ type: 'text', text: '', parameter_name: 'who' }, { type: 'currency', currency: { amount_1000: 1 } }] },
      { type: 'button', sub_type: 'url', index: '0', constructor: 'x', '': 0 },
    ]
    assert.equal((await gw.sendTemplate({ ...BODY, components })).status, 200)
    assert.equal(JSON.stringify(gw.messages()[0]?.['components']), JSON.stringify(components))
  })

  it('names the component that breaks a rule, and the rule', async () => {
    await using gw = await gateway()
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      ['body', 'components must be an array of objects'],
      [{}, 'components must be an array of objects'],
      [null, 'components must be an array of objects'],
      [[7], 'components[0] must be an object'],
      [[[]], 'components[0] must be an object'],
      [[{}], 'components[0].type must be a string'],
      [[{ type: 'body', parameters: {} }], 'components[0].parameters must be an array of objects'],
      [[{ type: 'body', parameters: null }], 'components[0].parameters must be an array of objects'],
      [[{ type: 'body' }, { type: 'body', parameters: ['x'] }], 'components[1].parameters[0] must be an object'],
      [[{ type: 'body', parameters: [{ type: 1 }] }], 'components[0].parameters[0].type must be a string'],
      [[{ type: 'body', parameters: [{ type: 'text' }] }], 'components[0].parameters[0].text must be a string'],
      [[{ type: 'body', parameters: [{ type: 'text', text: 5 }] }], 'components[0].parameters[0].text must be a string'],
    ]
    for (const [components, sentence] of cases) {
      assert.deepEqual((await gw.sendTemplate({ ...BODY, components })).json, invalid(sentence))
    }
    assert.isEmpty(gw.sent)
  })

  it('takes 100 components of 256 parameters, and refuses longer lists', async () => {
    await using gw = await gateway()
    const send = (components: number, parameters: number) => gw.sendTemplate({
      ...BODY,
      components: Array.from(
        { length: components },
        (_, n) => ({ type: 'button', ...(n === 0 && { parameters: Array(parameters).fill({ type: 'text', text: '' }) }) }),
      ),
    })
    assert.equal((await send(100, 256)).status, 200)
    assert.deepEqual((await send(101, 1)).json, invalid('components must be an array of at most 100 items, not 101'))
    assert.deepEqual((await send(1, 257)).json, invalid('components[0].parameters must be an array of at most 256 items, not 257'))
  })

  it('names the first wrong component only, however many there are', async () => {
    await using gw = await gateway()
    const { json } = await gw.sendTemplate({ ...BODY, components: [{ type: 'body' }, {}, { parameters: 7 }] })
    assert.deepEqual(json, invalid('components[1].type must be a string'))
  })

  it('takes components nested 100 levels deep, and refuses deeper ones', async () => {
    await using gw = await gateway()
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const send = (levels: number) => gw.request('/v1/messages/send-template', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      // The list of components and the component itself are two levels.
      body: `{"to":"${CUSTOMER}","template_name":"t","components":[{"type":"body","deep":${nested(levels - 2)}}]}`,
    })
    assert.equal((await send(100)).status, 200)
    assert.deepEqual((await send(101)).json, invalid('components must be nested at most 100 levels deep'))
    assert.deepEqual((await send(100_000)).json, invalid('components must be nested at most 100 levels deep'))
  })

  it('takes JSON only', async () => {
    await using gw = await gateway()
    const multipart = new FormData()
    for (const [name, value] of Object.entries(BODY)) multipart.set(name, value)
    for (const body of [new URLSearchParams(BODY), multipart]) {
      const { status, json } = await gw.request('/v1/messages/send-template', { method: 'POST', body })
      assert.equal(status, 415)
      assert.deepEqual(json, refusal('unsupported_media_type', 'The body must be application/json'))
    }
    assert.isEmpty(gw.sent)
  })
})
