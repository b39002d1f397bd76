import { assert } from 'chai'
import { SAMPLES } from '../../../core/content-samples.js'
import { CUSTOMER, gateway } from '../gateway.js'
import { refusal } from '../refusal.js'

const SEND = '/v1/messages/send'
const QUOTE = '/v1/quotes/send'
const IMAGE = { to: CUSTOMER, type: 'image', image: { link: 'https://shop.example/boots.jpg', caption: 'Boots' } }
const QUOTED = { message_id: 'wamid.HBgN' }
const LATER = ['when_closed']
const long = (length: number): string => 'x'.repeat(length)

describe('sending a message of any type over HTTP', () => {
  for (const [name, { type, content }] of Object.entries(SAMPLES)) {
    it(`passes the content on untouched: ${name}`, async () => {
      await using gw = await gateway()
      const { status, json } = await gw.post(SEND, { to: `+${CUSTOMER}`, type, [type]: content, unknown: 'is ignored' })
      assert.deepEqual([status, Object.keys(json as object)], [200, ['status', 'message_id']])
      const { message } = gw.sent[0] ?? assert.fail('nothing was sent')
      assert.deepEqual<unknown>(message, { _tag: 'Content', to: CUSTOMER, type, content })
    })
  }

  it('sends a template as send-template does', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }]
    assert.equal(
      (await gw.post(SEND, {
        to: CUSTOMER, type: 'template', template: { name: 'order_update', language: { code: 'pt_BR' }, components }, context: QUOTED,
      })).status,
      200,
    )
    assert.equal(
      (await gw.post(SEND, {
        to: CUSTOMER, type: 'template', template: { name: 'order_update', language: null, components: null },
      })).status,
      200,
    )
    assert.deepEqual<unknown>(gw.sent.map(({ message }) => message), [
      { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'pt_BR', components, context: QUOTED },
      { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'en' },
    ])
  })

  it('takes what it quotes, and metadata, with every send', async () => {
    await using gw = await gateway()
    const more = {
      context: QUOTED, metadata: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`${n}`.padEnd(40, 'k'), long(500)])),
    }
    for (const [path, body] of [
      [SEND, IMAGE], ['/v1/messages/send-text', { to: CUSTOMER, text: 'Hello' }],
      ['/v1/messages/send-template', { to: CUSTOMER, template_name: 'order_update' }],
    ] as const) assert.equal((await gw.post(path, { ...body, ...more })).status, 200)
    for (const { message: { context, metadata } } of gw.sent) assert.deepEqual<unknown>({ context, metadata }, more)
    assert.lengthOf(gw.sent, 3)
  })

  const refused: ReadonlyArray<readonly [string, object, string, RegExp]> = [
    ['nothing', {}, 'missing_parameters', /: to, type$/],
    ['no object of its type', { ...IMAGE, image: undefined }, 'missing_parameters', /: image$/],
    ['neither a customer nor an object', { type: 'contacts' }, 'missing_parameters', /: to, contacts$/],
    ['an unknown type', { ...IMAGE, type: 'hologram' }, 'invalid_parameter', /^type must be one of text, /],
    ['the name of an inherited property as its type', { ...IMAGE, type: 'toString' }, 'invalid_parameter', /^type must be/],
    ['the object of another type, too', { ...IMAGE, text: { body: 'Hello' } }, 'invalid_parameter', /^text must be left out, because the type is image$/],
    ['a text in the place of the object', { ...IMAGE, image: 'https://shop.example' }, 'invalid_parameter', /^image must be an object$/],
    ...[{}, 'Ann', 7, [], ['Ann'], null].map((contacts) =>
      [`${JSON.stringify(contacts)} as its contacts`, { to: CUSTOMER, type: 'contacts', contacts }, 'content_invalid', /^contacts(?:\[0\])? must be (?:a list of 1 to 257 items|an object)/] as const),
    ['a bad number', { ...IMAGE, to: '12' }, 'invalid_phone_number', /^to must be/],
    ['a context without an id', { ...IMAGE, context: { message_id: 'msg_1' } }, 'invalid_parameter', /^context\.message_id must be/],
    ['a reaction that quotes', { to: CUSTOMER, type: 'reaction', reaction: { message_id: 'wamid.A', emoji: '👍' }, context: QUOTED },
      'invalid_parameter', /^context must be left out of a reaction$/],
    ['a template without a name', { to: CUSTOMER, type: 'template', template: {} }, 'invalid_parameter', /^template\.name must be/],
    ['a language without a code', { to: CUSTOMER, type: 'template', template: { name: 'a', language: 'en' } }, 'invalid_parameter', /^template\.language must be an object or null$/],
    ...[
      { a: 1 }, ['a'], { a: long(501) }, { [long(41)]: 'a' }, { '': 'a' },
      Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'a'])),
    ].map((metadata) =>
      [`the metadata ${JSON.stringify(metadata).slice(0, 30)}`, { ...IMAGE, metadata }, 'invalid_parameter', /^metadata must be an object of at most 16 strings/] as const),
    ...LATER.map((name) =>
      [`${name}, which is for later`, { ...IMAGE, [name]: null }, 'invalid_parameter', new RegExp(`^${name} must be left out: it is not available yet$`)] as const),
  ]
  for (const [what, body, code, message] of refused) {
    it(`refuses ${what}, and its quote does`, async () => {
      await using gw = await gateway({ lastInbound: undefined, balance: '0' })
      for (const path of [SEND, QUOTE]) {
        const { status, json } = await gw.post(path, body)
        const { code: given, message: said } = json as { readonly code: string; readonly message: string }
        assert.deepEqual([status, given], [400, code], path)
        assert.match(said, message)
      }
      assert.isEmpty(gw.sent)
    })
  }

  for (const path of ['messages/send-text', 'messages/send-template', 'quotes/send-text', 'quotes/send-template']) {
    for (const name of LATER) {
      it(`refuses ${name}, which is for later, at ${path}`, async () => {
        await using gw = await gateway()
        const { status, json } = await gw.post(`/v1/${path}`, { to: CUSTOMER, text: 'Hello', template_name: 'a', [name]: 60 })
        const { code, message } = json as { readonly code: string; readonly message: string }
        assert.deepEqual([status, code, message], [400, 'invalid_parameter', `${name} must be left out: it is not available yet`])
        assert.isEmpty(gw.sent)
      })
    }
  }

  it('names every limit that is broken, before the window and the wallet are looked at', async () => {
    await using gw = await gateway({ lastInbound: undefined, balance: '0' })
    const interactive = {
      type: 'button', body: { text: '' }, action: { buttons: [{ type: 'reply', reply: { id: 'a', title: long(25) } }] },
    }
    for (const path of [SEND, QUOTE]) {
      const { status, json } = await gw.post(path, { to: CUSTOMER, type: 'interactive', interactive })
      assert.equal(status, 400)
      assert.deepEqual(
        json, refusal('content_invalid', 'interactive.body.text must be a string of 1 to 1024 characters (given: 0); errors lists 1 more', {
          errors: [
            { path: 'interactive.body.text', rule: 'a string of 1 to 1024 characters', given: 0 },
            { path: 'interactive.action.buttons[0].reply.title', rule: 'a string of 1 to 20 characters', given: 25 },
          ],
        }),
      )
    }
  })

  it('refuses a number that could not be passed on unchanged', async () => {
    await using gw = await gateway()
    const body = JSON.stringify({ ...IMAGE, image: { id: '1', size: 'SIZE' } }).replace('"SIZE"', '12345678901234567890')
    const { json } = await gw.request(SEND, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
    assert.match((json as { readonly message: string }).message, /^image must have no number that would not be passed on exactly, such as 12345678901234567890/)
  })

  it('names the first 100 of very many breaches', async () => {
    await using gw = await gateway()
    const { json } = await gw.post(SEND, { to: CUSTOMER, type: 'contacts', contacts: Array.from({ length: 10_000 }, () => ({})) })
    assert.lengthOf((json as { readonly errors: ReadonlyArray<unknown> }).errors, 100)
  })

  it('is refused for the window, then for the wallet, and what is nested too deep at once', async () => {
    const nested = `{"to":"${CUSTOMER}","type":"flow","interactive":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    await using closed = await gateway({ lastInbound: undefined, balance: '0' })
    assert.deepInclude((await closed.post(SEND, IMAGE)).json, { code: 'window_closed' })
    const { status } = await closed.request(SEND, { method: 'POST', body: nested, headers: { 'Content-Type': 'application/json' } })
    assert.equal(status, 400)
    await using poor = await gateway({ balance: '0' })
    assert.equal((await poor.post(SEND, IMAGE)).status, 402)
    assert.equal((await poor.post(QUOTE, IMAGE)).status, 402)
  })

  it('is sent once under a key, which compares the content, what is quoted and the metadata', async () => {
    await using gw = await gateway()
    const headers = { 'Idempotency-Key': 'a-key' }
    const body = { ...IMAGE, context: QUOTED, metadata: { order: 'A-17' } }
    const { json } = await gw.post(SEND, body, headers)
    const again = await gw.post(SEND, body, headers)
    assert.deepEqual([again.json, again.headers.get('idempotency-replayed')], [json, 'true'])
    for (const other of [{ ...body, image: { id: '1' } }, { ...body, context: undefined }, { ...body, metadata: { order: 'A-18' } }]) {
      assert.equal((await gw.post(SEND, other, headers)).status, 422)
    }
    assert.lengthOf(gw.sent, 1)
  })

  it('quotes what it would cost, with the window of the customer', async () => {
    await using gw = await gateway()
    const { status, json } = await gw.post(QUOTE, IMAGE)
    const { quote } = json as {
      readonly quote: { readonly category: string; readonly window: { readonly open: boolean }; readonly preview: unknown }
    }
    assert.deepEqual([status, quote.category, quote.window.open, quote.preview], [200, 'service', true, null])
    assert.isEmpty(gw.sent)
  })
})
