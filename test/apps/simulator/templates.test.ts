import { assert } from 'chai'
import type { Simulator } from '../../../apps/simulator/simulator.js'
import { UNKNOWN_PHONE_NUMBER_ID } from '../../../apps/simulator/state.js'
import { CUSTOMER, json, post, quickSimulator, record, template } from './support.js'

const words = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ type: 'text', text }))
const body = (...parameters: ReadonlyArray<object>) => ({ type: 'body', parameters })
const named = (parameter_name: string, text: string) => ({ type: 'text', parameter_name, text })
const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.jpg' } }] }
const button = { type: 'button', sub_type: 'url', index: '0', parameters: words('a17') }

describe('the simulator\'s templates', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await quickSimulator({
      templates: [{
        name: 'mine', language: 'de', category: 'UTILITY', components: [{ type: 'BODY', text: 'Nummer {{1}}, noch einmal {{1}}.' }],
      }],
    })
  })
  after(() => simulator.close())

  const get = (path: string) => fetch(`${simulator.url}/v25.0/${path}`, { headers: { authorization: 'Bearer a-token' } })

  const accepted: ReadonlyArray<readonly [title: string, name: string, language: string, components?: ReadonlyArray<object>]> = [
    ['without variables', 'hello_world', 'en_US'],
    ['without variables and with empty components', 'hello_world', 'en', []],
    ['with its two variables', 'order_update', 'en_US', [body(...words('Ada', 'A-17'))]],
    ['with a currency', 'order_update', 'en', [body(...words('Ada'), { type: 'currency', currency: { fallback_value: '$9' } })]],
    ['with named variables in any order', 'welcome', 'en', [body(named('shop_name', 'Shop'), named('first_name', 'Ada'))]],
    ['with an image and a button', 'shipment_photo', 'en', [image, body(...words('P1')), button]],
    ['whose variable is there twice, counted once', 'mine', 'de', [body(...words('7'))]],
  ]
  for (const [title, name, language, components] of accepted) {
    it(`accepts a template ${title}`, async () => {
      const response = await post(simulator, template(CUSTOMER, name, language, components))
      assert.equal(response.status, 200, await response.text())
    })
  }

  const mismatch = (slot: string, given: number, wanted: number): string =>
    `${slot}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`
  type Asked = readonly [name: string, language: string, components?: ReadonlyArray<object>]
  const refused: ReadonlyArray<readonly [title: string, asked: Asked, status: number, code: number, details: string]> = [
    ['an unknown name', ['nothing', 'en'], 404, 132001, 'template name (nothing) does not exist in en'],
    ['another language', ['hello_world', 'en_GB'], 404, 132001, 'template name (hello_world) does not exist in en_GB'],
    ['a template not yet approved', ['in_review', 'en'], 404, 132001, 'template name (in_review) does not exist in en'],
    ['a paused template', ['seasonal_sale', 'en'], 400, 132015, 'template seasonal_sale is paused'],
    ['a disabled template', ['old_offer', 'en'], 400, 132016, 'template old_offer is disabled'],
    ['no variables where two are wanted', ['order_update', 'en'], 400, 132000, mismatch('body', 0, 2)],
    ['three variables where two are wanted', ['order_update', 'en', [body(...words('a', 'b', 'c'))]], 400, 132000,
      mismatch('body', 3, 2)],
    ['a variable where none is wanted', ['hello_world', 'en', [body(...words('a'))]], 400, 132000, mismatch('body', 1, 0)],
    ['a header the template lacks', ['order_update', 'en', [image, body(...words('a', 'b'))]], 400, 132000,
      mismatch('header', 1, 0)],
    ['unnamed values for named variables', ['welcome', 'en', [body(...words('a', 'b'))]], 400, 100,
      'Parameter name is missing or empty'],
    ['named values for numbered variables', ['order_update', 'en', [body(named('a', 'x'), named('b', 'y'))]], 400, 100,
      'body: parameter_name is not allowed for a template with positional parameters'],
    ['a name the template lacks', ['welcome', 'en', [body(named('first_name', 'x'), named('other', 'y'))]], 400, 100,
      'body: there is no parameter named other'],
    ['a missing image', ['shipment_photo', 'en', [body(...words('P')), button]], 400, 132012,
      'header: Format mismatch, expected IMAGE, received UNKNOWN'],
    ['a text where an image is wanted', ['shipment_photo', 'en', [{ ...image, parameters: words('x') }, body(...words('P')), button]],
      400, 132012,
      'header: Format mismatch, expected IMAGE, received TEXT'],
    ['a missing button', ['shipment_photo', 'en', [image, body(...words('P'))]], 400, 131008,
      'buttons: Button at index 0 of type Url requires a parameter'],
    ['a button the template lacks', ['shipment_photo', 'en', [image, body(...words('P')), button, { ...button, index: 5 }]],
      400, 132018,
      'buttons: There is no button at index 5'],
    ['an empty value', ['order_update', 'en', [body(...words('', 'b'))]], 400, 131008,
      'Parameter of type text is missing text value'],
    ['a value with a new line', ['order_update', 'en', [body(...words('a\nb', 'b'))]], 400, 132018,
      'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'],
    ['a value of another type', ['order_update', 'en', [body({ type: 'image', image: { id: '1' } }, ...words('b'))]], 400, 132012,
      'body: Format mismatch, expected TEXT, received IMAGE'],
    ['values that are too long', ['order_update', 'en', [body(...words('x'.repeat(33_000), 'b'))]], 400, 132005,
      'The translated text has 33032 characters; 32768 are allowed'],
  ]
  for (const [title, [name, language, components], status, code, details] of refused) {
    it(`refuses ${title} with ${code}`, async () => {
      const response = await post(simulator, template(CUSTOMER, name, language, components))
      const { error } = await json(response)
      assert.equal(response.status, status)
      assert.deepInclude(record(error), { code, error_data: { messaging_product: 'whatsapp', details } })
    })
  }

  it('refuses a component of an unknown kind', async () => {
    const { error } = await json(await post(simulator, template(CUSTOMER, 'hello_world', 'en', [{ type: 'ceiling' }])))
    assert.match(error!['message']!, /^\(#100\) Param template\['components'\]\[0\]\['type'\] must be one of/)
  })

  it('lists the templates page by page', async () => {
    const names: string[] = []
    let next: string | undefined = `${simulator.url}/v25.0/200000000000001/message_templates?limit=4&fields=name,language`
    let pages = 0
    while (next !== undefined) {
      const page = await json(await fetch(next, { headers: { authorization: 'Bearer a-token' } }))
      names.push(...[...page['data']!].map(({ name, language }) => `${name} ${language}`))
      assert.deepEqual(Object.keys(page['data']![0]!), ['name', 'language', 'id'])
      assert.isNotEmpty(page['paging']!['cursors']!['after'])
      next = page['paging']!['next']
      pages += 1
    }
    assert.equal(pages, 3)
    assert.sameMembers(names, [
      'hello_world en_US', 'hello_world en', 'order_update en', 'order_update en_US', 'welcome en', 'shipment_photo en',
      'login_code en', 'seasonal_sale en', 'old_offer en', 'in_review en', 'mine de',
    ])
  })

  it('filters the list by name, language, category and status, whatever its case', async () => {
    const list = async (query: string) => {
      const { data } = await json(await get(`200/message_templates?${query}`))
      return [...data!].map(({ name, language }) => `${name} ${language}`)
    }
    assert.deepEqual(await list('name=order_update&language=en_US'), ['order_update en_US'])
    assert.deepEqual(await list('status=paused'), ['seasonal_sale en'])
    assert.deepEqual(await list('category=authentication'), ['login_code en'])
    assert.deepEqual(await list('name_or_content=parcel'), ['shipment_photo en'])
    assert.deepEqual(await list('name=nothing'), [])
  })

  it('shows one template, and the business number, with the fields asked for', async () => {
    const [first] = [...(await json(await get('200/message_templates?name=welcome')))['data']!]
    assert.deepEqual(await json(await get(`${first!['id']}?fields=status`)) as unknown, { status: 'APPROVED', id: first!['id'] })
    const number = await json(await get('100200300400500?fields=display_phone_number,throughput'))
    assert.deepEqual(number as unknown, {
      display_phone_number: '+15550109999', throughput: { level: 'STANDARD' }, id: '100200300400500',
    })
  })

  it('asks for a token here too, and does not show what does not exist', async () => {
    assert.equal((await fetch(`${simulator.url}/v25.0/200/message_templates`)).status, 401)
    for (const path of [UNKNOWN_PHONE_NUMBER_ID, `${UNKNOWN_PHONE_NUMBER_ID}/message_templates`]) {
      const response = await get(path)
      assert.deepEqual([response.status, (await json(response))['error']!['error_subcode']] as unknown[], [400, 33])
    }
  })
})
