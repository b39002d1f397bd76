import { assert } from 'chai'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import { body, buttons, give, press, templateOf, text, url } from '../../../core/template-samples.js'
import { rightOf } from '../../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'
import { refusal } from '../refusal.js'
import { withSpendingLimit } from '../with-uses.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const ORDER = templateOf(
  [
    body('Hello {{1}}, your order {{2}} is on its way.'), { type: 'FOOTER', text: 'The shop' },
    buttons(url('https://shop.example/t/{{1}}')),
  ],
  { language: 'pt_BR' },
)
const COMPONENTS = [give('body', text('Ana'), text('1742')), press('url', '0', text('1742'))]
const TEMPLATE = { to: `+${CUSTOMER}`, template_name: 'order_update', language: 'pt_BR', components: COMPONENTS }
const MARKETS = new Map([['55', { utility: 6_800n }]])

const untouched = async (gw: Gateway): Promise<void> => {
  assert.isEmpty(gw.sent)
  assert.deepEqual((await gw.get('/v1/messages')).json, { messages: [], next_cursor: null })
  assert.deepInclude(await gw.books(), { held: '0.000000' })
}

describe('quotes over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`${base}/quotes/send-text gives the price of a text and its window, and sends nothing`, async () => {
      await using gw = await gateway({ balance: '1' })
      const { status, json } = await gw.post(`${base}/quotes/send-text`, TEXT)
      assert.equal(status, 200)
      assert.deepEqual(json, { status: 'success', quote: {
        price: '0.007700', currency: 'USD', category: 'service', market: 'default', available: '1.000000', available_after: '0.992300',
        window: {
          open: true, last_inbound_at: new Date(NOON - HOUR_MS).toISOString(), closes_at: new Date(NOON + 23 * HOUR_MS).toISOString(),
        },
        preview: null,
      } })
      await untouched(gw)
    })

    it(`${base}/quotes/send-template gives the price of a template and what the customer would read, and sends nothing`, async () => {
      await using gw = await gateway({ balance: '1', lastInbound: undefined, templates: [ORDER], card: { markets: MARKETS } })
      const { status, json } = await gw.post(`${base}/quotes/send-template`, TEMPLATE)
      assert.equal(status, 200)
      assert.deepEqual(json, { status: 'success', quote: {
        price: '0.006800', currency: 'USD', category: 'utility', market: '55', available: '1.000000', available_after: '0.993200',
        window: null,
        preview: {
          header: null, body: 'Hello Ana, your order 1742 is on its way.', footer: 'The shop',
          buttons: ['Track it: https://shop.example/t/1742'],
        },
      } })
      await untouched(gw)
    })
  }

  it('quotes a text that comes as a form, as its send takes it', async () => {
    await using gw = await gateway()
    const { status } = await gw.request('/v1/quotes/send-text', { method: 'POST', body: new URLSearchParams(TEXT) })
    assert.equal(status, 200)
  })

  it('has no preview of a template that is not known', async () => {
    await using gw = await gateway()
    assert.deepInclude((await gw.quoteTemplate(TEMPLATE)).json, { status: 'success' })
    assert.propertyVal(((await gw.quoteTemplate(TEMPLATE)).json as { readonly quote: object }).quote, 'preview', null)
  })

  const refused: ReadonlyArray<readonly [string, Parameters<typeof gateway>[0], object, string]> = [
    ['another language', {}, { language: 'pt' }, 'template_not_found'],
    ['another name', {}, { template_name: 'order_updates' }, 'template_not_found'],
    ['a paused template', { templates: [{ ...ORDER, status: 'paused' }] }, {}, 'template_not_approved'],
    ['a parameter too few', {}, { components: [give('body', text('Ana')), press('url', '0', text('1742'))] }, 'template_parameters'],
    ['an empty wallet', { balance: '0' }, {}, 'insufficient_balance'],
    ['a key that has spent its limit of the day', { deps: withSpendingLimit(1n) }, {}, 'spending_limit_reached'],
    ['an empty wallet of such a key', { balance: '0', deps: withSpendingLimit(1n) }, {}, 'insufficient_balance'],
    ['no sender', { sender: false }, {}, 'sender_not_configured'],
    ['a field that breaks its rule', {}, { to: 'x' }, 'invalid_phone_number'],
  ]
  for (const [what, world, change, code] of refused) {
    it(`answers ${what} exactly as the send does, with ${code}`, async () => {
      await using gw = await gateway({ templates: [ORDER], ...world })
      const [quoted, sent] = [await gw.quoteTemplate({ ...TEMPLATE, ...change }), await gw.sendTemplate({ ...TEMPLATE, ...change })]
      assert.deepInclude(quoted.json, { code })
      assert.deepEqual([quoted.status, quoted.text], [sent.status, sent.text])
      assert.isNull(quoted.headers.get('Postern-Message'))
      assert.isEmpty(gw.sent)
    })
  }

  it('answers a closed window exactly as the send does', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const [quoted, sent] = [await gw.quoteText(TEXT), await gw.sendText(TEXT)]
    assert.deepInclude(quoted.json, { code: 'window_closed' })
    assert.deepEqual([quoted.status, quoted.text], [sent.status, sent.text])
  })

  it('counts what the key has spent on the day, as the send does', async () => {
    await using gw = await gateway({ deps: withSpendingLimit(20_000n) })
    for (const _ of [1, 2]) {
      assert.equal((await gw.quoteText(TEXT)).status, 200)
      assert.equal((await gw.sendText(TEXT)).status, 200)
    }
    const [quoted, sent] = [await gw.quoteText(TEXT), await gw.sendText(TEXT)]
    assert.deepInclude(quoted.json, { code: 'spending_limit_reached', spent: '0.015400' })
    assert.deepEqual([quoted.status, quoted.text], [sent.status, sent.text])
  })

  it('answers a customer who stopped marketing messages exactly as the send does', async () => {
    await using gw = await gateway({ templates: [{ ...ORDER, category: 'marketing' }] })
    rightOf(await gw.storage.customers.learn(gw.workspace, CUSTOMER as PhoneNumber, { _tag: 'MarketingStopped', at: NOON }))
    const [quoted, sent] = [await gw.quoteTemplate(TEMPLATE), await gw.sendTemplate(TEMPLATE)]
    assert.deepInclude(quoted.json, { code: 'customer_opted_out' })
    assert.deepEqual([quoted.status, quoted.text], [sent.status, sent.text])
  })
})

describe('the refusal of a template over HTTP', () => {
  const sentences: ReadonlyArray<readonly [string, object, ReadonlyArray<typeof ORDER>, string]> = [
    ['says in which languages the template is approved', {}, [{ ...ORDER, language: 'de' }, { ...ORDER, language: 'en_US' }],
      'order_update is approved in de, en_US; language was pt_BR. Send one of those as language'],
    ['names the names that are like it', { template_name: 'orderupdate' }, [ORDER],
      'No approved template is named orderupdate; the nearest names are order_update'],
    ['says where the names are, if none is like it', { template_name: 'x' }, [ORDER],
      'No approved template is named x; GET /v1/templates lists the templates of this workspace'],
    ['says the state', {}, [{ ...ORDER, status: 'paused' }], 'order_update in pt_BR has the status paused, and the platform sends only approved templates'],
    ['says the state, and which languages are approved', {}, [{ ...ORDER, status: 'paused' }, { ...ORDER, language: 'de' }],
      'order_update in pt_BR has the status paused, and the platform sends only approved templates; it is approved in de'],
  ]
  for (const [what, change, templates, message] of sentences) {
    it(what, async () => {
      await using gw = await gateway({ templates })
      assert.deepInclude((await gw.sendTemplate({ ...TEMPLATE, ...change })).json, { message })
    })
  }

  it('says what would fill it, for people and for programs', async () => {
    await using gw = await gateway({ templates: [ORDER] })
    const { status, json } = await gw.sendTemplate({
      ...TEMPLATE, components: [give('body', text('Ana')), press('url', '0', text('1742'))],
    })
    assert.equal(status, 400)
    const { message } = json as { readonly message: string }
    assert.match(message, /^body .*2.*1/)
    assert.deepEqual(json, refusal('template_parameters', message, {
      expected: [
        { component: 'body', type: 'text', index: 1 }, { component: 'body', type: 'text', index: 2 },
        { component: 'button', type: 'text', button: 0 },
      ],
    }))
    await untouched(gw)
  })
})
